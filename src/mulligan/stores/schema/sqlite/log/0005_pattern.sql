-- How long it took until calls worked, which were made again, and what came of suggestions.
alter table hourly add column repairs text not null default '{}';
alter table hourly add column retried real not null default 0;
alter table hourly add column suggested real not null default 0;
alter table hourly add column suggested_right real not null default 0;

-- A later try is held against the other tries of its call as it is written, and never looked for again.
drop index execution_later;
create index execution_again on execution (parent) where try_number > 1;

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
