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

-- tables: journal
