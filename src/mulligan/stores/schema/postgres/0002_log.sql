-- The columns of LogRow, in its order. The id is time-ordered: the primary key is the index by time.
create table execution (
  id text collate "C" primary key,
  at_us bigint not null,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text collate "C" not null,
  parameters text not null,
  context text not null,
  outcome text not null,
  duration_us bigint not null,
  error_class text,
  error_type text,
  error_message text,
  error_code text,
  error_at text,
  result text,
  try_number integer not null,
  parent text,
  turn text collate "C",
  weight double precision not null
);

create index execution_by_tool on execution (tool, id);
create index execution_not_successful on execution (id) where outcome <> 'success';
create index execution_by_turn on execution (turn) where turn is not null;

-- `latency` is a JSON object of calls by bucket: one row to write, and not thirty.
create table hourly (
  hour bigint not null,
  tenant text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  agent text collate "C" not null,
  calls double precision not null,
  failures double precision not null,
  repaired double precision not null,
  with_context double precision not null,
  duration_us double precision not null,
  latency text not null,
  primary key (hour, tenant, server, tool, agent)
);

-- The key is the whole loss, so that a batch written twice tells it once.
create table loss (
  at_us bigint not null,
  reason text not null,
  successes bigint not null,
  failures bigint not null,
  primary key (at_us, reason, successes, failures)
);

-- Old successes, packed: up to 512 rows as compressed JSON.
create table archive (
  first_id text collate "C" primary key,
  last_id text collate "C" not null,
  from_us bigint not null,
  to_us bigint not null,
  row_count integer not null,
  packed bytea not null
);

create index archive_by_end on archive (last_id);
