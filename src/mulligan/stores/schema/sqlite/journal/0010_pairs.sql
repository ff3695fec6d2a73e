-- How much scores spread, what pairs of runs on one input say, and which run a thumb is for.
-- A score so far was taken for a yes or a no: it cannot have spread more than that.
alter table scorecard add column squares real not null default 0;
alter table scorecard add column since_squares real not null default 0;
update scorecard set squares = score, since_squares = since_score;

create table pairing (
  ground integer not null references ground (number),
  version integer not null,
  against integer not null,
  n integer not null,
  ahead real not null,
  squares real not null,
  score real not null,
  primary key (ground, version, against)
) without rowid;

alter table task_run add column id text not null default '';
alter table task_run add column beside integer;
alter table task_run add column beside_score real;

create index task_run_by_id on task_run (id);
