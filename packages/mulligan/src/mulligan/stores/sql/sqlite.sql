-- name: add_rows
insert into execution values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_rollups
insert into hourly values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (hour, tenant, server, tool, agent) do update set
  calls = hourly.calls + excluded.calls,
  failures = hourly.failures + excluded.failures,
  repaired = hourly.repaired + excluded.repaired,
  with_context = hourly.with_context + excluded.with_context,
  duration_us = hourly.duration_us + excluded.duration_us,
  latency = add_counts(hourly.latency, excluded.latency),
  repairs = add_counts(hourly.repairs, excluded.repairs),
  retried = hourly.retried + excluded.retried,
  suggested = hourly.suggested + excluded.suggested,
  suggested_right = hourly.suggested_right + excluded.suggested_right,
  tries = hourly.tries + excluded.tries

-- name: add_days
insert into daily values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (day, tenant, server, tool, agent) do update set
  calls = daily.calls + excluded.calls,
  failures = daily.failures + excluded.failures,
  repaired = daily.repaired + excluded.repaired,
  with_context = daily.with_context + excluded.with_context,
  duration_us = daily.duration_us + excluded.duration_us,
  latency = add_counts(daily.latency, excluded.latency),
  repairs = add_counts(daily.repairs, excluded.repairs),
  retried = daily.retried + excluded.retried,
  suggested = daily.suggested + excluded.suggested,
  suggested_right = daily.suggested_right + excluded.suggested_right,
  tries = daily.tries + excluded.tries

-- name: add_texts
insert into text_hour values (?, ?, ?, ?, ?, ?, ?)
on conflict (hour, tenant, agent, kind, what, name) do update set n = text_hour.n + excluded.n

-- name: count_failures
insert into pattern_hour (hour, pattern, failures, first_us) values (?, ?, ?, ?)
on conflict (hour, pattern) do update set
  failures = pattern_hour.failures + excluded.failures,
  first_us = min(excluded.first_us, pattern_hour.first_us)

-- name: count_failure_days
insert into pattern_day (day, pattern, failures, first_us) values (?, ?, ?, ?)
on conflict (day, pattern) do update set
  failures = pattern_day.failures + excluded.failures,
  first_us = min(excluded.first_us, pattern_day.first_us)

-- name: add_findings
insert into finding values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing

-- name: add_kinds
insert into row_kind values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (number) do update set last_us = max(excluded.last_us, row_kind.last_us)

-- name: add_blocks
insert into row_block values (?, ?, ?, ?)
on conflict (kind, block) do update set
  from_us = min(excluded.from_us, row_block.from_us), to_us = max(excluded.to_us, row_block.to_us)

-- name: add_strays
insert into stray_block (block, ahead_us, behind_us, last_us) values (?, ?, ?, ?)
on conflict (block) do update set
  ahead_us = max(excluded.ahead_us, stray_block.ahead_us),
  behind_us = max(excluded.behind_us, stray_block.behind_us),
  last_us = max(excluded.last_us, stray_block.last_us)

-- name: lock_counted
-- One transaction writes at a time.
select :locks

-- name: lock_days
select 1

-- name: newest_block
select max((
  select block from row_block where kind = each.value and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block desc limit 1
)) from json_each(:kinds) as each

-- name: oldest_block
select min((
  select block from row_block where kind = each.value and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block limit 1
)) from json_each(:kinds) as each

-- name: log_writer
select batches, successes, failures from log_writer where id = :writer

-- name: count_batch
insert into log_writer (id, batches, successes, failures)
values (:writer, :batches, :successes, :failures)
on conflict (id) do update
set batches = excluded.batches, successes = excluded.successes, failures = excluded.failures

-- name: check
pragma integrity_check(1)

-- name: schema_version
pragma user_version

-- name: application_id
pragma application_id

-- name: count_tables
select count(*) from sqlite_schema

-- name: planted
select type, name, tbl_name from sqlite_schema where type in ('trigger', 'view')

-- name: kept
select owner, name, value, locked, checksum, expires_us, seal from kept
where rowid = (select rowid from kept where owner = :owner and name = :name)

-- name: appear
insert into presence (writer, machine, pid, started, beat_us)
values (:writer, :machine, :pid, :started, cast(unixepoch('subsec') * 1000000 as integer))

-- name: beat
update presence set beat_us = cast(unixepoch('subsec') * 1000000 as integer)
where writer = :writer

-- name: start_writer
insert into writer (id, commits, seq, hash, heard_us, lease_us, account, seal)
values (:writer, 0, 0, :genesis, cast(unixepoch('subsec') * 1000000 as integer), :lease_us, :account, :seal)

-- name: lock_writers
select 1

-- name: move_head
update writer set commits = :commits, seq = :seq, hash = :hash, account = :account, seal = :seal,
  heard_us = cast(unixepoch('subsec') * 1000000 as integer)
where id = :writer and revoked_us is null and commits = :was_commits and seq = :was_seq
  and hash = :was_hash and account = :was_account and seal is :was_seal

-- name: end_writer
update writer set revoked_us = cast(unixepoch('subsec') * 1000000 as integer)
where id = :writer and revoked_us is null

-- name: present
select id, machine, pid, started, cast(unixepoch('subsec') * 1000000 as integer) - max(heard_us, coalesce(beat_us, 0)),
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where id in (select value from json_each(:writers))

-- name: writers_lately
select id, machine, pid, started,
  cast(unixepoch('subsec') * 1000000 as integer) - max(heard_us, coalesce(beat_us, 0)) as silent_us,
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where max(heard_us, coalesce(beat_us, 0)) > cast(unixepoch('subsec') * 1000000 as integer) - :within
order by silent_us, id limit :most

-- name: revoke_silent
update writer set revoked_us = cast(unixepoch('subsec') * 1000000 as integer)
where id in (select value from json_each(:writers)) and revoked_us is null
  and max(heard_us, coalesce((select beat_us from presence where presence.writer = writer.id), 0))
    < cast(unixepoch('subsec') * 1000000 as integer) - lease_us

-- name: forget_silent
delete from presence where beat_us < cast(unixepoch('subsec') * 1000000 as integer) - :silent_us

-- name: histories
select action, version, state, at_us, body, writer, seq, hash, coalesce(
  (select hash from entry as earlier
    where earlier.writer = entry.writer and earlier.seq = entry.seq - 1),
  (select hash from anchor where anchor.writer = entry.writer and anchor.seq = entry.seq - 1)
) from entry
where action in (select value from json_each(:actions)) and body is not null order by action, version

-- name: claim_duty
update duty set writer = :writer
where name = :duty and coalesce(writer, '') = :was and done_us <= cast(unixepoch('subsec') * 1000000 as integer) - :every_us

-- name: finish_duty
update duty set writer = null, done_us = case when :done = 1 then cast(unixepoch('subsec') * 1000000 as integer) else done_us end
where name = :duty and writer = :writer

-- name: tell_others
-- Nobody can be woken: whoever listens sees that the file has changed, and reads the number.
insert into duty (name, done_us) values ('news', 1)
on conflict (name) do update set done_us = duty.done_us + 1

-- name: count_news
select done_us from duty where name = 'news'

-- name: data_version
pragma data_version

-- name: head_when_settled
-- One transaction writes at a time, so that no other is still ending.
select commits from writer where id = :writer
