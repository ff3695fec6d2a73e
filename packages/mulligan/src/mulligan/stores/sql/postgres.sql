-- name: add_rows_by_copy
copy execution (
  id, at_us, tenant, agent, server, tool, parameters, context, outcome, duration_us, error_class,
  error_type, error_message, error_code, error_at, result, try_number, parent, turn, weight
) from stdin with (format binary)

-- name: lock_days
lock table daily, pattern_day in share row exclusive mode

-- name: lock_counted
select pg_advisory_xact_lock(cast(value as bigint))
from json_array_elements_text(cast(:locks as json)) as each (value)

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
  and greatest(heard_us, beat_us) > {now_us} - lease_us
order by machine, pid

-- name: set_search_path
set search_path = mulligan

-- name: repeatable_read
set transaction isolation level repeatable read read only

-- name: appear
insert into presence (writer, machine, pid, started, beat_us, knows)
values (:writer, :machine, :pid, :started, {now_us}, {knows})

-- name: lock_writers
lock table writer in share row exclusive mode

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

-- name: database_identity
-- Also of a replica; a server whose clone was promoted is on another timeline.
select s.system_identifier::text, c.timeline_id, d.oid::text
from pg_control_system() s, pg_control_checkpoint() c, pg_database d
where d.datname = current_database()

-- name: copied_columns
-- Who is there now, who may see what, and what has migrated it, is of this server alone.
select t.relname::text, c.attname::text, k.typname::text,
  coalesce(array_position(i.indkey::int2[], c.attnum) + 1, 0), c.attidentity <> ''
from pg_class t join pg_namespace n on n.oid = t.relnamespace
join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
join pg_type k on k.oid = c.atttypid
left join pg_index i on i.indrelid = t.oid and i.indisprimary
where n.nspname = 'mulligan' and t.relkind in ('r', 'p') and not t.relispartition
  and t.relname not in ('presence', 'access', 'migration', 'secret')
order by t.oid, c.attnum
