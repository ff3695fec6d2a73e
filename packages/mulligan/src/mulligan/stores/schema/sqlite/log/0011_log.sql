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

-- A thumb is held against those before it, as it is written. It begins with the tool: else the index
-- of all rows by tool would be taken, and every thumb there is read for each that is written.
create index execution_rated on execution (tool, parent) where tool = 'text.rated';

-- How much each process has logged: held against its mark, it shows what a damaged file lost.
create table log_writer (
  id text primary key,
  batches integer not null,
  successes integer not null,
  failures integer not null
) without rowid;

-- tables: log
