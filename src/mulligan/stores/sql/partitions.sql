-- The log in partitions: only where the server is Postgres itself.

-- name: server_name
select version()

-- name: log_is_secured
select relrowsecurity from pg_class where oid = to_regclass('mulligan.execution')

-- name: time_us
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- name: any_row
select 1 from execution limit 1

-- name: limit_log
alter table execution add constraint execution_bound check (id < '{bound}') not valid

-- name: log_bound
select pg_get_constraintdef(oid) from pg_constraint
where conrelid = to_regclass('mulligan.execution') and conname = 'execution_bound'

-- name: make_default_partition
create table execution_default (like execution including all excluding constraints)

-- name: move_beyond_bound
with beyond as (delete from execution where id >= :bound returning *)
insert into execution_default select * from beyond

-- name: check_bound
alter table execution validate constraint execution_bound

-- name: rename_log
alter table execution rename to execution_before

-- name: rename_log_key
alter table execution_before rename constraint execution_pkey to execution_before_pkey

-- name: rename_log_index
alter index {index} rename to {name}

-- name: log_indexes
select indexname, indexdef from pg_indexes
where schemaname = 'mulligan' and tablename = 'execution' and indexname <> 'execution_pkey'

-- name: log_grants
select privilege_type, coalesce(nullif(grantee, 0)::regrole::text, 'public') from pg_class,
  aclexplode(relacl) as granted
where pg_class.oid = to_regclass('mulligan.execution_before') and grantee <> relowner

-- name: grant_log
grant {privilege} on execution to {grantee}

-- name: make_partitioned_log
create table execution (
  like execution_before including all excluding indexes excluding constraints, primary key (id)
) partition by range (id)

-- name: attach_default
alter table execution attach partition execution_default default

-- name: attach_before
alter table execution attach partition execution_before for values from (minvalue) to ('{bound}')

-- name: unbound_log
alter table execution_before drop constraint execution_bound

-- name: partitions
select relname, pg_get_expr(relpartbound, pg_class.oid), reltuples::bigint
from pg_inherits join pg_class on pg_class.oid = inhrelid
where inhparent = to_regclass('mulligan.execution') order by relname

-- name: rows_in_default
select 1 from execution_default where id >= :from_id and id < :to_id limit 1

-- name: keep_no_samples_of_rows
alter table {table}
  alter column parameters set statistics 0, alter column context set statistics 0,
  alter column error_message set statistics 0, alter column result set statistics 0

-- name: keep_no_samples_of_values
alter table kept alter column value set statistics 0

-- name: keep_no_samples_of_entries
alter table entry alter column body set statistics 0

-- name: keep_no_samples_of_actions
alter table action
  alter column opening set statistics 0, alter column detail set statistics 0

-- name: keep_no_samples_of_text
alter table {table} alter column {column} set statistics 0

-- name: make_partition
create table {partition} (like execution including all)

-- name: index_partition
create index on {partition} using brin (at_us) with (autosummarize = on)

-- name: attach_partition
alter table execution attach partition {partition} for values from ('{from_id}') to ('{to_id}')

-- name: read_no_table_whole
set local enable_seqscan = off

-- name: rows_since
select 1 from {partition} where at_us >= {since} limit 1

-- name: count_partition
select count(*) from {partition}

-- name: hold_partition
lock table only execution, only {partition} in access exclusive mode

-- name: drop_partition
drop table {partition}

-- name: wait_briefly
set local lock_timeout = '500ms'
