-- How much scores spread, what pairs of runs on one input say, and which run a thumb is for.
-- A score so far was taken for a yes or a no: it cannot have spread more than that.
alter table scorecard add column squares double precision not null default 0;
alter table scorecard add column since_squares double precision not null default 0;
update scorecard set squares = score, since_squares = since_score;

create table pairing (
  ground bigint not null references ground (number),
  version bigint not null,
  against bigint not null,
  n bigint not null,
  ahead double precision not null,
  squares double precision not null,
  score double precision not null,
  primary key (ground, version, against)
);

alter table task_run add column id text not null default '';
alter table task_run add column beside bigint;
alter table task_run add column beside_score double precision;

create index task_run_by_id on task_run (id);
