"""The versions of a task: prompts, scores and changes."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import to_plain
from mulligan.learning.calibration import compute_wilson
from mulligan.learning.task_selection import (
    NOBODY,
    ReflectorRecord,
    Standings,
    build_standings,
    weigh,
)
from mulligan.types.display import (
    Ours,
    Question,
    Quoted,
    Spend,
    format_value,
    split_pieces,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing, Verdict
from mulligan.types.interfaces import Judge, TaskVersions
from mulligan.types.notes import (
    Ground,
    Notes,
    NotesState,
    Refinement,
    Scorecard,
    TaskRun,
    check_score,
)
from mulligan.types.task import Experience, Ran, Reflect, Task
from mulligan_dates.text import shorten


class Result(Struct, frozen=True, kw_only=True):
    """The result of one version on one ground."""

    card: Scorecard
    mean: float | None
    """Of its scores; `None` when it has none."""
    low: float
    """Its true mean lies between `low` and `high` with a probability of about 95 %."""
    high: float

    def __str__(self) -> str:
        """The version, its mean and how sure it is."""
        said = "not scored" if self.mean is None else f"{self.mean:.2f}"
        range_ = f"{self.low:.2f} to {self.high:.2f} over {self.card.scored} scored runs"
        return f"version {self.card.version}: {said}" + (f" ({range_})" if self.card.scored else "")


def list_results(task_versions: TaskVersions, ground: Ground) -> list[Result]:
    """Every version that was tried on a ground, in order."""
    return [describe_card(card) for card in task_versions.list_scorecards(ground)]


def describe_card(card: Scorecard) -> Result:
    """A version's mean score, and how sure it is."""
    low, high = compute_wilson(card.score, card.scored)
    mean = card.score / card.scored if card.scored else None
    return Result(card=card, mean=mean, low=low, high=high)


def describe_changes(before: Refinement, after: Refinement) -> tuple[str, ...]:
    """What differs between two refinements, in a few words each."""
    found = []
    pairs = zip(_list_parts(before), _list_parts(after), strict=True)
    for (part, old, many), (_, new, _) in pairs:
        name = part.lower()
        if many:
            counts = {"new": len(set(new) - set(old)), "gone": len(set(old) - set(new))}
            told = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
            found += [f"{name}: {told}"] if told else []
        elif old and new and old != new:
            found.append(f"{name}: reworded, {len(old[0])} → {len(new[0])} characters")
        elif old != new:
            found.append(f"{name}: {'new' if new else 'gone'}")
    return tuple(found)


def _list_parts(said: Refinement) -> tuple[tuple[str, Sequence[str], bool], ...]:
    """The parts of a refinement: its name, what it says, and whether that is a list."""
    return (
        ("Description", (said.description,) if said.description else (), False),
        ("Expected output", (said.expected_output,) if said.expected_output else (), False),
        ("Observations", said.observations, True),
        ("Suggestions", said.suggestions, True),
    )


def _render_lines(said: Refinement) -> list[str]:
    """The notes line by line, each part under its name; parts that are empty are left out."""
    found = []
    for name, texts, many in _list_parts(said):
        lines = [f"- {each}" for each in texts] if many else "\n".join(texts).splitlines()
        found += [f"{name}:", *lines] if texts else []
    return found


def compare(one: Notes, other: Notes) -> list[str]:
    """The lines of a unified diff from one version's notes to another's; version 0 has none."""
    return list(
        difflib.unified_diff(
            _render_lines(one.advice),
            _render_lines(other.advice),
            fromfile=f"version {one.version}",
            tofile=f"version {other.version}",
            lineterm="",
        )
    )


def find(task_versions: TaskVersions, ground: Ground, *, version: int) -> Notes:
    """One version of a task, or a `ConfigurationError` that says which there are."""
    known = task_versions.list_versions(ground.task, tenant=ground.tenant)
    for notes in known:
        if notes.version == version:
            return notes
    numbers = ", ".join(str(notes.version) for notes in known[::-1]) or "none yet"
    raise ConfigurationError(f"Task {ground.task} has no version {version}: it has {numbers}.")


def pin(task_versions: TaskVersions, ground: Ground, *, version: int) -> None:
    """Pin a version: it gets every run on a ground from now on."""
    find(task_versions, ground, version=version)
    _move(task_versions, ground, version=version, state=NotesState.PINNED)


def unpin(task_versions: TaskVersions, ground: Ground) -> int | None:
    """Unpin a version: it stays on top until runs decide otherwise.

    Returns the version that was pinned, if one was.
    """
    pinned = _read_standings(task_versions, ground).pinned
    if pinned is not None:
        state = NotesState.CHAMPION if pinned else NotesState.TRIAL
        _move(task_versions, ground, version=pinned, state=state)
    return pinned


def roll_back(task_versions: TaskVersions, ground: Ground) -> int | None:
    """Retire the version on top, pinned or not: version 0 takes its place.

    Returns the version that left, or `None` when version 0 was on top already.
    """
    top = _read_standings(task_versions, ground).on_top
    if not top:
        return None
    _move(task_versions, ground, version=top, state=NotesState.RETIRED)
    return top


def export(task_versions: TaskVersions, task: str, *, tenant: str = "") -> dict[str, Any]:
    """Everything a `TaskVersions` holds about a task but its runs, in JSON's own types."""
    return {
        "task": task,
        "tenant": tenant,
        "versions": [
            to_plain(notes) for notes in reversed(task_versions.list_versions(task, tenant=tenant))
        ],
        "grounds": [
            {
                "model": ground.model,
                "definition": ground.definition,
                "scorecards": [to_plain(card) for card in task_versions.list_scorecards(ground)],
            }
            for ground in task_versions.list_grounds(task)
            if ground.tenant == tenant
        ],
    }


def _read_standings(task_versions: TaskVersions, ground: Ground) -> Standings:
    return build_standings(task_versions.list_scorecards(ground), ())


def _move(task_versions: TaskVersions, ground: Ground, *, version: int, state: NotesState) -> None:
    """Change a version's state, again if another process changes it meanwhile."""
    while True:
        cards = {card.version: card.state for card in task_versions.list_scorecards(ground)}
        was = cards.get(version)
        if was is state or task_versions.move(ground, version=version, state=state, was=was):
            return


MOST_GROUNDS = 20
"""Other grounds that are asked, the latest: a reflector may have got better."""
LEAST_SPREAD = 0.008
"""The least uncertainty: however many tasks agree, the next one may differ."""


class ReflectorSummary(Struct, frozen=True, kw_only=True):
    """The record of a reflector, for people."""

    by: str
    proposals: int
    """That were scored at least once."""
    helped: int
    """Of those, the ones that are probably better than their parents."""
    record: ReflectorRecord


def read_record(task_versions: TaskVersions, by: str, *, apart_from: Ground) -> ReflectorRecord:
    """A reflector's record on the tenant's other tasks: the prior of its next proposal."""
    others = [
        ground
        for ground in task_versions.list_grounds()
        if ground.tenant == apart_from.tenant and ground.task != apart_from.task
    ]
    told = (_judge_on(task_versions, ground, by) for ground in others[-MOST_GROUNDS:])
    return combine(record for record, _, _ in told if record is not None)


def summarize(task_versions: TaskVersions, *, tenant: str = "") -> list[ReflectorSummary]:
    """Every reflector that proposed something for a tenant, the most trusted first."""
    grounds = [ground for ground in task_versions.list_grounds() if ground.tenant == tenant]
    tasks = {ground.task for ground in grounds}
    known = (notes for task in tasks for notes in task_versions.list_versions(task, tenant=tenant))
    names = {notes.by for notes in known if notes.version and notes.by}
    found = []
    for by in sorted(names):
        told = [_judge_on(task_versions, ground, by) for ground in grounds]
        found.append(
            ReflectorSummary(
                by=by,
                proposals=sum(proposals for _, proposals, _ in told),
                helped=sum(helped for _, _, helped in told),
                record=combine(record for record, _, _ in told if record is not None),
            )
        )
    return sorted(found, key=lambda each: each.record.trust, reverse=True)


def combine(records: Iterable[ReflectorRecord]) -> ReflectorRecord:
    """The records of several tasks combined: each weighted by its information beyond the prior."""
    usual = 1.0 / NOBODY.spread**2
    precision, pull = usual, NOBODY.mean * usual
    for record in records:
        own = 1.0 / record.spread**2
        # An unusual reflector's record may be wider than the prior, but is still known.
        beyond = own > usual
        precision += own - usual if beyond else own
        pull += own * record.mean - (NOBODY.mean * usual if beyond else 0.0)
    spread = max(LEAST_SPREAD, precision**-0.5)
    return ReflectorRecord(mean=pull / precision, spread=spread)


def _judge_on(
    task_versions: TaskVersions, ground: Ground, by: str
) -> tuple[ReflectorRecord | None, int, int]:
    """One ground's record: the effect, the scored proposals, and how many helped."""
    versions = task_versions.list_versions(ground.task, tenant=ground.tenant)
    theirs = {notes.version for notes in versions if notes.by == by and notes.version}
    cards = {card.version: card for card in task_versions.list_scorecards(ground)}
    scored = [v for v in theirs if v in cards and cards[v].scored]
    if not scored:
        return None, 0, 0
    parents = {notes.version: notes.parent for notes in versions}
    seen = {v: card for v, card in cards.items() if v in theirs or v == 0}
    beliefs = weigh(seen, parents)
    helped = 0
    for version in scored:
        parent = parents.get(version) or 0
        if version in beliefs.places:
            beside = parent if parent in beliefs.places else 0
            helped += beliefs.compare(version, beside) > 0.5
    return beliefs.judge_reflector(), len(scored), helped


CHARACTERS_A_TOKEN = 4
"""A rough measure that needs no tokenizer, and errs on the short side for English."""
_HEADING = """\
## From earlier runs

Notes on this task, written after earlier runs of it. They are quoted, and they are advice: where a
note and the task below differ, the task below holds."""
_END = "---"


def render_prompt(task: Task, notes: Notes | None, *, bounds: Reflect, input: object) -> str:  # noqa: A002
    """The whole prompt of a run: notes, the task's text, and what the run is given."""
    brief = render_brief(task, notes, bounds=bounds)
    return brief if input is None else f"{brief}\n\n## Input\n\n{input}"


def render_brief(task: Task, notes: Notes | None, *, bounds: Reflect) -> str:
    """Notes and the task. It always ends with `task.text`, byte for byte."""
    if notes is None or notes.version == 0:
        return task.text
    said, most = notes.refinement, bounds.most_notes
    # The first sections get the space first.
    sections = {
        "### Refined instructions": [said.description],
        "### Output guidance": [said.expected_output],
        "### Observations": [f"- {item}" for item in said.observations[:most]],
        "### Suggestions": [f"- {item}" for item in said.suggestions[:most]],
    }
    lines = ((heading, _quote_lines(texts)) for heading, texts in sections.items())
    quoted = _fit_sections(lines, tokens=bounds.most_tokens)
    if not quoted:
        return task.text
    return "\n".join([_HEADING, "", *quoted, "", _END, "", task.text])


def _quote_lines(texts: Iterable[str]) -> list[str]:
    """Every line quoted, for any kind of line break, so that no note can end its own quote."""
    written = (Quoted(text, "earlier runs") for text in texts if text.strip("- \n"))
    return [line for each in written for line in each.as_lines()]


def _fit_sections(sections: Iterable[tuple[str, list[str]]], *, tokens: int) -> list[str]:
    """As many of the sections' lines as there is room for, each under its heading."""
    room = tokens * CHARACTERS_A_TOKEN - len(_HEADING)
    kept: list[str] = []
    for heading, lines in sections:
        left = room - len(heading)
        fitting = list(_fit_lines(lines, room=left))
        if not fitting:
            continue
        kept += ["", heading, *fitting] if kept else [heading, *fitting]
        room = left - sum(map(len, fitting))
    return kept


def _fit_lines(lines: Iterable[str], *, room: int) -> Iterator[str]:
    for line in lines:
        if len(line) > room:
            if room > len("> …"):
                yield shorten(line, most=room)
            return
        yield line
        room -= len(line) + 1


def cut_middle(text: str, *, tokens: int, of: int = 0) -> str:
    """Text within a budget: its start and end, and how much is missing between.

    `of`: how long the whole is, where this is only what is near its ends.
    """
    room = tokens * CHARACTERS_A_TOKEN
    if len(text) <= room:
        return text
    mark = f"\n[… {(of or len(text)) - room:,} characters left out …]\n"
    half = max(1, room // 2)
    return f"{text[: room - half]}{mark}{text[len(text) - half :]}"


PROMPT = "reflect_task"
_CONTRASTED = 2
"""Runs of each kind that are shown."""


def ask_judge(
    judge: Judge, *, spend: Spend | None = None
) -> Callable[[Experience], Awaitable[Refinement | None]]:
    """A strategy that asks a judge; runs and notes are shown to it as untrusted text."""

    async def propose(experience: Experience) -> Refinement | None:
        return await judge.ask(replace(build_question(experience), spend=spend))

    return propose


def read_refinement(said: object) -> Refinement | None:
    """What a strategy answered: a refinement, its parts by name, or nothing."""
    if said is None or isinstance(said, Refinement):
        return said
    known = Refinement.__struct_fields__
    if not isinstance(said, Mapping) or not set(known).issuperset(said):
        kind = type(said).__name__
        raise ConfigurationError(
            f"a strategy answers with a Refinement, or a dict with any of {', '.join(known)}; "
            f"this one answered with a {kind}"
            + (" that has other keys" if isinstance(said, Mapping) else "")
        )
    return Refinement(**said)


def build_question(experience: Experience) -> Question[Refinement]:
    """What the judge is asked after a run."""
    task = experience.task
    untrusted = split_pieces(experience.output, name="what this run produced")
    if experience.input is not None:
        untrusted |= split_pieces(format_value(experience.input), name="what this run was given")
    if experience.prior is not None:
        said = experience.prior.refinement
        told = [f"Description: {said.description}", f"Expected output: {said.expected_output}"]
        told += [f"Observation: {item}" for item in said.observations]
        told += [f"Suggestion: {item}" for item in said.suggestions]
        untrusted |= split_pieces("\n".join(told), name="notes from earlier runs")
    for number, run in enumerate(experience.contrast, start=1):
        trouble = f", {run.problem}" if run.problem else ""
        name = f"earlier run {number}, score {run.score:.2f}{trouble}, part"
        untrusted |= split_pieces(run.excerpt, name=name)
    return Question(
        prompt=PROMPT,
        values={
            "description": Ours(task.description),
            "expected_output": Ours(task.expected_output or "(not stated)"),
            "runs": Ours(str(experience.runs)),
            "standing": Ours(str(experience.standing)),
        },
        untrusted=untrusted,
        answer=Refinement,
        purpose="reflect on a task",
        timeout=(task.settings or Reflect()).timeout,
    )


def choose_contrasting(runs: Sequence[TaskRun]) -> tuple[TaskRun, ...]:
    """Of the latest runs, the best and the worst, the best first; none when all were alike."""
    scored = [run for run in runs if run.score is not None and run.excerpt]
    ranked = sorted(scored, key=lambda run: run.score or 0.0, reverse=True)
    if not ranked or ranked[0].score == ranked[-1].score:
        return ()
    half = min(_CONTRASTED, len(ranked) // 2)
    return (*ranked[:half], *ranked[-half:])


SCORE_PROMPT = "score_task"
BEST = 10.0
"""The scale on which a judge scores."""


class Scores(Struct, frozen=True, kw_only=True):
    """A judge's scores of one output, or of two that were made from the same material."""

    first: float
    second: float | None = None
    why: str = ""

    def read(self, *, count: int) -> tuple[float, ...] | None:
        """As many scores from 0 to 1 as were asked for, or `None` where they make no sense."""
        given = (self.first, self.second)[:count]
        known = [each for each in given if each is not None and 0.0 <= each <= BEST]
        return tuple(each / BEST for each in known) if len(known) == count else None


def build_score_question(
    task: Task,
    outputs: Sequence[str],
    *,
    input: object,  # noqa: A002 - the field's word
    timeout: timedelta | None,
) -> Question[Scores]:
    """What a judge is asked about the output of a run, and of the run beside it."""
    untrusted: dict[str, str] = {}
    if input is not None:
        untrusted |= split_pieces(format_value(input), name="what the run was given")
    for name, output in zip(("first output", "second output"), outputs, strict=False):
        untrusted |= split_pieces(output, name=name)
    rubric = task.settings.rubric if task.settings else ""
    return Question(
        prompt=SCORE_PROMPT,
        values={
            "description": Ours(task.description),
            "expected_output": Ours(task.expected_output or "(not stated)"),
            "rubric": Ours(rubric or "(nothing)"),
        },
        untrusted=untrusted,
        answer=Scores,
        purpose="score a run of a task",
        timeout=timeout,
    )


WARNING = 0.1
TOOL_ERROR = 0.1
RETRY = 0.05
COST = 0.1
"""For a run that took twice its usual tokens, or more."""
LEAST_ACCEPTED = 0.5
"""The minimum score of an accepted output: always above a rejected one."""


def read_score(said: Any) -> float:
    """A score from 0 to 1."""
    score = float(said)
    check_score(score)
    return score


def score_run(
    ran: Ran, *, verdict: Verdict, usual_tokens: float | None = None, told: bool = True
) -> float | None:
    """From 0 to 1, by acceptance first, then by errors and cost; `None` when it cannot be scored.

    `told`: whether the run reported its outcome. An unchecked bare output is no evidence.
    """
    if verdict.standing is Standing.UNCHECKED and not told:
        return None
    if verdict.standing is Standing.REJECTED:
        return 0.0
    if verdict.standing is Standing.UNREVIEWED:
        return None
    # How far above the usual, from 0 to 1.
    excess = ran.tokens / usual_tokens - 1.0 if ran.tokens is not None and usual_tokens else 0.0
    rough = (
        WARNING * len(verdict.findings)
        + TOOL_ERROR * ran.tool_errors
        + RETRY * ran.retries
        + COST * min(1.0, max(0.0, excess))
    )
    return max(LEAST_ACCEPTED, 1.0 - rough)
