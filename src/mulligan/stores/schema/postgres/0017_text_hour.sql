-- What became of replies, drafts and runs of tasks, by the hour: `name` is of a rule or a mark.
create table text_hour (
  hour bigint not null,
  tenant text not null,
  agent text not null,
  kind text not null,
  what text not null,
  name text not null,
  n double precision not null,
  primary key (hour, tenant, agent, kind, what, name)
);

-- A thumb is held against those before it, as it is written.
create index execution_rated on execution (parent) where tool = 'text.rated';

-- The rows that are there already, compressed ones too, are counted as new ones will be.
call roll_up_old_texts;
