-- A process that writes. `commits` counts its transactions: it settles whether a lost one landed.
create table writer (
  number bigint generated always as identity,
  id text collate "C" primary key,
  commits bigint not null,
  seq bigint not null,
  hash bytea not null
);

-- Append-only. Retention empties `body` and leaves the link.
create table entry (
  writer text collate "C" not null,
  seq bigint not null,
  action text collate "C" not null,
  version bigint not null,
  state text not null,
  at_us bigint not null,
  body text,
  hash bytea not null,
  primary key (writer, seq)
);

create index entry_by_action on entry (action, version);
create index entry_hollow on entry (writer, seq) where body is null;

-- Where a chain begins once retention has taken the entries before.
create table anchor (
  writer text collate "C" primary key,
  seq bigint not null,
  hash bytea not null
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
  primary key (owner, name)
);

create index kept_by_expiry on kept (expires_us) where expires_us is not null;

-- What tells the vault's key from any other, left by the first value that was locked.
create table key_check (
  number smallint primary key check (number = 1),
  value bytea not null
);

create table secret (
  number smallint primary key check (number = 1),
  value bytea not null
);
