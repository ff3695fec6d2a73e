-- name: lock_counted
-- One transaction writes at a time.
select :locks

-- name: lock_days
select 1

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
values (:writer, :machine, :pid, :started, {now_us})

-- name: lock_writers
select 1

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

-- name: database_identity
-- The file, whatever name it was opened by: SQLite follows links.
select file from pragma_database_list where name = 'main'

-- name: copied_columns
-- Who is there now, and how much each process has logged, is of this file and these processes alone.
select t.name, c.name, c.type, c.pk, 0 from sqlite_schema t join pragma_table_info(t.name) c
where t.type = 'table' and t.name not in ('presence', 'log_writer') and t.name not like 'sqlite_%'
order by t.rowid, c.cid
