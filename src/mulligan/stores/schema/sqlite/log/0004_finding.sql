-- What reviews found, without what they said. The id names a finding of an attempt, so that twice is once.
create table finding (
  id text primary key,
  at_us integer not null,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  rule text not null,
  severity text not null
) without rowid;

create index finding_by_time on finding (at_us);
