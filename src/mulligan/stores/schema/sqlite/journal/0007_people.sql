-- A person counts once. What was learned under the labels of tenants and people, which made one of
-- many, cannot be told apart: it is not carried over.
delete from lesson_use where principal <> '' or lesson in (select id from lesson where tenant <> '');
delete from lesson_word where lesson in (select id from lesson where tenant <> '');
delete from lesson_version where lesson in (select id from lesson where tenant <> '');
delete from lesson where tenant <> '';
delete from episode where tenant <> ''
  or (body like '%"principal": "%' and body not like '%"principal": ""%');

create table person_case_count (
  day text not null,
  tenant text not null,
  principal text not null,
  tool text not null,
  error_class text not null,
  source text not null,
  kinds text not null,
  side text not null,
  taken integer not null,
  helped integer not null,
  repaired integer not null,
  episodes integer not null,
  primary key (
    day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired
  )
) without rowid;

insert into person_case_count
select day, tenant, '', tool, error_class, source, kinds, side, taken, helped, repaired, episodes
from case_count where tenant = '';
drop table case_count;
alter table person_case_count rename to case_count;

create table person_ending_count (
  tool text not null,
  fingerprint text not null,
  tenant text not null,
  principal text not null,
  decision text not null,
  episodes integer not null,
  primary key (tool, fingerprint, tenant, principal, decision)
) without rowid;

insert into person_ending_count
select tool, fingerprint, tenant, '', decision, episodes from ending_count where tenant = '';
drop table ending_count;
alter table person_ending_count rename to ending_count;
