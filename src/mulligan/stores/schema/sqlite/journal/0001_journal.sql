-- "Mull": so that a file of another program is never taken for ours.
pragma application_id = 1299541100;

-- A process that writes. `commits` counts its transactions, so that any one of them missing shows.
create table writer (
  number integer primary key,
  id text not null unique,
  commits integer not null,
  seq integer not null,
  hash blob not null
);

-- Append-only. Retention empties `body` and leaves the link.
create table entry (
  writer text not null,
  seq integer not null,
  action text not null,
  version integer not null,
  state text not null,
  at_us integer not null,
  body text,
  hash blob not null,
  primary key (writer, seq)
);

create index entry_by_action on entry (action, version);
create index entry_hollow on entry (writer, seq) where body is null;

-- Where a chain begins once retention has taken the entries before.
create table anchor (
  writer text primary key,
  seq integer not null,
  hash blob not null
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
  primary key (owner, name)
);

create index kept_by_expiry on kept (expires_us) where expires_us is not null;

-- What tells the vault's key from any other, left by the first value that was locked.
create table key_check (
  number integer primary key check (number = 1),
  value blob not null
);
