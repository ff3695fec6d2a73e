-- "Mull": so that a file of another program is never taken for ours.
pragma application_id = 1299541100;

-- A process that writes. `commits` counts its transactions, so that any one of them missing shows.
-- Then when the store last heard of it, by its own clock; how long it asked to be waited for; and
-- when it was given up, or ended. Who was given up writes no more under that name.
-- With a key, everything that an undo, a review or a lesson rests on has a `seal`. `account` is what
-- a writer has added to the signed tables and taken from them, and who was there before it.
create table writer (
  number integer primary key,
  id text not null unique,
  commits integer not null,
  seq integer not null,
  hash blob not null,
  heard_us integer not null default 0,
  lease_us integer not null default 30000000,
  revoked_us integer,
  account text not null default '',
  seal blob
);

-- Append-only. Retention empties `body` and leaves the link; `emptied` proves that it was retention.
create table entry (
  writer text not null,
  seq integer not null,
  action text not null,
  version integer not null,
  state text not null,
  at_us integer not null,
  body text,
  hash blob not null,
  emptied blob,
  primary key (writer, seq)
);

create index entry_by_action on entry (action, version);
create index entry_hollow on entry (writer, seq) where body is null;

-- Where a chain begins once retention has taken the entries before.
create table anchor (
  writer text primary key,
  seq integer not null,
  hash blob not null,
  seal blob
);

create table action (
  id text primary key,
  tenant text not null,
  opening text not null,
  state text not null,
  settled integer not null,
  version integer not null,
  opened_us integer not null,
  changed_us integer not null,
  detail text not null
);

create index action_open on action (id) where settled = 0;
create index action_settled on action (changed_us) where settled = 1;

-- Damage a person has looked at and accepted.
create table damage (
  writer text not null,
  seq integer not null,
  what text not null,
  at_us integer not null,
  note text not null,
  seal blob,
  primary key (writer, seq, what)
);

-- The vault: raw values that expire.
create table kept (
  owner text not null,
  name text not null,
  value blob not null,
  locked integer not null,
  checksum blob not null,
  expires_us integer,
  seal blob,
  primary key (owner, name)
);

create index kept_by_expiry on kept (expires_us) where expires_us is not null;

-- What tells the vault's key from any other, left by the first value that was locked.
-- Since when the store is signed, and how many rows were there already and taken as they were; which
-- of the stores under one key it is, and where it lies: nobody without the key can put another in its
-- place.
create table key_check (
  number integer primary key check (number = 1),
  value blob not null,
  signed_us integer,
  trusted integer not null default 0,
  seal blob,
  identity blob,
  places text
);

-- Who each writer is, and when it last said that it lives.
create table presence (
  writer text primary key,
  machine text not null,
  pid integer not null,
  started text not null,
  beat_us integer not null
) strict, without rowid;

-- What applications have declared their tools to be.
create table tool (
  server text not null,
  name text not null,
  about text not null,
  seal blob,
  primary key (server, name)
) strict, without rowid;

-- Versions of what was learned about a task's instructions. They never change.
create table notes (
  tenant text not null,
  task text not null,
  version integer not null,
  parent integer,
  at_us integer not null,
  model text not null,
  runs integer not null,
  body text not null,
  seal blob,
  primary key (tenant, task, version)
) without rowid;

-- Where evidence counts: one task, on one model, with one static text.
create table ground (
  number integer primary key,
  tenant text not null,
  task text not null,
  model text not null,
  definition text not null,
  runs integer not null,
  unique (tenant, task, model, definition)
);

create index ground_by_task on ground (task);

-- `squares` say how much scores spread.
create table scorecard (
  ground integer not null references ground (number),
  version integer not null,
  state text not null,
  runs integer not null,
  scored integer not null,
  score real not null,
  since_scored integer not null,
  since_score real not null,
  metered integer not null,
  tokens real not null,
  seconds real not null,
  squares real not null default 0,
  since_squares real not null default 0,
  primary key (ground, version)
) without rowid;

-- The latest runs of each ground; older ones live on in its scorecards.
create table task_run (
  number integer primary key,
  ground integer not null references ground (number),
  version integer not null,
  at_us integer not null,
  score real,
  standing text not null,
  problem text not null,
  excerpt text not null,
  tokens integer,
  seconds real not null,
  id text not null default '',
  beside integer,
  beside_score real
);

create index task_run_by_ground on task_run (ground, number);
create index task_run_by_id on task_run (id);

-- Failures and how they ended. Only ever added; retention takes the oldest.
create table episode (
  id text primary key,
  at_us integer not null,
  tenant text not null,
  tool text not null,
  fingerprint text not null,
  ending text not null,
  body text not null,
  seal blob
);

create index episode_by_pattern on episode (tool, fingerprint, id);
create index episode_by_time on episode (at_us);
-- The newest of a kind are read without the others: failures of a tool or a tenant, calls that a
-- lesson touched.
create index episode_by_tool on episode (tool, id);
create index episode_by_tenant on episode (tenant, id);

-- Every lesson once, as its latest version has it: what it is found by.
create table lesson (
  id text primary key,
  version integer not null,
  tenant text not null,
  tool text not null,
  fingerprint text not null,
  state text not null,
  agents text not null,
  learned_us integer not null,
  words integer not null
);

create index lesson_by_pattern on lesson (tool, fingerprint, tenant);

-- Every version of every lesson. Only ever added.
create table lesson_version (
  lesson text not null,
  version integer not null,
  body text not null,
  seal blob,
  primary key (lesson, version)
);

-- The words of each lesson's latest version.
create table lesson_word (
  lesson text not null,
  word text not null,
  primary key (lesson, word)
) without rowid;

create index lesson_by_word on lesson_word (word);

-- The calls that a lesson touched. Only ever added.
create table lesson_use (
  lesson text not null,
  call text not null,
  at_us integer not null,
  turn text,
  principal text not null,
  benefit text not null,
  body text not null,
  seal blob,
  primary key (lesson, call)
);

create index lesson_use_by_time on lesson_use (lesson, at_us, call);

-- How many episodes there were of each kind, a person counted once. They outlive the episodes.
create table case_count (
  day text not null,
  tenant text not null,
  principal text not null,
  tool text not null,
  error_class text not null,
  source text not null,
  kinds text not null,
  side text not null,
  taken integer not null,
  helped integer not null,
  repaired integer not null,
  episodes integer not null,
  primary key (
    day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired
  )
) without rowid;

-- What turned out to be right for the failures of one pattern, and how often.
create table ending_count (
  tool text not null,
  fingerprint text not null,
  tenant text not null,
  principal text not null,
  decision text not null,
  episodes integer not null,
  primary key (tool, fingerprint, tenant, principal, decision)
) without rowid;

-- What pairs of runs on one input say.
create table pairing (
  ground integer not null references ground (number),
  version integer not null,
  against integer not null,
  n integer not null,
  ahead real not null,
  squares real not null,
  score real not null,
  primary key (ground, version, against)
) without rowid;

-- What is to be done once for all processes: who is at it, and when it was done last, by the
-- database's own clock.
create table duty (
  name text primary key,
  writer text,
  done_us integer not null default 0
);
