-- name: append_notes
insert into notes (tenant, task, version, parent, at_us, model, runs, body)
select :tenant, :task, :version, cast(:parent as bigint), :at_us, :model, :runs, :body
where :version = (
  select coalesce(max(version), -1) + 1 from notes where tenant = :tenant and task = :task
)
on conflict do nothing

-- name: notes
select tenant, task, version, parent, at_us, model, runs, body from notes
where tenant = :tenant and task = :task order by version desc limit :most

-- name: count_on_ground
insert into ground (tenant, task, model, definition, runs)
values (:tenant, :task, :model, :definition, :more)
on conflict (tenant, task, model, definition) do update set runs = ground.runs + excluded.runs
returning number, runs

-- name: ground
select number from ground
where tenant = :tenant and task = :task and model = :model and definition = :definition

-- name: grounds
select task, tenant, model, definition from ground where {where} order by number

-- name: of_task
task = :task

-- name: count_run
insert into scorecard (ground, version, state, runs, scored, score, squares, since_scored,
  since_score, since_squares, metered, tokens, seconds)
values (:ground, :version, 'trial', 1, :scored, :score, :squares, 0, 0, 0,
  :metered, :tokens, :seconds)
on conflict (ground, version) do update set
  runs = scorecard.runs + 1,
  scored = scorecard.scored + excluded.scored,
  score = scorecard.score + excluded.score,
  squares = scorecard.squares + excluded.squares,
  since_scored = scorecard.since_scored
    + case when scorecard.state = 'champion' then excluded.scored else 0 end,
  since_score = scorecard.since_score
    + case when scorecard.state = 'champion' then excluded.score else 0 end,
  since_squares = scorecard.since_squares
    + case when scorecard.state = 'champion' then excluded.squares else 0 end,
  metered = scorecard.metered + excluded.metered,
  tokens = scorecard.tokens + excluded.tokens,
  seconds = scorecard.seconds + excluded.seconds

-- name: scorecards
select version, state, runs, scored, score, squares, since_scored, since_score, since_squares,
  metered, tokens, seconds
from scorecard where ground = :ground order by version

-- name: count_pair
insert into pairing (ground, version, against, n, ahead, squares, score)
values (:ground, :version, :against, 1, :ahead, :squares, :score)
on conflict (ground, version, against) do update set
  n = pairing.n + 1,
  ahead = pairing.ahead + excluded.ahead,
  squares = pairing.squares + excluded.squares,
  score = pairing.score + excluded.score

-- name: pairings
select version, against, n, ahead, squares, score
from pairing where ground = :ground order by version, against

-- name: lock_ground_of_run
update ground set runs = runs where tenant = :tenant
  and number in (select ground from task_run where id = :id)

-- name: rated_run
select ground.number, task_run.number, task_run.version, task_run.score
from task_run join ground on ground.number = task_run.ground
where task_run.id = :id and ground.tenant = :tenant

-- name: rate_run
update task_run set score = :score where number = :number

-- name: rate_scorecard
update scorecard set
  scored = scored + :scored,
  score = score + :more,
  squares = squares + :more_squares,
  since_scored = since_scored + case when state = 'champion' then :scored else 0 end,
  since_score = since_score + case when state = 'champion' then :scored * :score else 0 end,
  since_squares = since_squares
    + case when state = 'champion' then :scored * :score * :score else 0 end
where ground = :ground and version = :version

-- name: add_scorecard
insert into scorecard (ground, version, state, runs, scored, score, squares, since_scored,
  since_score, since_squares, metered, tokens, seconds)
values (:ground, :version, :state, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
on conflict do nothing

-- name: move_scorecard
update scorecard set
  state = :state,
  scored = case when state = 'champion' then since_scored else scored end,
  score = case when state = 'champion' then since_score else score end,
  squares = case when state = 'champion' then since_squares else squares end,
  since_scored = 0,
  since_score = 0,
  since_squares = 0
where ground = :ground and version = :version and state = :was

-- name: clear_the_top
update scorecard set
  state = 'trial',
  scored = case when state = 'champion' then since_scored else scored end,
  score = case when state = 'champion' then since_score else score end,
  squares = case when state = 'champion' then since_squares else squares end,
  since_scored = 0,
  since_score = 0,
  since_squares = 0
where ground = :ground and version <> :version and state in ('champion', 'pinned')

-- name: pinned
select version from scorecard where ground = :ground and state = 'pinned'

-- name: add_run
insert into task_run (ground, version, at_us, score, standing, problem, excerpt, tokens, seconds,
  id, beside, beside_score)
values (:ground, :version, :at_us, :score, :standing, :problem, :excerpt, :tokens, :seconds,
  :id, :beside, :beside_score)

-- name: forget_runs
delete from task_run where ground = :ground and number <= (
  select number from task_run where ground = :ground order by number desc limit 1 offset :most
)

-- name: task_runs
select version, at_us, score, standing, problem, excerpt, tokens, seconds, id, beside, beside_score
from task_run
where ground = :ground order by number desc limit :most

-- name: forget_old_runs
delete from task_run where at_us < :before

-- name: old_notes
select distinct tenant, task from notes where at_us < :before and version > 0

-- name: lock_grounds
update ground set runs = runs where tenant = :tenant and task = :task

-- name: lineage
select version, parent, at_us from notes where tenant = :tenant and task = :task

-- name: in_play
select distinct scorecard.version from scorecard join ground on ground.number = scorecard.ground
where ground.tenant = :tenant and ground.task = :task and scorecard.state <> 'retired'

-- name: forget_scorecards
delete from scorecard where version = :version and ground in (
  select number from ground where tenant = :tenant and task = :task
)

-- name: forget_notes
delete from notes where tenant = :tenant and task = :task and version = :version
returning seal, tenant, task, version, parent, at_us, model, runs, body

-- name: forget_pairs
delete from pairing where (version = :version or against = :version) and ground in (
  select number from ground where tenant = :tenant and task = :task
)

-- name: clear_runs
delete from task_run where ground in (
  select number from ground where tenant = :tenant and task = :task
)

-- name: clear_pairs
delete from pairing where ground in (
  select number from ground where tenant = :tenant and task = :task
)

-- name: clear_scorecards
delete from scorecard where ground in (
  select number from ground where tenant = :tenant and task = :task
)

-- name: clear_grounds
delete from ground where tenant = :tenant and task = :task
