pragma application_id = 1299541100;

-- The columns of LogRow, in its order. The id is time-ordered: the primary key is the index by time.
-- A table with row ids, because rows of a kilobyte make poor inner nodes of a tree.
create table execution (
  id text primary key,
  at_us integer not null,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  parameters text not null,
  context text not null,
  outcome text not null,
  duration_us integer not null,
  error_class text,
  error_type text,
  error_message text,
  error_code text,
  error_at text,
  result text,
  try_number integer not null,
  parent text,
  turn text,
  weight real not null
);

create index execution_by_tool on execution (tool, id);
create index execution_not_successful on execution (id) where outcome <> 'success';
create index execution_by_turn on execution (turn) where turn is not null;

-- `latency` is a JSON object of calls by bucket: one row to write, and not thirty.
create table hourly (
  hour integer not null,
  tenant text not null,
  server text not null,
  tool text not null,
  agent text not null,
  calls real not null,
  failures real not null,
  repaired real not null,
  with_context real not null,
  duration_us real not null,
  latency text not null,
  primary key (hour, tenant, server, tool, agent)
) without rowid;

-- The key is the whole loss, so that a batch written twice tells it once.
create table loss (
  at_us integer not null,
  reason text not null,
  successes integer not null,
  failures integer not null,
  primary key (at_us, reason, successes, failures)
) without rowid;

-- How much each process has logged: held against its mark, it shows what a damaged file lost.
create table log_writer (
  id text primary key,
  batches integer not null,
  successes integer not null,
  failures integer not null
) without rowid;
