-- What `hourly` has, by the day: so that a month is as quick to add up as a day.
create table daily (
  day integer not null,
  tenant text not null,
  server text not null,
  tool text not null,
  agent text not null,
  calls real not null,
  failures real not null,
  repaired real not null,
  with_context real not null,
  duration_us real not null,
  latency text not null,
  repairs text not null,
  retried real not null,
  suggested real not null,
  suggested_right real not null,
  tries real not null,
  primary key (day, tenant, server, tool, agent)
) without rowid;

create table pattern_day (
  day integer not null,
  pattern integer not null references pattern (number),
  failures integer not null,
  first_us integer not null,
  primary key (day, pattern)
) without rowid;

call roll_up_old_days;
