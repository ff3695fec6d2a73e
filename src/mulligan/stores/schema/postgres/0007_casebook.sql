-- Failures and how they ended. Only ever added; retention takes the oldest.
create table episode (
  id text collate "C" primary key,
  at_us bigint not null,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  ending text collate "C" not null,
  body text not null
);

create index episode_by_pattern on episode (tool, fingerprint, id);
create index episode_by_time on episode (at_us);

-- How many episodes there were of each kind. They outlive the episodes.
create table case_count (
  day text collate "C" not null,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  error_class text collate "C" not null,
  source text collate "C" not null,
  kinds text collate "C" not null,
  side text collate "C" not null,
  taken smallint not null,
  helped smallint not null,
  repaired smallint not null,
  episodes bigint not null,
  primary key (day, tenant, tool, error_class, source, kinds, side, taken, helped, repaired)
);

-- What turned out to be right for the failures of one pattern, and how often.
create table ending_count (
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  tenant text collate "C" not null,
  decision text collate "C" not null,
  episodes bigint not null,
  primary key (tool, fingerprint, tenant, decision)
);

-- Every lesson once, as its latest version has it: what it is found by.
create table lesson (
  id text collate "C" primary key,
  version bigint not null,
  tenant text collate "C" not null,
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  state text collate "C" not null,
  agents text collate "C" not null,
  learned_us bigint not null,
  words bigint not null
);

create index lesson_by_pattern on lesson (tool, fingerprint, tenant);

-- Every version of every lesson. Only ever added.
create table lesson_version (
  lesson text collate "C" not null,
  version bigint not null,
  body text not null,
  primary key (lesson, version)
);

-- The words of each lesson's latest version.
create table lesson_word (
  lesson text collate "C" not null,
  word text collate "C" not null,
  primary key (lesson, word)
);

create index lesson_by_word on lesson_word (word);

-- The calls that a lesson touched. Only ever added.
create table lesson_use (
  lesson text collate "C" not null,
  call text collate "C" not null,
  at_us bigint not null,
  turn text collate "C",
  principal text collate "C" not null,
  benefit text collate "C" not null,
  body text not null,
  primary key (lesson, call)
);
