-- How long it took until calls worked, which were made again, and what came of suggestions.
alter table hourly add column repairs text not null default '{}';
alter table hourly add column retried double precision not null default 0;
alter table hourly add column suggested double precision not null default 0;
alter table hourly add column suggested_right double precision not null default 0;

-- A later try is held against the other tries of its call as it is written, and never looked for again.
drop index execution_later;
create index execution_again on execution (parent) where try_number > 1;

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
