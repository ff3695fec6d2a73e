-- What is to be done once for all processes: who is at it, and when it was done last, by the
-- database's own clock.
create table duty (
  name text primary key,
  writer text,
  done_us integer not null default 0
);
