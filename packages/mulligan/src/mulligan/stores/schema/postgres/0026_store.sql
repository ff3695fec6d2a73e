-- A process that writes. `commits` counts its transactions: it settles whether a lost one landed.
-- Then when the store last heard of it, by its own clock; how long it asked to be waited for; and
-- when it was given up, or ended. Who was given up writes no more under that name.
-- With a key, everything that an undo, a review or a lesson rests on has a `seal`. `account` is what
-- a writer has added to the signed tables and taken from them, and who was there before it.
create table writer (
  number bigint generated always as identity,
  id text collate "C" primary key,
  commits bigint not null,
  seq bigint not null,
  hash bytea not null,
  heard_us bigint not null default 0,
  lease_us bigint not null default 30000000,
  revoked_us bigint,
  account text not null default '',
  seal bytea
);

-- Append-only. Retention empties `body` and leaves the link; `emptied` proves that it was retention.
create table entry (
  writer text collate "C" not null,
  seq bigint not null,
  action text collate "C" not null,
  version bigint not null,
  state text not null,
  at_us bigint not null,
  body text,
  hash bytea not null,
  emptied bytea,
  primary key (writer, seq)
);

create index entry_by_action on entry (action, version);
create index entry_hollow on entry (writer, seq) where body is null;

-- Where a chain begins once retention has taken the entries before.
create table anchor (
  writer text collate "C" primary key,
  seq bigint not null,
  hash bytea not null,
  seal bytea
);

create table action (
  id text collate "C" primary key,
  tenant text not null,
  opening text not null,
  state text not null,
  settled smallint not null,
  version bigint not null,
  opened_us bigint not null,
  changed_us bigint not null,
  detail text not null
);

create index action_open on action (id) where settled = 0;
create index action_settled on action (changed_us) where settled = 1;

-- Damage a person has looked at and accepted.
create table damage (
  writer text collate "C" not null,
  seq bigint not null,
  what text not null,
  at_us bigint not null,
  note text not null,
  seal bytea,
  primary key (writer, seq, what)
);

-- The vault: raw values that expire.
create table kept (
  owner text collate "C" not null,
  name text collate "C" not null,
  value bytea not null,
  locked smallint not null,
  checksum bytea not null,
  expires_us bigint,
  seal bytea,
  primary key (owner, name)
);

create index kept_by_expiry on kept (expires_us) where expires_us is not null;

-- What tells the vault's key from any other, left by the first value that was locked.
-- Since when the store is signed, and how many rows were there already and taken as they were; which
-- of the stores under one key it is, and where it lies: nobody without the key can put another in its
-- place.
create table key_check (
  number smallint primary key check (number = 1),
  value bytea not null,
  signed_us bigint,
  trusted bigint not null default 0,
  seal bytea,
  identity bytea,
  places text
);

create table secret (
  number smallint primary key check (number = 1),
  value bytea not null
);

-- The columns of LogRow, in its order. The id is time-ordered: the primary key is the index by time.
create table execution_before (
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

-- The log itself: in partitions, of which that is the first, or the same table under this name.
call make_log;

create index execution_by_tool on execution (tool, id);
create index execution_not_successful on execution (id) where outcome <> 'success';
create index execution_by_turn on execution (turn) where turn is not null;
create index execution_again on execution (parent) where try_number > 1;
-- A thumb is held against those before it, as it is written.
create index execution_rated on execution (parent) where tool = 'text.rated';

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
);

-- The key is the whole loss, so that a batch written twice tells it once.
create table loss (
  at_us bigint not null,
  reason text not null,
  successes bigint not null,
  failures bigint not null,
  primary key (at_us, reason, successes, failures)
);

-- Who each writer is, and when it last said that it lives.
-- `knows` is the schema that its program knows: so that what earlier ones still need is left to them.
create table presence (
  writer text collate "C" primary key,
  machine text not null,
  pid bigint not null,
  started text not null,
  beat_us bigint not null,
  knows bigint
);

-- What applications have declared their tools to be.
create table tool (
  server text collate "C" not null,
  name text collate "C" not null,
  about text not null,
  seal bytea,
  primary key (server, name)
);

-- Versions of what was learned about a task's instructions. They never change.
create table notes (
  tenant text collate "C" not null,
  task text collate "C" not null,
  version bigint not null,
  parent bigint,
  at_us bigint not null,
  model text not null,
  runs bigint not null,
  body text not null,
  seal bytea,
  primary key (tenant, task, version)
);

-- Where evidence counts: one task, on one model, with one static text.
create table ground (
  number bigint generated always as identity primary key,
  tenant text collate "C" not null,
  task text collate "C" not null,
  model text collate "C" not null,
  definition text collate "C" not null,
  runs bigint not null,
  unique (tenant, task, model, definition)
);

create index ground_by_task on ground (task);

-- `squares` say how much scores spread.
create table scorecard (
  ground bigint not null references ground (number),
  version bigint not null,
  state text not null,
  runs bigint not null,
  scored bigint not null,
  score double precision not null,
  since_scored bigint not null,
  since_score double precision not null,
  metered bigint not null,
  tokens double precision not null,
  seconds double precision not null,
  squares double precision not null default 0,
  since_squares double precision not null default 0,
  primary key (ground, version)
);

-- The latest runs of each ground; older ones live on in its scorecards.
create table task_run (
  number bigint generated always as identity primary key,
  ground bigint not null references ground (number),
  version bigint not null,
  at_us bigint not null,
  score double precision,
  standing text not null,
  problem text not null,
  excerpt text not null,
  tokens bigint,
  seconds double precision not null,
  id text not null default '',
  beside bigint,
  beside_score double precision
);

create index task_run_by_ground on task_run (ground, number);
create index task_run_by_id on task_run (id);

-- Failures and how they ended. Only ever added; retention takes the oldest.
create table episode (
  id text collate "C" primary key,
  at_us bigint not null,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  ending text collate "C" not null,
  body text not null,
  seal bytea
);

create index episode_by_pattern on episode (tool, fingerprint, id);
create index episode_by_time on episode (at_us);
-- The newest of a kind are read without the others: failures of a tool or a tenant, calls that a
-- lesson touched.
create index episode_by_tool on episode (tool, id);
create index episode_by_tenant on episode (tenant, id);

-- Every lesson once, as its latest version has it: what it is found by.
create table lesson (
  id text collate "C" primary key,
  version bigint not null,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  state text collate "C" not null,
  agents text collate "C" not null,
  learned_us bigint not null,
  words bigint not null
);

create index lesson_by_pattern on lesson (tool, fingerprint, tenant);

-- Every version of every lesson. Only ever added.
create table lesson_version (
  lesson text collate "C" not null,
  version bigint not null,
  body text not null,
  seal bytea,
  primary key (lesson, version)
);

-- The words of each lesson's latest version.
create table lesson_word (
  lesson text collate "C" not null,
  word text collate "C" not null,
  primary key (lesson, word)
);

create index lesson_by_word on lesson_word (word);

-- The calls that a lesson touched. Only ever added.
create table lesson_use (
  lesson text collate "C" not null,
  call text collate "C" not null,
  at_us bigint not null,
  turn text collate "C",
  principal text collate "C" not null,
  benefit text collate "C" not null,
  body text not null,
  seal bytea,
  primary key (lesson, call)
);

create index lesson_use_by_time on lesson_use (lesson, at_us, call);

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
);

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
);

-- How many episodes there were of each kind, a person counted once. They outlive the episodes.
create table case_count (
  day text collate "C" not null,
  tenant text collate "C" not null,
  principal text collate "C" not null,
  tool text collate "C" not null,
  error_class text collate "C" not null,
  source text collate "C" not null,
  kinds text collate "C" not null,
  side text collate "C" not null,
  taken smallint not null,
  helped smallint not null,
  repaired smallint not null,
  episodes bigint not null,
  primary key (
    day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired
  )
);

-- What turned out to be right for the failures of one pattern, and how often.
create table ending_count (
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  tenant text collate "C" not null,
  principal text collate "C" not null,
  decision text collate "C" not null,
  episodes bigint not null,
  primary key (tool, fingerprint, tenant, principal, decision)
);

-- What pairs of runs on one input say.
create table pairing (
  ground bigint not null references ground (number),
  version bigint not null,
  against bigint not null,
  n bigint not null,
  ahead double precision not null,
  squares double precision not null,
  score double precision not null,
  primary key (ground, version, against)
);

-- What is to be done once for all processes: who is at it, and when it was done last, by the
-- database's own clock.
create table duty (
  name text primary key,
  writer text,
  done_us bigint not null default 0
);

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
);

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
);

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
);

create table pattern_day (
  day bigint not null,
  pattern bigint not null references pattern (number),
  failures bigint not null,
  first_us bigint not null,
  primary key (day, pattern)
);

-- Blocks with rows whose own time is not that of their id, and how far off it is at most. Of all other
-- rows the id says when they were: a search by time begins there, however many a block has.
create table stray_block (
  block text collate "C" not null primary key,
  ahead_us bigint not null,
  behind_us bigint not null,
  last_us bigint not null
);

-- For its plans a server keeps samples, which would outlive the rows they are of: of no text.
call skip_samples;

-- A part of the log for today, and for each of the next days.
call make_days;
