-- A person counts once. What was learned under the labels of tenants and people, which made one of
-- many, cannot be told apart: it is not carried over.
delete from lesson_use where principal <> '' or lesson in (select id from lesson where tenant <> '');
delete from lesson_word where lesson in (select id from lesson where tenant <> '');
delete from lesson_version where lesson in (select id from lesson where tenant <> '');
delete from lesson where tenant <> '';
delete from episode where tenant <> ''
  or (body like '%"principal": "%' and body not like '%"principal": ""%');

create table person_case_count (
  day text collate "C" not null,
  tenant text collate "C" not null,
  principal text collate "C" not null,
  tool text collate "C" not null,
  error_class text collate "C" not null,
  source text collate "C" not null,
  kinds text collate "C" not null,
  side text collate "C" not null,
  taken smallint not null,
  helped smallint not null,
  repaired smallint not null,
  episodes bigint not null,
  primary key (
    day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired
  )
);

insert into person_case_count
select day, tenant, '', tool, error_class, source, kinds, side, taken, helped, repaired, episodes
from case_count where tenant = '';
drop table case_count;
alter table person_case_count rename to case_count;

create table person_ending_count (
  tool text collate "C" not null,
  fingerprint text collate "C" not null,
  tenant text collate "C" not null,
  principal text collate "C" not null,
  decision text collate "C" not null,
  episodes bigint not null,
  primary key (tool, fingerprint, tenant, principal, decision)
);

insert into person_ending_count
select tool, fingerprint, tenant, '', decision, episodes from ending_count where tenant = '';
drop table ending_count;
alter table person_ending_count rename to ending_count;
