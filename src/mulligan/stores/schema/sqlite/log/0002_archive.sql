-- Old successes, packed: up to 512 rows as compressed JSON.
create table archive (
  first_id text primary key,
  last_id text not null,
  from_us integer not null,
  to_us integer not null,
  row_count integer not null,
  packed blob not null
);

create index archive_by_end on archive (last_id);
