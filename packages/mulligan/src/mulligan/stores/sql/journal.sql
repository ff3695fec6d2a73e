-- name: head
select commits, seq, hash, account, seal, revoked_us from writer where id = :writer

-- name: last_writer
select writer from entry where action = :action order by version desc limit 1

-- name: action_now
select state, version from action where id = :action

-- name: add_entry
insert into entry (writer, seq, action, version, state, at_us, body, hash)
values (:writer, :seq, :action, :version, :state, :at_us, :body, :hash)

-- name: open_action
insert into action (id, tenant, opening, state, settled, version, opened_us, changed_us, detail)
values (:action, :tenant, :opening, :state, :settled, 1, :at_us, :at_us, :detail)
on conflict (id) do nothing

-- name: move_action
update action set state = :state, settled = :settled, version = :version, changed_us = :at_us, detail = :detail
where id = :action and version = :version - 1
  and replace(:befores, ',' || state || ',', '') <> :befores

-- name: open_actions
settled = 0 and action.id > :after order by action.id limit :most

-- name: open_actions_of_tenant
settled = 0 and action.id > :after and action.tenant = :tenant order by action.id limit :most

-- name: open_action_ids
select id from action where settled = 0 and id > :after order by id limit :most

-- name: actions_back
action.id >= :first and action.id < :last and action.opened_us >= :since
and action.opened_us < :until and (:any_tenant = 1 or action.tenant = :tenant)
order by action.id desc limit :most

-- name: action_ids_back
select id from action
where id >= :first and id < :last and opened_us >= :since and opened_us < :until
and (:any_tenant = 1 or tenant = :tenant)
order by id desc limit :most

-- name: history
select action, version, state, at_us, body, writer, seq, hash, coalesce(
  (select hash from entry as earlier
    where earlier.writer = entry.writer and earlier.seq = entry.seq - 1),
  (select hash from anchor where anchor.writer = entry.writer and anchor.seq = entry.seq - 1)
) from entry
where body is not null and {where}

-- name: of_action
action = :action order by version

-- name: of_actions
action in ({each :actions}) order by action, version

-- name: count_open_actions
select count(*) from action where settled = 0

-- name: writers
select id, commits, seq, hash, account, seal from writer order by number desc

-- name: anchor
select seq, hash, seal from anchor where writer = :writer

-- name: lines_after
select writer, seq, action, version, state, at_us, body, hash, emptied from entry
where writer = :writer and seq > :after order by seq limit :most

-- name: hash_at
select hash from entry where writer = :writer and seq = :seq

-- name: entries_without_writer
select writer, min(seq) from entry where writer not in (select id from writer) group by writer

-- name: actions_and_entries
select action.id, action.tenant, action.opening, action.state, action.settled, action.version,
  action.opened_us, action.changed_us, action.detail,
  opened.at_us, opened.body, latest.state, latest.at_us, latest.body,
  (select count(distinct version) from entry where entry.action = action.id
    and entry.version <= action.version and entry.body is not null),
  latest.writer
from action
left join entry as opened on opened.action = action.id and opened.version = 1
  and opened.body is not null
left join entry as latest on latest.action = action.id and latest.version = action.version
  and latest.body is not null
where {where}

-- name: next_actions
action.id > :after order by action.id limit :most

-- name: one_action
action.id = :action

-- name: action_ids
select id from action order by id

-- name: newest_actions
true order by action.id desc limit :most

-- name: entries_without_action
select entry.writer, entry.seq, entry.action from entry left join action on action.id = entry.action
where action.id is null and entry.body is not null
order by entry.writer, entry.seq limit 100

-- name: accepted
select writer, seq, what, at_us, note, seal from damage

-- name: accept
insert into damage (writer, seq, what, at_us, note, seal)
values (:writer, :seq, :what, :at_us, :note, :seal)
on conflict (writer, seq, what) do update
set at_us = excluded.at_us, note = excluded.note, seal = excluded.seal

-- name: settled_actions
select id, changed_us from action where settled = 1 and changed_us < :before
  and (changed_us, id) > (:changed_us, :after)
order by changed_us, id limit :most

-- name: hollow_entries
update entry set body = null where action = :action

-- name: lines_of_action
select writer, seq, action, version, state, at_us, body, hash, emptied from entry
where action = :action order by version

-- name: set_emptied
update entry set emptied = :emptied where writer = :writer and seq = :seq

-- name: set_hash
update entry set hash = :hash where writer = :writer and seq = :seq

-- name: set_writer_seal
update writer set hash = :hash, account = :account, seal = :seal where id = :writer

-- name: anchors
select writer, seq, hash, seal from anchor

-- name: forget_action
delete from action where id = :action and settled = 1 and changed_us < :before

-- name: writers_with_hollow_start
select writer, max(seq) from entry where body is null group by writer

-- name: first_full_seq
select min(seq) from entry where writer = :writer and body is not null

-- name: oldest_hollow
select writer, seq, action, version, state, at_us, body, hash, emptied from entry
where writer = :writer and seq < :first_full order by seq limit :most

-- name: set_anchor
insert into anchor (writer, seq, hash, seal) values (:writer, :seq, :hash, :seal)
on conflict (writer) do update set seq = excluded.seq, hash = excluded.hash, seal = excluded.seal

-- name: drop_before_anchor
delete from entry where writer = :writer and seq <= :seq

-- name: duty_holder
select writer from duty where name = :duty

-- name: add_duty
insert into duty (name) values (:duty) on conflict do nothing

-- name: beat
update presence set beat_us = {now_us}
where writer = :writer

-- name: start_writer
insert into writer (id, commits, seq, hash, heard_us, lease_us, account, seal)
values (:writer, 0, 0, :genesis, {now_us}, :lease_us, :account, :seal)

-- name: move_head
update writer set commits = :commits, seq = :seq, hash = :hash, account = :account, seal = :seal,
  heard_us = {now_us}
where id = :writer and revoked_us is null and commits = :was_commits and seq = :was_seq
  and hash = :was_hash and account = :was_account and seal is not distinct from :was_seal

-- name: end_writer
update writer set revoked_us = {now_us}
where id = :writer and revoked_us is null

-- name: present
select id, machine, pid, started, {now_us} - {greatest}(heard_us, coalesce(beat_us, 0)),
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where id in ({each :writers})

-- name: writers_lately
select id, machine, pid, started,
  {now_us} - {greatest}(heard_us, coalesce(beat_us, 0)) as silent_us,
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where {greatest}(heard_us, coalesce(beat_us, 0)) > {now_us} - :within
order by silent_us, id limit :most

-- name: revoke_silent
update writer set revoked_us = {now_us}
where id in (select id from writer where id in ({each :writers}) {unlocked})
  and revoked_us is null
  and {greatest}(heard_us, coalesce((select beat_us from presence where presence.writer = writer.id), 0))
    < {now_us} - lease_us

-- name: forget_silent
delete from presence where beat_us < {now_us} - :silent_us

-- name: claim_duty
update duty set writer = :writer
where name = :duty and coalesce(writer, '') = :was and done_us <= {now_us} - :every_us

-- name: finish_duty
update duty set writer = null, done_us = case when :done = 1 then {now_us} else done_us end
where name = :duty and writer = :writer

-- name: hollow_lines
select writer, seq, action, version, state, at_us, body, hash, emptied from entry
where writer = :writer and body is null order by seq
