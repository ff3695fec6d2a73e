-- name: add_rows
insert into execution select * from unnest(
  ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
  ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::integer[],
  ?::text[], ?::text[], ?::float8[]
)

-- name: add_rows_by_copy
copy execution (
  id, at_us, tenant, agent, server, tool, parameters, context, outcome, duration_us, error_class,
  error_type, error_message, error_code, error_at, result, try_number, parent, turn, weight
) from stdin with (format binary)

-- name: add_rollups
insert into hourly select * from unnest(
  ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[],
  ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::text[],
  ?::text[], ?::float8[], ?::float8[], ?::float8[], ?::float8[]
) on conflict (hour, tenant, server, tool, agent) do update set
  calls = hourly.calls + excluded.calls,
  failures = hourly.failures + excluded.failures,
  repaired = hourly.repaired + excluded.repaired,
  with_context = hourly.with_context + excluded.with_context,
  duration_us = hourly.duration_us + excluded.duration_us,
  latency = (
    select coalesce(json_object_agg(bucket, calls)::text, '{}') from (
      select bucket, sum(calls::float8) as calls from (
        select * from json_each_text(hourly.latency::json)
        union all select * from json_each_text(excluded.latency::json)
      ) as each_count (bucket, calls) group by bucket
    ) as total
  ),
  repairs = (
    select coalesce(json_object_agg(bucket, calls)::text, '{}') from (
      select bucket, sum(calls::float8) as calls from (
        select * from json_each_text(hourly.repairs::json)
        union all select * from json_each_text(excluded.repairs::json)
      ) as each_count (bucket, calls) group by bucket
    ) as total
  ),
  retried = hourly.retried + excluded.retried,
  suggested = hourly.suggested + excluded.suggested,
  suggested_right = hourly.suggested_right + excluded.suggested_right,
  tries = hourly.tries + excluded.tries

-- name: add_days
insert into daily select * from unnest(
  ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[],
  ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::text[],
  ?::text[], ?::float8[], ?::float8[], ?::float8[], ?::float8[]
) on conflict (day, tenant, server, tool, agent) do update set
  calls = daily.calls + excluded.calls,
  failures = daily.failures + excluded.failures,
  repaired = daily.repaired + excluded.repaired,
  with_context = daily.with_context + excluded.with_context,
  duration_us = daily.duration_us + excluded.duration_us,
  latency = (
    select coalesce(json_object_agg(bucket, calls)::text, '{}') from (
      select bucket, sum(calls::float8) as calls from (
        select * from json_each_text(daily.latency::json)
        union all select * from json_each_text(excluded.latency::json)
      ) as each_count (bucket, calls) group by bucket
    ) as total
  ),
  repairs = (
    select coalesce(json_object_agg(bucket, calls)::text, '{}') from (
      select bucket, sum(calls::float8) as calls from (
        select * from json_each_text(daily.repairs::json)
        union all select * from json_each_text(excluded.repairs::json)
      ) as each_count (bucket, calls) group by bucket
    ) as total
  ),
  retried = daily.retried + excluded.retried,
  suggested = daily.suggested + excluded.suggested,
  suggested_right = daily.suggested_right + excluded.suggested_right,
  tries = daily.tries + excluded.tries

-- name: lock_days
lock table daily, pattern_day in share row exclusive mode

-- name: add_texts
insert into text_hour select * from unnest(
  ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::float8[]
) on conflict (hour, tenant, agent, kind, what, name) do update set n = text_hour.n + excluded.n

-- name: count_failures
insert into pattern_hour (hour, pattern, failures, first_us) select * from unnest(
  ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]
) on conflict (hour, pattern) do update set
  failures = pattern_hour.failures + excluded.failures,
  first_us = least(excluded.first_us, pattern_hour.first_us)

-- name: count_failure_days
insert into pattern_day (day, pattern, failures, first_us) select * from unnest(
  ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]
) on conflict (day, pattern) do update set
  failures = pattern_day.failures + excluded.failures,
  first_us = least(excluded.first_us, pattern_day.first_us)

-- name: add_findings
insert into finding select * from unnest(
  ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]
) on conflict do nothing

-- name: add_kinds
insert into row_kind select * from unnest(
  ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[]
) on conflict (number) do update set last_us = greatest(excluded.last_us, row_kind.last_us)

-- name: add_blocks
insert into row_block select * from unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[])
on conflict (kind, block) do update set
  from_us = least(excluded.from_us, row_block.from_us),
  to_us = greatest(excluded.to_us, row_block.to_us)

-- name: add_strays
insert into stray_block (block, ahead_us, behind_us, last_us)
select * from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
on conflict (block) do update set
  ahead_us = greatest(excluded.ahead_us, stray_block.ahead_us),
  behind_us = greatest(excluded.behind_us, stray_block.behind_us),
  last_us = greatest(excluded.last_us, stray_block.last_us)

-- name: newest_block
select max((
  select block from row_block where kind = cast(each.value as bigint)
  and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block desc limit 1
)) from json_array_elements_text(cast(:kinds as json)) as each (value)

-- name: oldest_block
select min((
  select block from row_block where kind = cast(each.value as bigint)
  and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block limit 1
)) from json_array_elements_text(cast(:kinds as json)) as each (value)

-- name: ids_present
select id from execution where id in (select json_array_elements_text(cast(:ids as json)))

-- name: lock_counted
select pg_advisory_xact_lock(cast(value as bigint))
from json_array_elements_text(cast(:locks as json)) as each (value)

-- name: tries
select * from execution where id in (select json_array_elements_text(cast(:firsts as json)))
union all
select * from execution
where try_number > 1 and parent in (select json_array_elements_text(cast(:firsts as json)))

-- name: rated_texts
select * from execution where id in (select json_array_elements_text(cast(:ids as json)))
union all
select * from execution
where tool = 'text.rated' and parent in (select json_array_elements_text(cast(:ids as json)))

-- name: turns
turn in (select json_array_elements_text(cast(:turns as json)))

-- name: parents
parent in (select json_array_elements_text(cast(:parents as json)))

-- name: thumbs
id in (
  select rated.id from execution as rated where rated.tool = 'text.rated'
  and rated.parent in (select json_array_elements_text(cast(:parents as json)))
)

-- name: add_words
insert into lesson_word (lesson, word)
select :lesson, json_array_elements_text(cast(:words as json))

-- name: lessons_sharing_words
with asked as (select value as word from json_array_elements_text(cast(:words as json))),
rare as materialized (
  select word from asked where (select count(*) from (
    select 1 from lesson_word as held where held.word = asked.word limit :near
  ) as holders) < :near
),
-- All lessons that fit, if they are few; of many only so many, and those that share a rare word.
compared as (
  select * from (
    select id, version, tool, words from lesson where {where} order by id limit :near
  ) as first_ones
  union
  -- The limits keep the planner from reading the whole tables instead.
  select fit.* from rare cross join lateral (
    select lesson from lesson_word as held where held.word = rare.word limit :near
  ) as holder cross join lateral (
    select id, version, tool, words from lesson where id = holder.lesson and {where} limit 1
  ) as fit
),
counted as (
  select id, version, tool, words, (
    select count(*) from lesson_word where lesson = id and word in (select word from asked)
  ) as shared
  from compared
),
close as (
  select * from counted where shared > 0
  order by shared desc, words, tool, id limit :most offset :skip
)
select id, body from close
join lesson_version on lesson_version.lesson = id and lesson_version.version = close.version
order by shared desc, words, tool, id

-- name: among
id in (select json_array_elements_text(cast(:among as json)))

-- name: of_agent
:of_agent in (select json_array_elements_text(cast(agents as json)))

-- name: balances
select lesson,
  count(distinct case when benefit = 'helped' then nullif(principal, '') end)
    + sum(case when benefit = 'helped' and principal = '' then 1 else 0 end),
  count(distinct case when benefit = 'harmed' then nullif(principal, '') end)
    + sum(case when benefit = 'harmed' and principal = '' then 1 else 0 end),
  count(distinct case when benefit = 'helped' then turn end),
  count(distinct case when benefit = 'helped' then nullif(principal, '') end),
  count(*)
from lesson_use where lesson in (select json_array_elements_text(cast(:lessons as json)))
  and (:everyone = 1 or principal = :principal)
group by lesson

-- name: do_not_sync
set local synchronous_commit = off

-- name: head_when_settled
select commits from writer where id = :writer for update

-- name: secret
select value from secret

-- name: make_secret
insert into secret (number, value) values (1, :value) on conflict do nothing

-- name: version
select current_setting('server_version')

-- name: size
select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'mulligan' and c.relkind = 'r'

-- name: schema_version
select coalesce(max(number), 0) from migration

-- name: migration_table
select to_regclass('mulligan.migration')

-- name: lock_migrations
select pg_advisory_xact_lock(:lock)

-- name: schema
select to_regnamespace('mulligan')

-- name: make_schema
create schema mulligan

-- name: make_migration_table
create table if not exists migration (
  number integer primary key,
  at timestamptz not null default now(),
  needs integer
)

-- name: schema_needs
select coalesce(max(coalesce(needs, number)), 0) from migration

-- name: add_migration
insert into migration (number, needs) values (:number, :needs)

-- name: earlier_programs
select pid, machine from writer join presence on presence.writer = id
where revoked_us is null and coalesce(knows, 0) < :known
  and greatest(heard_us, beat_us) > (extract(epoch from clock_timestamp()) * 1000000)::bigint - lease_us
order by machine, pid

-- name: set_search_path
set search_path = mulligan

-- name: repeatable_read
set transaction isolation level repeatable read read only

-- name: appear
insert into presence (writer, machine, pid, started, beat_us, knows)
values (:writer, :machine, :pid, :started, (extract(epoch from clock_timestamp()) * 1000000)::bigint, {knows})

-- name: beat
update presence set beat_us = (extract(epoch from clock_timestamp()) * 1000000)::bigint
where writer = :writer

-- name: start_writer
insert into writer (id, commits, seq, hash, heard_us, lease_us, account, seal)
values (:writer, 0, 0, :genesis, (extract(epoch from clock_timestamp()) * 1000000)::bigint, :lease_us, :account, :seal)

-- name: lock_writers
lock table writer in share row exclusive mode

-- name: move_head
update writer set commits = :commits, seq = :seq, hash = :hash, account = :account, seal = :seal,
  heard_us = (extract(epoch from clock_timestamp()) * 1000000)::bigint
where id = :writer and revoked_us is null and commits = :was_commits and seq = :was_seq
  and hash = :was_hash and account = :was_account and seal is not distinct from :was_seal

-- name: end_writer
update writer set revoked_us = (extract(epoch from clock_timestamp()) * 1000000)::bigint
where id = :writer and revoked_us is null

-- name: present
select id, machine, pid, started, (extract(epoch from clock_timestamp()) * 1000000)::bigint - greatest(heard_us, coalesce(beat_us, 0)),
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where id in (select json_array_elements_text(cast(:writers as json)))

-- name: writers_lately
select id, machine, pid, started,
  (extract(epoch from clock_timestamp()) * 1000000)::bigint - greatest(heard_us, coalesce(beat_us, 0)) as silent_us,
  lease_us, revoked_us
from writer left join presence on presence.writer = id
where greatest(heard_us, coalesce(beat_us, 0)) > (extract(epoch from clock_timestamp()) * 1000000)::bigint - :within
order by silent_us, id limit :most

-- name: revoke_silent
update writer set revoked_us = (extract(epoch from clock_timestamp()) * 1000000)::bigint
where id in (select json_array_elements_text(cast(:writers as json))) and revoked_us is null
  and greatest(heard_us, coalesce((select beat_us from presence where presence.writer = writer.id), 0))
    < (extract(epoch from clock_timestamp()) * 1000000)::bigint - lease_us

-- name: forget_silent
delete from presence where beat_us < (extract(epoch from clock_timestamp()) * 1000000)::bigint - :silent_us

-- name: histories
select action, version, state, at_us, body, writer, seq, hash, coalesce(
  (select hash from entry as earlier
    where earlier.writer = entry.writer and earlier.seq = entry.seq - 1),
  (select hash from anchor where anchor.writer = entry.writer and anchor.seq = entry.seq - 1)
) from entry
where action in (select json_array_elements_text(cast(:actions as json))) and body is not null
order by action, version

-- name: claim_duty
update duty set writer = :writer
where name = :duty and coalesce(writer, '') = :was and done_us <= (extract(epoch from clock_timestamp()) * 1000000)::bigint - :every_us

-- name: finish_duty
update duty set writer = null, done_us = case when :done = 1 then (extract(epoch from clock_timestamp()) * 1000000)::bigint else done_us end
where name = :duty and writer = :writer

-- name: tell_others
select pg_notify('mulligan', '')

-- name: listen_to_others
listen mulligan

-- name: wait_briefly_for_tables
set lock_timeout = '500ms'

-- name: wait_for_tables
reset lock_timeout

-- name: table_standing
select pg_table_size(c.oid), pg_has_role(c.relowner, 'usage') from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'mulligan' and c.relkind = 'r' and c.relname = :table

-- name: planted
select 'trigger', t.tgname, c.relname from pg_trigger t
join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'mulligan' and not t.tgisinternal
union all
select 'rule', r.rulename, c.relname from pg_rewrite r
join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'mulligan'

-- name: vacuum_table
vacuum (full, verbose) mulligan.{table}
