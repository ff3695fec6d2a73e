-- Of the rows themselves, each database has a table in its own form.
create index execution_by_tool on execution (tool, id);
create index execution_not_successful on execution (id) where outcome <> 'success';
create index execution_by_turn on execution (turn) where turn is not null;
create index execution_again on execution (parent) where try_number > 1;

-- `latency` is a JSON object of calls by bucket: one row to write, and not thirty.
-- Calls are counted by call, and tries apart; then how long it took until calls worked, which were
-- made again, and the results of suggestions.
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
  repairs text not null default '{}',
  retried double precision not null default 0,
  suggested double precision not null default 0,
  suggested_right double precision not null default 0,
  tries double precision not null default 0,
  primary key (hour, tenant, server, tool, agent)
) {by_key};

-- The key is the whole loss, so that a batch written twice tells it once.
create table loss (
  at_us bigint not null,
  reason text not null,
  successes bigint not null,
  failures bigint not null,
  primary key (at_us, reason, successes, failures)
) {by_key};

-- What reviews found, without what they said. The id names a finding of an attempt, so that twice is once.
create table finding (
  id text collate "C" primary key,
  at_us bigint not null,
  tenant text not null,
  agent text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  rule text collate "C" not null,
  severity text collate "C" not null
) {by_key};

create index finding_by_time on finding (at_us);

-- What fails alike, and for which agent; when it last did, and an example.
create table pattern (
  number bigint generated always as identity primary key,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  agent text collate "C" not null,
  error_class text not null,
  template text not null,
  last_us bigint not null,
  example text collate "C" not null,
  unique (tenant, tool, fingerprint, agent)
);

-- How often, by the hour: so that what fails most is known without looking at the rows.
create table pattern_hour (
  hour bigint not null,
  pattern bigint not null references pattern (number),
  failures bigint not null,
  first_us bigint not null,
  primary key (hour, pattern)
) {by_key};

-- Outcomes of replies, drafts and runs of tasks, by the hour: `name` is of a rule or a mark.
create table text_hour (
  hour bigint not null,
  tenant text not null,
  agent text not null,
  kind text not null,
  what text not null,
  name text not null,
  n double precision not null,
  primary key (hour, tenant, agent, kind, what, name)
) {by_key};

-- The kinds of rows there are: whose, of what, and how they ended. `number` is a hash of the others.
create table row_kind (
  number bigint primary key,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  outcome text not null,
  error_class text not null,
  last_us bigint not null
);

-- A block is the rows whose ids begin alike, of some minutes: which have rows of a kind, and of when.
-- A search leaves out the others, however many there are.
create table row_block (
  kind bigint not null,
  block text collate "C" not null,
  from_us bigint not null,
  to_us bigint not null,
  primary key (kind, block)
) {by_key};

-- What `hourly` has, by the day: so that a month is as quick to add up as a day.
create table daily (
  day bigint not null,
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
  repairs text not null,
  retried double precision not null,
  suggested double precision not null,
  suggested_right double precision not null,
  tries double precision not null,
  primary key (day, tenant, server, tool, agent)
) {by_key};

create table pattern_day (
  day bigint not null,
  pattern bigint not null references pattern (number),
  failures bigint not null,
  first_us bigint not null,
  primary key (day, pattern)
) {by_key};

-- Blocks with rows whose own time is not that of their id, and how far off it is at most. Of all other
-- rows the id says when they were: a search by time begins there, however many a block has.
create table stray_block (
  block text collate "C" not null primary key,
  ahead_us bigint not null,
  behind_us bigint not null,
  last_us bigint not null
) {by_key};
