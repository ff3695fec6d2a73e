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

call roll_up_old_days;
