"""Instructions that get better over runs, by evidence, and can never get worse for long.

A run gets one version of the notes, is scored, and counts for that version. Now and then a
strategy proposes another. What fails in here is reported and goes no further: the run's own
output, or its own error, reaches the caller as it is.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.learning.task_selection import (
    BLIND_SHARE,
    NOBODY,
    ReflectorRecord,
    Standings,
    build_standings,
    choose,
    is_unsure,
    plan_interval,
    settle,
)
from mulligan.learning.task_versions import cut_middle, read_record, render_brief, score_by
from mulligan.loops.checking import run_checks
from mulligan.loops.learning import Learning
from mulligan.loops.reflection import (
    ReflectedRun,
    apply,
    begin,
    enrol,
    name_reflector,
    reflect,
    take_over,
)
from mulligan.process.event_loop import call_function
from mulligan.redaction.redactor import hide_in_findings
from mulligan.types.events import TaskRan
from mulligan.types.finding import Standing, Verdict, reach_verdict
from mulligan.types.limits import Meter
from mulligan.types.notes import Ground, Notes, PairedScore, TaskRun
from mulligan.types.task import Ran, Reflect, Task
from mulligan.types.values import hide_fields

KEPT_TOKENS = 1_000
"""Of an output, that its archive keeps of each run."""
NEW_TROUBLE_AFTER = 5
"""Runs since the last proposal before a new kind of failure asks for another."""
_RECENT = 40

_report = logging.getLogger("mulligan")

Work = Callable[[str], Awaitable[object]]
"""One run of a task: gets the whole prompt, returns its output or a `Ran`."""


@hide_fields("prompt")
class TaskDone(Struct, frozen=True, kw_only=True):
    """What came of one run of a task."""

    output: object
    verdict: Verdict
    version: int
    """Of the notes it ran with; 0 is the static text alone."""
    prompt: str
    score: float | None
    """`None`: nobody could tell how good it was."""
    id: str = ""
    """Of the run: `m.rate(done.id, up=…)`."""
    limit: str = ""
    """What of its budget the run used up: `time`, `tokens` or `money`; empty: nothing."""


class _Plan(Struct, frozen=True, kw_only=True):
    """What was found in the archive before a run, and what was chosen."""

    ground: Ground
    chosen: int = 0
    versions: dict[int, Notes] = field(default_factory=dict)
    standings: Standings = field(default_factory=Standings)
    record: ReflectorRecord = NOBODY
    meter: Meter
    beside: bool = False
    """Whether it is the static text's run beside another."""

    @property
    def notes(self) -> Notes | None:
        return self.versions.get(self.chosen)


async def run_task(task: Task, work: Work, *, using: Learning) -> TaskDone:
    """Run a task once; `work` is any `async (prompt) -> output`.

    Without `task.reflect` nothing is read from the archive, kept there or proposed.
    """
    settings = task.settings
    plan = _Plan(ground=_build_ground(task, using), meter=Meter(task.budget))
    if settings is not None:
        plan = await _choose(task, plan, settings=settings, using=using)
    done, run = await _work_once(task, work, plan=plan, using=using)
    if settings is None:
        return done
    beside = await _work_beside(task, work, first=done, plan=plan, using=using)
    if beside is not None:
        other, other_run = beside
        await _learn(task, other_run, done=other, plan=plan, using=using, reflects=False)
        if run.score is not None and other.score is not None:
            run = replace(run, beside=PairedScore(version=other.version, score=other.score))
    await _learn(task, run, done=done, plan=plan, using=using)
    if beside is not None and (beside[0].score or 0.0) > (done.score or 0.0):
        return beside[0]
    return done


async def _work_once(
    task: Task, work: Work, *, plan: _Plan, using: Learning
) -> tuple[TaskDone, TaskRun]:
    """One run with the plan's version. What it raises is counted, and raised."""
    settings = task.settings
    prompt = render_brief(task, plan.notes, bounds=settings or Reflect())
    started = using.monotonic()
    try:
        returned = await _make_run(work, prompt, task=task, meter=plan.meter)
    except Exception as error:
        failed = _build_failed_run(error, plan=plan, using=using, started=started)
        _tell(failed, plan=plan, using=using, error=type(error).__name__)
        if settings is not None:
            await _learn(task, failed, done=None, plan=plan, using=using)
        raise
    ran = returned if isinstance(returned, Ran) else Ran(output=returned)
    plan.meter.spend(tokens=ran.tokens or 0, money=ran.money)
    verdict = await review(task, ran)
    static = plan.standings.find_card(0)
    told = ran is returned
    score = score_by(settings, ran, verdict=verdict, static=static, told=told)
    done = TaskDone(
        output=ran.output,
        verdict=verdict,
        version=plan.chosen,
        prompt=prompt,
        score=score,
        id=using.make_id(),
        limit=plan.meter.spent,
    )
    run = TaskRun(
        version=plan.chosen,
        at=using.clock(),
        score=score,
        standing=verdict.standing,
        problem=verdict.errors[0].rule if verdict.errors else "",
        excerpt=_show(ran.output, using, tokens=KEPT_TOKENS) if settings else "",
        tokens=ran.tokens,
        seconds=using.monotonic() - started,
        id=done.id,
    )
    _tell(run, plan=plan, using=using, rules=tuple(each.rule for each in verdict.findings))
    return done, run


async def _make_run(work: Work, prompt: str, *, task: Task, meter: Meter) -> object:
    if task.budget.time is None:
        return await work(prompt)
    try:
        return await meter.wait_for(call_function(work, prompt))
    except TimeoutError as error:
        if meter.spent != "time":
            raise
        raise TimeoutError(f"Task {task.identity} took more than {task.budget.time}.") from error


def _tell(
    run: TaskRun, *, plan: _Plan, using: Learning, rules: tuple[str, ...] = (), error: str = ""
) -> None:
    """Let who listens know of a run, as soon as it is known how it went."""
    using.announce(
        TaskRan(
            task=plan.ground.task,
            model=plan.ground.model,
            version=run.version,
            standing=run.standing,
            rules=rules,
            score=run.score,
            tokens=run.tokens,
            beside=plan.beside,
            error=error,
            at=run.at,
            id=run.id,
        )
    )


async def _work_beside(
    task: Task, work: Work, *, first: TaskDone, plan: _Plan, using: Learning
) -> tuple[TaskDone, TaskRun] | None:
    """The static text's run on the same input, where that is allowed and tells something."""
    settings = task.settings
    if settings is None or not settings.paired or first.version == 0 or first.score is None:
        return None
    if not is_unsure(plan.standings, first.version) or plan.meter.used_up:
        return None
    try:
        alone = replace(plan, chosen=0, beside=True)
        return await _work_once(task, work, plan=alone, using=using)
    except Exception as error:  # noqa: BLE001 - there is an output already
        _report.warning(
            "The static text failed beside version %s (%s).", first.version, type(error).__name__
        )
        return None


async def review(task: Task, ran: Ran) -> Verdict:
    """What the run reported, and what the task's own checks find in its output."""
    findings, answered = await run_checks(ran.output, task.checks)
    return reach_verdict(
        hide_in_findings([*ran.findings, *findings]),
        answered=answered and ran.reviewed,
        looked=bool(task.checks or ran.findings),
    )


async def _choose(task: Task, plan: _Plan, *, settings: Reflect, using: Learning) -> _Plan:
    """Look into the archive. When it is down, the static text is what there is."""
    look = _sample if settings.gated else _choose_latest
    try:
        chosen: _Plan = await using.aside(partial(look, task, plan, using=using))
    except Exception as error:  # noqa: BLE001 - a user's archive may raise anything
        _report.warning("Task %s runs without notes: %s", task.identity, error)
        return plan
    return chosen


def _choose_latest(task: Task, plan: _Plan, *, using: Learning) -> _Plan:
    """The notes on top. There may be thousands of versions, so no more are read than it takes."""
    archive, ground = using.archive, plan.ground
    known = archive.list_versions(ground.task, tenant=ground.tenant, limit=1)
    if not known:
        begin(task, ground, using=using)
        return plan
    cards = archive.list_scorecards(ground)
    if not cards and known[0].version:
        take_over(ground, using=using)
        cards = archive.list_scorecards(ground)
    chosen = build_standings(cards, known).on_top
    if chosen not in (0, known[0].version):
        known = archive.list_versions(ground.task, tenant=ground.tenant)
    versions = {notes.version: notes for notes in known}
    standings = build_standings(cards, known)
    return replace(plan, chosen=chosen, versions=versions, standings=standings)


def _sample(task: Task, plan: _Plan, *, using: Learning) -> _Plan:
    archive, ground = using.archive, plan.ground
    versions = {n.version: n for n in archive.list_versions(ground.task, tenant=ground.tenant)}
    if not versions:
        begin(task, ground, using=using)
    cards = archive.list_scorecards(ground)
    if not cards and len(versions) > 1:
        enrol(ground, versions, using=using)
        cards = archive.list_scorecards(ground)
    record = _look_up_record(task, ground, using=using)
    standings = build_standings(cards, versions.values(), record=record)
    # Seeded anew for every run by how many there were, so that any process would choose the same.
    seen = sum(card.runs for card in cards)
    chance = random.Random(f"{using.seed} {seen} {ground}")  # noqa: S311 - nothing is secret here
    paired = task.settings is not None and task.settings.paired
    chosen = choose(standings, chance=chance, paired=paired)
    return replace(plan, chosen=chosen, versions=versions, standings=standings, record=record)


def _look_up_record(task: Task, ground: Ground, *, using: Learning) -> ReflectorRecord:
    """What the reflector did elsewhere, looked up anew after each of its proposals here."""
    by = name_reflector(task, settings=task.settings or Reflect(), using=using)
    known = using.memory.records
    if (ground, by) not in known:
        known[ground, by] = read_record(using.archive, by, apart_from=ground)
    return known[ground, by]


async def _learn(
    task: Task,
    run: TaskRun,
    *,
    done: TaskDone | None,
    plan: _Plan,
    using: Learning,
    reflects: bool = True,
) -> None:
    """Count a run, settle what it changes, and reflect when it is time to."""
    try:
        told: ReflectedRun | None = await using.aside(
            partial(_count, task, run, done=done, plan=plan, using=using)
        )
    except Exception as error:  # noqa: BLE001 - a user's archive may raise anything
        _report.warning("A run of task %s was not counted: %s", task.identity, error)
        return
    if told is None or not reflects:
        return
    using.memory.asked[plan.ground] = told.seen
    reflecting = reflect(task, told, using=using)
    if told.settings.background:
        using.afterwards.begin(reflecting)
    else:
        await reflecting
    using.memory.records.clear()


def _count(
    task: Task, run: TaskRun, *, done: TaskDone | None, plan: _Plan, using: Learning
) -> ReflectedRun | None:
    """What to reflect on, or `None` when it is not time, or a person has pinned a version."""
    archive, settings = using.archive, task.settings or Reflect()
    seen = archive.count(plan.ground, run=run)
    recent = tuple(archive.list_runs(plan.ground, limit=_RECENT))
    shown = run.excerpt if done is None else _show(done.output, using, tokens=settings.most_output)
    told = ReflectedRun(
        ground=plan.ground, settings=settings, run=run, seen=seen, recent=recent, output=shown
    )
    cards = archive.list_scorecards(plan.ground)
    standings = build_standings(cards, plan.versions.values(), record=plan.record)
    if standings.pinned is not None:
        return None
    if not settings.gated:
        return told if run.standing in (Standing.ACCEPTED, Standing.UNCHECKED) else None
    _warn_unscored(task, standings, using=using)
    for change in settle(standings, most_cost=settings.most_cost):
        apply(change, ground=plan.ground, using=using)
    return told if _is_due(told, standings, versions=plan.versions, using=using) else None


def _is_due(
    told: ReflectedRun, standings: Standings, *, versions: dict[int, Notes], using: Learning
) -> bool:
    """Whether it is time for a proposal: sooner from a reflector whose proposals helped."""
    if _is_new_trouble(told, versions.values()):
        return True
    proposed = max((n.runs for n in versions.values() if n.model == told.ground.model), default=0)
    last = max(proposed, using.memory.asked.get(told.ground, 0))
    interval = plan_interval(standings, every=told.settings.every)
    return told.seen - last >= interval


def _warn_unscored(task: Task, standings: Standings, *, using: Learning) -> None:
    """Say it once where nothing will ever tell good notes from bad."""
    if standings.scored or task.identity in using.memory.warned:
        return
    using.memory.warned.add(task.identity)
    _report.warning(
        "Task %s has neither a score nor checks, so nobody can know whether notes help: they get "
        "%d %% of its runs. Give it Reflect(score=…) or checks, or rate its runs with m.rate.",
        task.identity,
        round(100 * BLIND_SHARE),
    )


def _is_new_trouble(told: ReflectedRun, versions: Iterable[Notes]) -> bool:
    """Whether a run failed in a way that none of the latest did, and no proposal is that young."""
    if not told.run.problem or told.run.problem in {run.problem for run in told.recent[1:]}:
        return False
    last = max((n.runs for n in versions if n.model == told.ground.model), default=0)
    return told.seen - last >= NEW_TROUBLE_AFTER


def _build_failed_run(error: Exception, *, plan: _Plan, using: Learning, started: float) -> TaskRun:
    return TaskRun(
        version=plan.chosen,
        at=using.clock(),
        score=0.0,
        standing=Standing.REJECTED,
        problem=type(error).__name__,
        excerpt=_show(error, using, tokens=KEPT_TOKENS),
        seconds=using.monotonic() - started,
        id=using.make_id(),
    )


def _show(output: object, using: Learning, *, tokens: int) -> str:
    try:
        return cut_middle(using.scrub(str(output)), tokens=tokens)
    except Exception as error:  # noqa: BLE001 - an output's own text may raise anything
        return f"<{type(output).__name__} without text: {type(error).__name__}>"


def _build_ground(task: Task, using: Learning) -> Ground:
    return Ground(
        task=task.identity,
        tenant=using.tenant,
        model=task.model or using.model,
        definition=task.definition,
    )
