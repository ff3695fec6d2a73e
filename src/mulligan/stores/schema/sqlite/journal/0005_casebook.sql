-- Failures and how they ended. Only ever added; retention takes the oldest.
create table episode (
  id text primary key,
  at_us integer not null,
  tenant text not null,
  tool text not null,
  fingerprint text not null,
  ending text not null,
  body text not null
);

create index episode_by_pattern on episode (tool, fingerprint, id);
create index episode_by_time on episode (at_us);

-- How many episodes there were of each kind. They outlive the episodes.
create table case_count (
  day text not null,
  tenant text not null,
  tool text not null,
  error_class text not null,
  source text not null,
  kinds text not null,
  side text not null,
  taken integer not null,
  helped integer not null,
  repaired integer not null,
  episodes integer not null,
  primary key (day, tenant, tool, error_class, source, kinds, side, taken, helped, repaired)
) without rowid;

-- What turned out to be right for the failures of one pattern, and how often.
create table ending_count (
  tool text not null,
  fingerprint text not null,
  tenant text not null,
  decision text not null,
  episodes integer not null,
  primary key (tool, fingerprint, tenant, decision)
) without rowid;

-- Every lesson once, as its latest version has it: what it is found by.
create table lesson (
  id text primary key,
  version integer not null,
  tenant text not null,
  tool text not null,
  fingerprint text not null,
  state text not null,
  agents text not null,
  learned_us integer not null,
  words integer not null
);

create index lesson_by_pattern on lesson (tool, fingerprint, tenant);

-- Every version of every lesson. Only ever added.
create table lesson_version (
  lesson text not null,
  version integer not null,
  body text not null,
  primary key (lesson, version)
);

-- The words of each lesson's latest version.
create table lesson_word (
  lesson text not null,
  word text not null,
  primary key (lesson, word)
) without rowid;

create index lesson_by_word on lesson_word (word);

-- The calls that a lesson touched. Only ever added.
create table lesson_use (
  lesson text not null,
  call text not null,
  at_us integer not null,
  turn text,
  principal text not null,
  benefit text not null,
  body text not null,
  primary key (lesson, call)
);
