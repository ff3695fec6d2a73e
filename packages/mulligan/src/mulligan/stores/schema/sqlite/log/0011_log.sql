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
create index execution_again on execution (parent) where try_number > 1;
-- A thumb is held against those before it, as it is written. It begins with the tool: else the index
-- of all rows by tool would be taken, and every thumb there is read for each that is written.
create index execution_rated on execution (tool, parent) where tool = 'text.rated';

-- `latency` is a JSON object of calls by bucket: one row to write, and not thirty.
-- Calls are counted by call, and tries apart; then how long it took until calls worked, which were
-- made again, and the results of suggestions.
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
  repairs text not null default '{}',
  retried real not null default 0,
  suggested real not null default 0,
  suggested_right real not null default 0,
  tries real not null default 0,
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

-- What reviews found, without what they said. The id names a finding of an attempt, so that twice is once.
create table finding (
  id text primary key,
  at_us integer not null,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  rule text not null,
  severity text not null
) without rowid;

create index finding_by_time on finding (at_us);

-- What fails alike, and for which agent; when it last did, and an example.
create table pattern (
  number integer primary key,
  tenant text not null,
  tool text not null,
  fingerprint text not null,
  agent text not null,
  error_class text not null,
  template text not null,
  last_us integer not null,
  example text not null,
  unique (tenant, tool, fingerprint, agent)
);

-- How often, by the hour: so that what fails most is known without looking at the rows.
create table pattern_hour (
  hour integer not null,
  pattern integer not null references pattern (number),
  failures integer not null,
  first_us integer not null,
  primary key (hour, pattern)
) without rowid;

-- Outcomes of replies, drafts and runs of tasks, by the hour: `name` is of a rule or a mark.
create table text_hour (
  hour integer not null,
  tenant text not null,
  agent text not null,
  kind text not null,
  what text not null,
  name text not null,
  n real not null,
  primary key (hour, tenant, agent, kind, what, name)
) without rowid;

-- The kinds of rows there are: whose, of what, and how they ended. `number` is a hash of the others.
create table row_kind (
  number integer primary key,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  outcome text not null,
  error_class text not null,
  last_us integer not null
);

-- A block is the rows whose ids begin alike, of some minutes: which have rows of a kind, and of when.
-- A search leaves out the others, however many there are.
create table row_block (
  kind integer not null,
  block text not null,
  from_us integer not null,
  to_us integer not null,
  primary key (kind, block)
) without rowid;

-- What `hourly` has, by the day: so that a month is as quick to add up as a day.
create table daily (
  day integer not null,
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
  repairs text not null,
  retried real not null,
  suggested real not null,
  suggested_right real not null,
  tries real not null,
  primary key (day, tenant, server, tool, agent)
) without rowid;

create table pattern_day (
  day integer not null,
  pattern integer not null references pattern (number),
  failures integer not null,
  first_us integer not null,
  primary key (day, pattern)
) without rowid;

-- Blocks with rows whose own time is not that of their id, and how far off it is at most. Of all other
-- rows the id says when they were: a search by time begins there, however many a block has.
create table stray_block (
  block text not null primary key,
  ahead_us integer not null,
  behind_us integer not null,
  last_us integer not null
) without rowid;
