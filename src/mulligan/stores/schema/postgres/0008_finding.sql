-- What reviews found, without what they said. The id names a finding of an attempt, so that twice is once.
create table finding (
  id text collate "C" primary key,
  at_us bigint not null,
  tenant text not null,
  agent text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  rule text collate "C" not null,
  severity text collate "C" not null
);

create index finding_by_time on finding (at_us);
