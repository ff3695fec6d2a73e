-- Versions of what was learned about a task's instructions. They never change.
create table notes (
  tenant text not null,
  task text not null,
  version integer not null,
  parent integer,
  at_us integer not null,
  model text not null,
  runs integer not null,
  body text not null,
  primary key (tenant, task, version)
) without rowid;

-- Where evidence counts: one task, on one model, with one static text.
create table ground (
  number integer primary key,
  tenant text not null,
  task text not null,
  model text not null,
  definition text not null,
  runs integer not null,
  unique (tenant, task, model, definition)
);

create index ground_by_task on ground (task);

create table scorecard (
  ground integer not null references ground (number),
  version integer not null,
  state text not null,
  runs integer not null,
  scored integer not null,
  score real not null,
  since_scored integer not null,
  since_score real not null,
  metered integer not null,
  tokens real not null,
  seconds real not null,
  primary key (ground, version)
) without rowid;

-- The latest runs of each ground; older ones live on in its scorecards.
create table task_run (
  number integer primary key,
  ground integer not null references ground (number),
  version integer not null,
  at_us integer not null,
  score real,
  standing text not null,
  problem text not null,
  excerpt text not null,
  tokens integer,
  seconds real not null
);

create index task_run_by_ground on task_run (ground, number);
