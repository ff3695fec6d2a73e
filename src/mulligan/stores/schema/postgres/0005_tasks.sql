-- Versions of what was learned about a task's instructions. They never change.
create table notes (
  tenant text collate "C" not null,
  task text collate "C" not null,
  version bigint not null,
  parent bigint,
  at_us bigint not null,
  model text not null,
  runs bigint not null,
  body text not null,
  primary key (tenant, task, version)
);

-- Where evidence counts: one task, on one model, with one static text.
create table ground (
  number bigint generated always as identity primary key,
  tenant text collate "C" not null,
  task text collate "C" not null,
  model text collate "C" not null,
  definition text collate "C" not null,
  runs bigint not null,
  unique (tenant, task, model, definition)
);

create index ground_by_task on ground (task);

create table scorecard (
  ground bigint not null references ground (number),
  version bigint not null,
  state text not null,
  runs bigint not null,
  scored bigint not null,
  score double precision not null,
  since_scored bigint not null,
  since_score double precision not null,
  metered bigint not null,
  tokens double precision not null,
  seconds double precision not null,
  primary key (ground, version)
);

-- The latest runs of each ground; older ones live on in its scorecards.
create table task_run (
  number bigint generated always as identity primary key,
  ground bigint not null references ground (number),
  version bigint not null,
  at_us bigint not null,
  score double precision,
  standing text not null,
  problem text not null,
  excerpt text not null,
  tokens bigint,
  seconds double precision not null
);

create index task_run_by_ground on task_run (ground, number);
