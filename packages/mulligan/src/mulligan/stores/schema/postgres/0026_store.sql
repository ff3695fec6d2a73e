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

-- A thumb is held against those before it, as it is written.
create index execution_rated on execution (parent) where tool = 'text.rated';

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

-- tables: journal

-- tables: log

-- For its plans a server keeps samples, which would outlive the rows they are of: of no text.
call skip_samples;

-- A part of the log for today, and for each of the next days.
call make_days;
