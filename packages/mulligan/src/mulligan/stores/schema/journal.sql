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
) {by_key};

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
) {by_key};

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
) {by_key};

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
) {by_key};

-- What turned out to be right for the failures of one pattern, and how often.
create table ending_count (
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  tenant text collate "C" not null,
  principal text collate "C" not null,
  decision text collate "C" not null,
  episodes bigint not null,
  primary key (tool, fingerprint, tenant, principal, decision)
) {by_key};

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
) {by_key};

-- What is to be done once for all processes: who is at it, and when it was done last, by the
-- database's own clock.
create table duty (
  name text primary key,
  writer text,
  done_us bigint not null default 0
);
