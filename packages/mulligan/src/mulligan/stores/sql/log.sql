-- name: add_rows
insert into execution {rows
  text bigint text text text text text text text bigint text text text text text text integer
  text text float8
}

-- name: add_rollups
insert into hourly {rows
  bigint text text text text float8 float8 float8 float8 float8 text text float8 float8 float8 float8
}
on conflict (hour, tenant, server, tool, agent) do update set
  calls = hourly.calls + excluded.calls,
  failures = hourly.failures + excluded.failures,
  repaired = hourly.repaired + excluded.repaired,
  with_context = hourly.with_context + excluded.with_context,
  duration_us = hourly.duration_us + excluded.duration_us,
  latency = {add_counts hourly.latency excluded.latency},
  repairs = {add_counts hourly.repairs excluded.repairs},
  retried = hourly.retried + excluded.retried,
  suggested = hourly.suggested + excluded.suggested,
  suggested_right = hourly.suggested_right + excluded.suggested_right,
  tries = hourly.tries + excluded.tries

-- name: add_days
insert into daily {rows
  bigint text text text text float8 float8 float8 float8 float8 text text float8 float8 float8 float8
}
on conflict (day, tenant, server, tool, agent) do update set
  calls = daily.calls + excluded.calls,
  failures = daily.failures + excluded.failures,
  repaired = daily.repaired + excluded.repaired,
  with_context = daily.with_context + excluded.with_context,
  duration_us = daily.duration_us + excluded.duration_us,
  latency = {add_counts daily.latency excluded.latency},
  repairs = {add_counts daily.repairs excluded.repairs},
  retried = daily.retried + excluded.retried,
  suggested = daily.suggested + excluded.suggested,
  suggested_right = daily.suggested_right + excluded.suggested_right,
  tries = daily.tries + excluded.tries

-- name: add_texts
insert into text_hour {rows bigint text text text text text float8}
on conflict (hour, tenant, agent, kind, what, name) do update set n = text_hour.n + excluded.n

-- name: count_failures
insert into pattern_hour (hour, pattern, failures, first_us) {rows bigint bigint bigint bigint}
on conflict (hour, pattern) do update set
  failures = pattern_hour.failures + excluded.failures,
  first_us = {least}(excluded.first_us, pattern_hour.first_us)

-- name: count_failure_days
insert into pattern_day (day, pattern, failures, first_us) {rows bigint bigint bigint bigint}
on conflict (day, pattern) do update set
  failures = pattern_day.failures + excluded.failures,
  first_us = {least}(excluded.first_us, pattern_day.first_us)

-- name: add_findings
insert into finding {rows text bigint text text text text text text}
on conflict do nothing

-- name: add_kinds
insert into row_kind {rows bigint text text text text text text bigint}
on conflict (number) do update set last_us = {greatest}(excluded.last_us, row_kind.last_us)

-- name: add_blocks
insert into row_block {rows bigint text bigint bigint}
on conflict (kind, block) do update set
  from_us = {least}(excluded.from_us, row_block.from_us),
  to_us = {greatest}(excluded.to_us, row_block.to_us)

-- name: add_strays
insert into stray_block (block, ahead_us, behind_us, last_us)
{rows text bigint bigint bigint}
on conflict (block) do update set
  ahead_us = {greatest}(excluded.ahead_us, stray_block.ahead_us),
  behind_us = {greatest}(excluded.behind_us, stray_block.behind_us),
  last_us = {greatest}(excluded.last_us, stray_block.last_us)

-- name: newest_block
select max((
  select block from row_block where kind = cast(each_kind.value as bigint)
  and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block desc limit 1
)) from ({each :kinds}) as each_kind

-- name: oldest_block
select min((
  select block from row_block where kind = cast(each_kind.value as bigint)
  and block >= :from_block and block < :below
  and to_us >= :since and from_us < :until order by block limit 1
)) from ({each :kinds}) as each_kind

-- name: ids_present
select id from execution where id in ({each :ids})

-- name: tries
select * from execution where id in ({each :firsts})
union all
select * from execution
where try_number > 1 and parent in ({each :firsts})

-- name: rated_texts
select * from execution where id in ({each :ids})
union all
select * from execution
where tool = 'text.rated' and parent in ({each :ids})

-- name: texts
select hour, tenant, agent, kind, what, name, n from text_hour
where hour between :since and :until and n <> 0

-- name: drop_texts_before
delete from text_hour where hour < :hour

-- name: add_loss
insert into loss (at_us, reason, successes, failures) values (:at_us, :reason, :successes, :failures)
on conflict do nothing

-- name: losses
select at_us, reason, successes, failures from loss order by at_us, reason

-- name: know_pattern
insert into pattern (tenant, tool, fingerprint, agent, error_class, template, last_us, example)
values (:tenant, :tool, :fingerprint, :agent, :error_class, :template, :last_us, :example)
on conflict (tenant, tool, fingerprint, agent) do update set
  last_us = {greatest}(excluded.last_us, pattern.last_us),
  error_class = case when excluded.example > pattern.example
    then excluded.error_class else pattern.error_class end,
  example = case when excluded.example > pattern.example
    then excluded.example else pattern.example end
returning number

-- name: patterns
select tool, fingerprint, string_agg(agent, :between), max(error_class), max(template),
  sum(failures), min(first_us), max(last_us), max(example)
from (
  select pattern, sum(failures) as failures, min(first_us) as first_us from (
    select pattern, failures, first_us from pattern_hour where hour between :since and :head
    union all
    select pattern, failures, first_us from pattern_day where day between :first_day and :last_day
    union all
    select pattern, failures, first_us from pattern_hour where hour between :tail and :until
  ) as each group by pattern
) as counted
join pattern on number = pattern
where (cast(:tenant as text) is null or tenant = :tenant)
  and (cast(:tool as text) is null or tool = :tool)
group by tool, fingerprint order by sum(failures) desc, tool, fingerprint limit :most

-- name: drop_pattern_hours_before
delete from pattern_hour where hour < :hour

-- name: drop_pattern_days_before
delete from pattern_day where day < :day

-- name: drop_patterns_before
delete from pattern where last_us < :before
  and number not in (select pattern from pattern_hour)
  and number not in (select pattern from pattern_day)

-- name: totals
select tenant, server, tool, agent, sum(calls), sum(failures), sum(repaired), sum(with_context),
  sum(duration_us), string_agg(latency, ','), string_agg(repairs, ','), sum(retried),
  sum(suggested), sum(suggested_right), sum(tries)
from (
  select * from hourly where hour between :since and :head
  union all select * from daily where day between :first_day and :last_day
  union all select * from hourly where hour between :tail and :until
) as counted group by tenant, server, tool, agent

-- name: days_of_hours
select hour / 24, tenant, server, tool, agent, sum(calls), sum(failures), sum(repaired), sum(with_context),
  sum(duration_us), string_agg(latency, ','), string_agg(repairs, ','), sum(retried),
  sum(suggested), sum(suggested_right), sum(tries)
from hourly where hour between :since and :until group by 1, tenant, server, tool, agent

-- name: count_pattern_days
insert into pattern_day (day, pattern, failures, first_us)
select hour / 24, pattern, sum(failures), min(first_us)
from pattern_hour where hour between :since and :until group by 1, pattern
on conflict (day, pattern) do update set
  failures = pattern_day.failures + excluded.failures,
  first_us = {least}(excluded.first_us, pattern_day.first_us)

-- name: hourly
select * from hourly where hour between :since and :until

-- name: rows_newest_first
select * from execution where {where} order by id desc limit :most

-- name: rows_oldest_first
select * from execution where {where} order by id limit :most

-- name: from_id
id >= :from_id

-- name: below_id
id < :below_id

-- name: after
id > :after

-- name: tenant
tenant = :tenant

-- name: agent
agent = :agent

-- name: server
server = :server

-- name: tool
tool = :tool

-- name: outcome
outcome = :outcome

-- name: not_successful
outcome <> 'success'

-- name: error_class
error_class = :error_class

-- name: turn
turn = :turn

-- name: turns
turn in ({each :turns})

-- name: parents
parent in ({each :parents})

-- name: thumbs
id in (
  select rated.id from execution as rated
  where rated.tool = 'text.rated' and rated.parent in ({each :parents})
)

-- name: since
at_us >= :since

-- name: until
at_us < :until

-- name: row_kinds
select number from row_kind where {where}

-- name: newest_first_edge
select id from execution where {where} order by id desc limit 1 offset :skip

-- name: oldest_first_edge
select id from execution where {where} order by id limit 1 offset :skip

-- name: drop_blocks_before
delete from row_block where to_us < :before

-- name: strays_ahead
select '', max(ahead_us) from stray_block where block between :first and :last
union all
select block, ahead_us from stray_block where block > :last and ahead_us > :near_us

-- name: strays_behind
select
  (select max(behind_us) from stray_block where block between :first and :last),
  (select min(block) from stray_block where block < :first and last_us >= :since)

-- name: drop_strays_before
delete from stray_block where last_us < :before

-- name: drop_kinds_before
delete from row_kind where last_us < :before

-- name: count_rows
select count(*) from execution

-- name: ids_before
select id from execution
where at_us < :before and not (id >= :spared_from and id < :spared_to)
order by id limit :most

-- name: delete_between
delete from execution
where id between :first_id and :last_id and at_us < :before
  and not (id >= :spared_from and id < :spared_to)

-- name: drop_hourly_before
delete from hourly where hour < :hour

-- name: drop_days_before
delete from daily where day < :day

-- name: drop_losses_before
delete from loss where at_us < :before

-- name: drop_findings_before
delete from finding where at_us < :before

-- name: findings
select rule, severity, server, tool, agent, count(*) from finding
where at_us between :since and :until
and (cast(:tenant as text) is null or tenant = :tenant) group by rule, severity, server, tool, agent
order by count(*) desc, rule, severity, server, tool, agent
