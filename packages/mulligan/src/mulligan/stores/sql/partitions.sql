-- The log in partitions: only where the server is Postgres itself.

-- name: server_name
select version()

-- name: time_us
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- name: keep_log_whole
alter table execution_before rename to execution

-- name: make_partitioned_log
create table execution (
  like execution_before including all excluding indexes excluding constraints, primary key (id)
) partition by range (id)

-- name: make_default_partition
create table execution_default partition of execution default

-- name: attach_before
alter table execution attach partition execution_before for values from (minvalue) to ('{bound}')

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
