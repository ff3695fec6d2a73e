-- name: add_episode
insert into episode (id, at_us, tenant, tool, fingerprint, ending, body, seal)
values (:id, :at_us, :tenant, :tool, :fingerprint, :ending, :body, :seal)
on conflict do nothing

-- name: episodes
select id, body from episode where {where} order by id limit :most offset :skip

-- name: newest_episodes
select id, body from episode where {where} order by id desc limit :most offset :skip

-- name: fingerprint
fingerprint = :fingerprint

-- name: ending
ending = :ending

-- name: count_cases
insert into case_count (day, tenant, principal, tool, error_class, source, kinds, side, taken,
  helped, repaired, episodes)
values (:day, :tenant, :principal, :tool, :error_class, :source, :kinds, :side, :taken, :helped,
  :repaired, :episodes)
on conflict (
  day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired
)
do update set episodes = case_count.episodes + excluded.episodes

-- name: case_counts
select day, tenant, principal, tool, error_class, source, kinds, side, taken, helped, repaired,
  episodes
from case_count where day >= :since

-- name: count_endings
insert into ending_count (tool, fingerprint, tenant, principal, decision, episodes)
values (:tool, :fingerprint, :tenant, :principal, :decision, :episodes)
on conflict (tool, fingerprint, tenant, principal, decision)
do update set episodes = ending_count.episodes + excluded.episodes

-- name: ending_counts
select decision, sum(case when principal = '' then episodes else 1 end) from ending_count
where tool = :tool and fingerprint = :fingerprint and tenant = :tenant group by decision

-- name: forget_episodes
delete from episode where id in (
  select id from episode where at_us < :before order by at_us limit :most
) returning seal, id, at_us, tenant, tool, fingerprint, ending, body

-- name: start_lesson
insert into lesson (id, version, tenant, tool, fingerprint, state, agents, learned_us, words)
values (:id, :version, :tenant, :tool, :fingerprint, :state, :agents, :learned_us, :words)
on conflict do nothing

-- name: move_lesson
update lesson set version = :version, tenant = :tenant, tool = :tool, fingerprint = :fingerprint,
  state = :state, agents = :agents, learned_us = :learned_us, words = :words
where id = :id and version = :version - 1

-- name: add_version
insert into lesson_version (lesson, version, body, seal) values (:lesson, :version, :body, :seal)

-- name: forget_words
delete from lesson_word where lesson = :lesson

-- name: add_words
insert into lesson_word (lesson, word)
select :lesson, value from ({each :words}) as each_word

-- name: lessons
select id, body from lesson
join lesson_version on lesson_version.lesson = id and lesson_version.version = lesson.version
where {where} order by tool, id limit :most offset :skip

-- name: lessons_sharing_words
with asked as (select value as word from ({each :words}) as each_word),
rare as materialized (
  select word from asked where (select count(*) from (
    select 1 from lesson_word as held where held.word = asked.word limit :near
  ) as holders) < :near
),
-- All lessons that fit, if they are few; of many only so many, and those that share a rare word.
compared as (
  select * from (
    select id, version, tool, words from lesson where {where} order by id limit :near
  ) as first_ones
  union
  {having_rare_word}
),
counted as (
  select id, version, tool, words, (
    select count(*) from lesson_word where lesson = id and word in (select word from asked)
  ) as shared
  from compared
),
close as (
  select * from counted where shared > 0
  order by shared desc, words, tool, id limit :most offset :skip
)
select id, body from close
join lesson_version on lesson_version.lesson = id and lesson_version.version = close.version
order by shared desc, words, tool, id

-- name: state
state = :state

-- name: of_agent
:of_agent in ({each agents})

-- name: among
id in ({each :among})

-- name: learned_since
learned_us >= :learned_since

-- name: lesson_history
select lesson, body from lesson_version where lesson = :lesson order by version

-- name: add_use
insert into lesson_use (lesson, call, at_us, turn, principal, benefit, body, seal)
values (:lesson, :call, :at_us, :turn, :principal, :benefit, :body, :seal)
on conflict do nothing

-- name: newest_uses
select lesson, body from lesson_use where lesson = :lesson
order by at_us desc, call desc limit :most

-- name: balances
select lesson,
  count(distinct case when benefit = 'helped' then nullif(principal, '') end)
    + sum(case when benefit = 'helped' and principal = '' then 1 else 0 end),
  count(distinct case when benefit = 'harmed' then nullif(principal, '') end)
    + sum(case when benefit = 'harmed' and principal = '' then 1 else 0 end),
  count(distinct case when benefit = 'helped' then turn end),
  count(distinct case when benefit = 'helped' then nullif(principal, '') end),
  count(*)
from lesson_use where lesson in ({each :lessons})
  and (:everyone = 1 or principal = :principal)
group by lesson

-- name: all_words
select lesson, word from lesson_word

-- name: listed_lessons
select id, lesson.version, tenant, tool, fingerprint, state, agents, learned_us, words,
  (select max(version) from lesson_version as each_version where each_version.lesson = id), body
from lesson
left join lesson_version on lesson_version.lesson = id and lesson_version.version = lesson.version

-- name: unlisted_lessons
select distinct lesson from lesson_version where lesson not in (select id from lesson)
