"""Runs a task with notes that improve by evidence over many runs.

A run gets one version of the notes, is scored, and counts for that version. From time to time a
strategy proposes another. Failures in here are reported and never raised: the run's own output or
error reaches the caller unchanged.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
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
from mulligan.learning.task_versions import (
    Result,
    Scores,
    build_score_question,
    cut_middle,
    describe_card,
    read_record,
    read_score,
    render_prompt,
    score_run,
)
from mulligan.loops.checking import run_checks
from mulligan.loops.learning import Learning
from mulligan.loops.reflection import (
    ReflectedRun,
    apply,
    begin,
    choose_judge,
    enrol,
    name_reflector,
    reflect,
    take_over,
)
from mulligan.process.user_functions import ANSWERS_WITHIN, call_function, takes_name
from mulligan.redaction.redactor import hide_in_findings
from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import TaskRan
from mulligan.types.finding import Standing, Verdict, reach_verdict
from mulligan.types.limits import NO_LIMIT, Meter
from mulligan.types.notes import Ground, Notes, PairedScore, Scorecard, TaskRun, add_run
from mulligan.types.task import Gate, Ran, Reflect, Task, TaskCase, require_task
from mulligan.types.values import hide_fields

KEPT_TOKENS = 1_000
"""Of an output, as it is stored for each run."""
NEW_TROUBLE_AFTER = 5
"""Runs since the last proposal before a new kind of failure triggers another."""
_RECENT = 40
_ENDS = 16
"""Characters at each end of an output that are scrubbed, for each token that is shown."""

_report = logging.getLogger("mulligan")

Work = Callable[[str], Awaitable[object]]
"""One run of a task: gets the whole prompt, returns its output or a `Ran`."""


@hide_fields("prompt")
class TaskDone(Struct, frozen=True, kw_only=True):
    """The result of one run of a task; as text it is the output."""

    output: object
    verdict: Verdict
    version: int
    """Of the notes it ran with; 0 is the static text alone."""
    prompt: str
    score: float | None
    """`None`: the run could not be scored."""
    id: str = ""
    """Of the run: `m.rate(done.id, up=…)`."""
    limit: str = ""
    """The limit that the run reached: `time`, `tokens` or `money`; empty: none."""
    tokens: int = 0
    """Of the work, the run beside it, the judge and the reflection, as far as they say."""
    money: float = 0.0
    seconds: float = 0.0
    """With all of these, but for a reflection in the background."""

    def __str__(self) -> str:
        """The output."""
        return str(self.output)


class _Plan(Struct, frozen=True, kw_only=True):
    """The stored versions before a run, and the one that was chosen."""

    ground: Ground
    chosen: int = 0
    versions: dict[int, Notes] = field(default_factory=dict)
    standings: Standings = field(default_factory=Standings)
    record: ReflectorRecord = NOBODY
    meter: Meter
    beside: bool = False
    """Whether this is the static text's run of a pair."""
    input: object = None
    """What the run is given beside the task."""

    @property
    def notes(self) -> Notes | None:
        return self.versions.get(self.chosen)


async def run_task(
    task: Task,
    work: Work,
    *,
    using: Learning,
    input: object = None,  # noqa: A002 - the field's word
) -> TaskDone:
    """Run a task once; `work` is any `async (prompt) -> output`.

    Without `task.reflect` nothing is read, stored or proposed.
    """
    require_task(task)
    began = using.monotonic()
    plan = _Plan(ground=build_ground(task, using), meter=Meter(task.budget), input=input)
    done, plan = await _run_and_learn(task, work, plan=plan, using=using)
    meter = plan.meter
    spent = meter.spent if meter.spent != "time" else ""
    return replace(
        done,
        limit=done.limit or spent,
        tokens=meter.tokens,
        money=meter.money,
        seconds=using.monotonic() - began,
    )


class _Worked(Struct, frozen=True, kw_only=True):
    """One run that was made, and whether a judge still has to score it."""

    done: TaskDone
    run: TaskRun
    judged: bool = False

    def with_score(self, score: float | None) -> _Worked:
        return replace(
            self,
            done=replace(self.done, score=score),
            run=replace(self.run, score=score),
            judged=False,
        )


async def _run_and_learn(
    task: Task, work: Work, *, plan: _Plan, using: Learning
) -> tuple[TaskDone, _Plan]:
    """The output to hand out, and the plan with what was spent."""
    settings = task.settings
    if settings is not None:
        plan = await _choose(task, plan, settings=settings, using=using)
        # The time is the work's own: slow task versions take none of it.
        plan = replace(plan, meter=Meter(task.budget))
    worked = await _work_once(task, work, plan=plan, using=using)
    if settings is None:
        _tell(worked, plan=plan, using=using)
        return worked.done, plan
    beside = await _work_beside(task, work, first=worked, plan=plan, using=using)
    made = [worked] if beside is None else [worked, beside]
    worked, *others = await _judge_runs(task, made, settings=settings, plan=plan, using=using)
    _tell(worked, plan=plan, using=using)
    for other in others:
        _tell(other, plan=replace(plan, beside=True), using=using)
        await _learn(task, other, plan=plan, using=using, reflects=False)
        if worked.run.score is not None and other.run.score is not None:
            pair = PairedScore(version=other.run.version, score=other.run.score)
            worked = replace(worked, run=replace(worked.run, beside=pair))
    await _learn(task, worked, plan=plan, using=using)
    return max([worked, *others], key=lambda each: each.done.score or 0.0).done, plan


async def _work_once(task: Task, work: Work, *, plan: _Plan, using: Learning) -> _Worked:
    """One run with the plan's version. Its errors are counted, then raised."""
    settings = task.settings
    bounds = settings or Reflect()
    prompt = render_prompt(task, plan.notes, bounds=bounds, input=plan.input)
    started = using.monotonic()
    try:
        returned = await _make_run(work, prompt, task=task, meter=plan.meter)
    except Exception as error:
        shown = await _show(error, using, tokens=KEPT_TOKENS)
        failed = _build_failed_run(error, shown, plan=plan, using=using, started=started)
        _tell(failed, plan=plan, using=using)
        if settings is not None:
            await _learn(task, failed, plan=plan, using=using)
        raise
    ran = returned if isinstance(returned, Ran) else Ran(output=returned)
    plan.meter.spend(tokens=ran.tokens or 0, money=ran.money)
    verdict = await review(task, ran, meter=plan.meter)
    score = await _score(task, ran, verdict=verdict, plan=plan, told=ran is returned)
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
        excerpt=await _show(ran.output, using, tokens=KEPT_TOKENS) if settings else "",
        tokens=ran.tokens,
        seconds=using.monotonic() - started,
        id=done.id,
    )
    judged = ran.score is None and _is_for_judge(task, verdict, score=score, using=using)
    return _Worked(done=done, run=run, judged=judged)


def _is_for_judge(task: Task, verdict: Verdict, *, score: float | None, using: Learning) -> bool:
    """Whether a judge scores a run: there is one, and it knows what to expect."""
    settings = task.settings
    if settings is None or not settings.gated or settings.score is not None:
        return False
    if choose_judge(task, settings=settings, using=using) is None:
        return False
    if settings.rubric:
        return verdict.standing in (Standing.ACCEPTED, Standing.UNCHECKED)
    return (
        bool(task.expected_output)
        and score is None
        and not verdict.findings
        and (verdict.standing is Standing.UNCHECKED)
    )


async def _judge_runs(
    task: Task, made: list[_Worked], *, settings: Reflect, plan: _Plan, using: Learning
) -> list[_Worked]:
    """The runs with the judge's scores; two that both need one are compared in one question."""
    asked = [each for each in made if each.judged]
    meter = using.memory.judged.setdefault(plan.ground, Meter(replace(settings.judged, time=None)))
    if not asked or meter.used_up or plan.meter.spent in ("tokens", "money"):
        return made
    # Alternating: judges favour the output that they read first.
    turned = plan.standings.scored % 2 == 1
    shown = [await _show(each.done.output, using, tokens=settings.most_output) for each in asked]

    def spend(**took: object) -> None:
        meter.spend(**took)
        plan.meter.spend(**took)

    question = build_score_question(
        task, shown[::-1] if turned else shown, input=plan.input, timeout=settings.judged.time
    )
    judge = choose_judge(task, settings=settings, using=using)
    scores = await _ask_for_scores(replace(question, spend=spend), judge, len(asked), using=using)
    if scores is None:
        return made
    known = dict(zip(map(id, asked), scores[::-1] if turned else scores, strict=True))
    return [each.with_score(known[id(each)]) if id(each) in known else each for each in made]


async def _ask_for_scores(
    question: Question[Scores], source: object, count: int, *, using: Learning
) -> tuple[float, ...] | None:
    try:
        judge = using.open_judge(source)
        answer: object = await call_function(judge.ask, question, within=question.timeout)
    except Exception as error:  # noqa: BLE001 - a user's judge may raise anything
        _report.warning("A judge failed (%s), so the run is no evidence.", type(error).__name__)
        return None
    return answer.read(count=count) if isinstance(answer, Scores) else None


async def _score(
    task: Task, ran: Ran, *, verdict: Verdict, plan: _Plan, told: bool
) -> float | None:
    """The user's score where there is a valid one; `None` when the run cannot be scored."""
    own = None if task.settings is None else task.settings.score
    if ran.score is not None:
        return ran.score
    if own is None:
        static = plan.standings.find_card(0)
        usual = static.tokens / static.metered if static.metered else None
        return score_run(ran, verdict=verdict, usual_tokens=usual, told=told)
    try:
        score = partial(own, input=plan.input) if takes_name(own, "input") else own
        asked = call_function(score, ran.output, read=read_score)
        return await plan.meter.wait_for(asked, at_most=ANSWERS_WITHIN)
    except Exception as error:  # noqa: BLE001 - a user's score may raise anything
        said = str(error) if isinstance(error, ConfigurationError) else type(error).__name__
        _report.warning("A score failed (%s), so the run is no evidence.", said)
        return None


async def _make_run(work: Work, prompt: str, *, task: Task, meter: Meter) -> object:
    try:
        return await meter.wait_for(call_function(work, prompt))
    except TimeoutError as error:
        if meter.spent != "time":
            raise
        raise TimeoutError(f"Task {task.identity} took more than {task.budget.time}.") from error


def _tell(made: _Worked | TaskRun, *, plan: _Plan, using: Learning) -> None:
    """Report a run as soon as its score is known; one that failed is told by its error."""
    rules: Iterable[str] = ()
    if isinstance(made, TaskRun):
        run, error = made, made.problem
    else:
        run, error = made.run, ""
        rules = (finding.rule for finding in made.done.verdict.findings)
    using.announce(
        TaskRan(
            task=plan.ground.task,
            model=plan.ground.model,
            version=run.version,
            standing=run.standing,
            rules=tuple(rules),
            score=run.score,
            tokens=run.tokens,
            beside=plan.beside,
            error=error,
            at=run.at,
            id=run.id,
        )
    )


async def _work_beside(
    task: Task, work: Work, *, first: _Worked, plan: _Plan, using: Learning
) -> _Worked | None:
    """The static text's run on the same input, where that is allowed and gives evidence."""
    settings, version = task.settings, first.done.version
    if settings is None or not settings.paired or version == 0:
        return None
    if first.done.score is None and not first.judged:
        return None
    if not is_unsure(plan.standings, version) or plan.meter.used_up:
        return None
    try:
        alone = replace(plan, chosen=0, beside=True)
        return await _work_once(task, work, plan=alone, using=using)
    except Exception as error:  # noqa: BLE001 - there is an output already
        _report.warning(
            "The static text failed beside version %s (%s).", version, type(error).__name__
        )
        return None


async def evaluate_task(
    task: Task,
    work: Work,
    cases: Iterable[TaskCase],
    *,
    using: Learning,
    versions: Sequence[int] = (),
) -> list[Result]:
    """Score versions of a task on the same inputs; by default the static text and the one on top.

    Nothing is counted, proposed or promoted. Work that raises scores 0.
    """
    ground = build_ground(require_task(task), using)
    settings = replace(task.settings or Reflect(), gate=Gate.EVIDENCE)
    known = await using.ask_versions(partial(_read_versions, ground, using=using))
    chosen = list(versions) or sorted({0, known.standings.on_top})
    for version in chosen:
        if version and version not in known.versions:
            raise ConfigurationError(f"Task {task.identity} has no version {version}.")
    cards = {version: Scorecard(version=version) for version in chosen}
    for case in cases:
        asked = replace(
            task, expected_output=case.expected or task.expected_output, reflect=settings
        )
        plans = [
            replace(known, chosen=version, input=case.input, meter=Meter(task.budget))
            for version in chosen
        ]
        made = [await _work_once(asked, _score_failures(work), plan=p, using=using) for p in plans]
        # Two are compared in one question, more are judged one by one.
        groups = [made] if len(made) == 2 else [[each] for each in made]
        for group in groups:
            scored = await _judge_runs(asked, group, settings=settings, plan=plans[0], using=using)
            for each in scored:
                cards[each.run.version] = add_run(cards[each.run.version], each.run)
    return [describe_card(card) for card in cards.values()]


def _read_versions(ground: Ground, *, using: Learning) -> _Plan:
    task_versions = using.task_versions
    known = task_versions.list_versions(ground.task, tenant=ground.tenant)
    standings = build_standings(task_versions.list_scorecards(ground), known)
    versions = {notes.version: notes for notes in known}
    return _Plan(ground=ground, versions=versions, standings=standings, meter=Meter(NO_LIMIT))


def _score_failures(work: Work) -> Work:
    async def run(prompt: str) -> object:
        try:
            return await call_function(work, prompt)
        except Exception as error:  # noqa: BLE001 - the work's own error is its score
            return Ran(output=error, score=0.0)

    return run


async def review(task: Task, ran: Ran, *, meter: Meter) -> Verdict:
    """The findings the run reported, and those of the task's own checks of its output."""
    findings, answered = await run_checks(ran.output, task.checks, meter=meter)
    return reach_verdict(
        hide_in_findings([*ran.findings, *findings]),
        answered=answered and ran.reviewed,
        looked=bool(task.checks or ran.findings),
    )


async def _choose(task: Task, plan: _Plan, *, settings: Reflect, using: Learning) -> _Plan:
    """Read the stored versions. Where that fails, the static text is used."""
    look = _sample if settings.gated else _choose_latest
    try:
        chosen: _Plan = await using.ask_versions(partial(look, task, plan, using=using))
    except Exception as error:  # noqa: BLE001 - a user's store may raise anything
        _report.warning("Task %s runs without notes: %s", task.identity, error)
        return plan
    return chosen


def _choose_latest(task: Task, plan: _Plan, *, using: Learning) -> _Plan:
    """The notes on top. There may be thousands of versions, so only the needed ones are read."""
    task_versions, ground = using.task_versions, plan.ground
    known = task_versions.list_versions(ground.task, tenant=ground.tenant, limit=1)
    if not known:
        begin(task, ground, using=using)
        return plan
    cards = task_versions.list_scorecards(ground)
    if not cards and known[0].version:
        take_over(ground, using=using)
        cards = task_versions.list_scorecards(ground)
    chosen = build_standings(cards, known).on_top
    if chosen not in (0, known[0].version):
        known = task_versions.list_versions(ground.task, tenant=ground.tenant)
    versions = {notes.version: notes for notes in known}
    standings = build_standings(cards, known)
    return replace(plan, chosen=chosen, versions=versions, standings=standings)


def _sample(task: Task, plan: _Plan, *, using: Learning) -> _Plan:
    task_versions, ground = using.task_versions, plan.ground
    versions = {
        n.version: n for n in task_versions.list_versions(ground.task, tenant=ground.tenant)
    }
    if not versions:
        begin(task, ground, using=using)
    cards = task_versions.list_scorecards(ground)
    if not cards and len(versions) > 1:
        enrol(ground, versions, using=using)
        cards = task_versions.list_scorecards(ground)
    record = _look_up_record(task, ground, using=using)
    standings = build_standings(cards, versions.values(), record=record)
    # Seeded for every run by the number of runs, so that any process makes the same choice.
    seen = sum(card.runs for card in cards)
    chance = random.Random(f"{using.seed} {seen} {ground}")  # noqa: S311 - nothing is secret here
    paired = task.settings is not None and task.settings.paired
    chosen = choose(standings, chance=chance, paired=paired)
    return replace(plan, chosen=chosen, versions=versions, standings=standings, record=record)


def _look_up_record(task: Task, ground: Ground, *, using: Learning) -> ReflectorRecord:
    """The reflector's record on other tasks, refreshed after each of its proposals here."""
    by = name_reflector(task, settings=task.settings or Reflect(), using=using)
    known = using.memory.records
    if (ground, by) not in known:
        known[ground, by] = read_record(using.task_versions, by, apart_from=ground)
    return known[ground, by]


async def _learn(
    task: Task, made: _Worked | TaskRun, *, plan: _Plan, using: Learning, reflects: bool = True
) -> None:
    """Count a run, apply the changes it decides, and reflect when it is time."""
    if isinstance(made, TaskRun):
        run, shown = made, made.excerpt
    else:
        most = (task.settings or Reflect()).most_output
        run, shown = made.run, await _show(made.done.output, using, tokens=most)
    try:
        told: ReflectedRun | None = await using.ask_versions(
            partial(_count, task, run, shown, plan=plan, using=using)
        )
    except Exception as error:  # noqa: BLE001 - a user's store may raise anything
        _report.warning("A run of task %s was not counted: %s", task.identity, error)
        return
    if told is None or not reflects or plan.meter.spent in ("tokens", "money"):
        return
    using.memory.asked[plan.ground] = told.seen
    reflecting = reflect(task, told, using=using)
    if told.settings.background:
        using.afterwards.begin(reflecting)
    else:
        await reflecting
    using.memory.records.clear()


def _count(
    task: Task, run: TaskRun, shown: str, *, plan: _Plan, using: Learning
) -> ReflectedRun | None:
    """The run to reflect on, or `None` when it is not time or a person has pinned a version."""
    task_versions, settings = using.task_versions, task.settings or Reflect()
    seen = task_versions.count(plan.ground, run=run)
    recent = tuple(task_versions.list_runs(plan.ground, limit=_RECENT))
    told = ReflectedRun(
        ground=plan.ground,
        settings=settings,
        run=run,
        seen=seen,
        recent=recent,
        output=shown,
        input=plan.input,
        spend=plan.meter.spend,
    )
    cards = task_versions.list_scorecards(plan.ground)
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
    """Whether it is time for a proposal: sooner from a reflector whose proposals helped, or where a
    run failed in a new way and no proposal is recent."""
    proposed = max((n.runs for n in versions.values() if n.model == told.ground.model), default=0)
    known = {"", *(run.problem for run in told.recent[1:])}
    if told.run.problem not in known and told.seen - proposed >= NEW_TROUBLE_AFTER:
        return True
    last = max(proposed, using.memory.asked.get(told.ground, 0))
    interval = plan_interval(standings, every=told.settings.every)
    return told.seen - last >= interval


def _warn_unscored(task: Task, standings: Standings, *, using: Learning) -> None:
    """Warn once where nothing can tell good notes from bad ones."""
    if standings.scored or task.identity in using.memory.warned:
        return
    using.memory.warned.add(task.identity)
    _report.warning(
        "Task %s has neither a score nor checks nor a judge, so it is unknown whether notes "
        "help: they get %d %% of its runs. Give it Reflect(score=…), checks, or an expected output "
        "and a judge; or rate its runs with m.rate.",
        task.identity,
        round(100 * BLIND_SHARE),
    )


def _build_failed_run(
    error: Exception, shown: str, *, plan: _Plan, using: Learning, started: float
) -> TaskRun:
    return TaskRun(
        version=plan.chosen,
        at=using.clock(),
        score=0.0,
        standing=Standing.REJECTED,
        problem=type(error).__name__,
        excerpt=shown,
        seconds=using.monotonic() - started,
        id=using.make_id(),
    )


async def _show(output: object, using: Learning, *, tokens: int) -> str:
    """An output less secrets. Beside the loop, as its own text may hang or raise anything."""
    show = partial(_show_now, output, using, tokens=tokens)
    try:
        shown: str = await using.ask_versions(show)
    except Exception as error:  # noqa: BLE001 - an output's own text may raise anything
        return f"<{type(output).__name__} without text: {type(error).__name__}>"
    return shown


def _show_now(output: object, using: Learning, *, tokens: int) -> str:
    text = str(output)
    ends = _ENDS * tokens
    if len(text) <= 2 * ends:
        return cut_middle(using.scrub(text), tokens=tokens)
    # Only the ends are shown: far more than that is scrubbed, so that no part of a secret survives.
    near = using.scrub(text[:ends]) + using.scrub(text[-ends:])
    return cut_middle(near, tokens=tokens, of=len(text))


def build_ground(task: Task, using: Learning) -> Ground:
    """Where the evidence about a task belongs."""
    return Ground(
        task=task.identity,
        tenant=using.tenant,
        model=task.model or using.model,
        definition=task.definition,
    )
