"""What was learned about a task's instructions, and what was seen of it in runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import cast

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing

GENERATIONS = 20
"""How far back a version's ancestors are looked at."""


class NotesState(StrEnum):
    """Where a version stands on one ground."""

    TRIAL = "trial"
    """It gets some of the runs, as many as its evidence earns it."""
    CHAMPION = "champion"
    """Proven better, or put there without proof on request. Version 0 is, where no other is."""
    PINNED = "pinned"
    """A person's decision: it gets every run."""
    RETIRED = "retired"


ON_TOP = (NotesState.CHAMPION, NotesState.PINNED)
"""There is room for one of these on a ground."""


class Refinement(Struct, frozen=True, kw_only=True):
    """What a strategy proposes: clearer instructions, and what it noticed."""

    description: str = ""
    expected_output: str = ""
    observations: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Strategies are users' code: most would write a list, or a text where there is only one.
        for name in ("observations", "suggestions"):
            given: object = getattr(self, name)
            if isinstance(given, list | str):
                force_setattr(self, name, (given,) if isinstance(given, str) else tuple(given))


class Notes(Struct, frozen=True, kw_only=True):
    """One version in a task's task versions. It never changes."""

    task: str
    """The task's identity."""
    version: int
    """0 is the static definition, and never goes away."""
    refinement: Refinement
    """Of version 0: the static definition itself, for people to read."""
    at: datetime
    tenant: str = ""
    parent: int | None = None
    changes: tuple[str, ...] = ()
    """What differs from the parent, in a few words each."""
    model: str = ""
    """That the task ran on when this was proposed."""
    runs: int = 0
    """How many runs of the task had been made by then."""
    by: str = ""
    """Who proposed it: the name of a model or of a strategy."""

    @property
    def advice(self) -> Refinement:
        """What is put before the task: of version 0, nothing."""
        return self.refinement if self.version else Refinement()


class Ground(Struct, frozen=True, kw_only=True):
    """Where evidence counts: what is proven on one ground is on trial on another."""

    task: str
    tenant: str = ""
    model: str = ""
    definition: str = ""
    """SHA-256 of the static text, so that an edited task is tested again."""


class Pairs(Struct, frozen=True, kw_only=True):
    """What was seen of a version where it and another did the same work on the same input."""

    against: int
    n: int = 0
    ahead: float = 0.0
    """The sum of its scores less the other's."""
    squares: float = 0.0
    """The sum of those differences squared."""
    score: float = 0.0
    """The sum of its own scores in those pairs."""


class Scorecard(Struct, frozen=True, kw_only=True):
    """What was seen of one version on one ground."""

    version: int
    state: NotesState = NotesState.TRIAL
    runs: int = 0
    """All of them, scored or not."""
    scored: int = 0
    """The runs that count as evidence."""
    score: float = 0.0
    """The sum of their scores, each from 0 to 1."""
    squares: float = 0.0
    """The sum of their squares, so that graded scores say how much they spread."""
    since_scored: int = 0
    """Of those, the ones since it became champion."""
    since_score: float = 0.0
    since_squares: float = 0.0
    pairs: tuple[Pairs, ...] = ()
    """By the other version."""
    metered: int = 0
    """Runs whose tokens are known."""
    tokens: float = 0.0
    """The sum over those."""
    seconds: float = 0.0
    """The sum over all runs."""


class PairedScore(Struct, frozen=True, kw_only=True):
    """The result of another version on the same input."""

    version: int
    score: float


class TaskRun(Struct, frozen=True, kw_only=True):
    """One run of a task, as its task versions keeps it."""

    version: int
    at: datetime
    score: float | None
    """From 0 to 1; `None`: unknown, so it is no evidence."""
    standing: Standing
    problem: str = ""
    """The kind of failure: a finding's rule, an exception's name. Empty when all went well."""
    excerpt: str = ""
    """The output, less secrets, cut in the middle where it is long."""
    tokens: int | None = None
    seconds: float = 0.0
    id: str = ""
    """What a person's thumb is for: `m.rate(done.id, …)`."""
    beside: PairedScore | None = None
    """The static text's run on the same input, where the work was made twice."""


def check_notes(notes: Notes) -> None:
    """Refuse what no version can be, before a `TaskVersions` writes it."""
    if not isinstance(cast("object", notes), Notes):
        raise ConfigurationError(f"{notes!r} is no version of notes: there is nothing to keep.")
    _check_name(notes.task, what="task")
    if not isinstance(notes.refinement, Refinement):
        raise ConfigurationError(
            f"{notes.refinement!r} is no Refinement: there is nothing to keep."
        )
    if type(notes.runs) is not int or notes.runs < 0:
        raise ConfigurationError(f"runs={notes.runs!r}: a number of runs cannot be negative.")


def check_run(ground: Ground, run: TaskRun) -> None:
    """Refuse what no run can have been, before a `TaskVersions` counts it."""
    if not isinstance(cast("object", run), TaskRun):
        raise ConfigurationError(f"{run!r} is no run: there is nothing to count.")
    _check_name(ground.task, what="task")
    if type(run.version) is not int or run.version < 0:
        raise ConfigurationError(f"version={run.version!r} is no version: they begin with 0.")
    if run.score is not None:
        check_score(run.score)
    for name, value in (("tokens", run.tokens), ("seconds", run.seconds)):
        if value is not None and not value >= 0:
            raise ConfigurationError(f"{name}={value!r}: a run cannot take less than nothing.")


def check_score(score: float) -> None:
    """Refuse a score that is none."""
    if not isinstance(score, int | float) or not 0.0 <= score <= 1.0:
        raise ConfigurationError(f"score={score!r} is not from 0 to 1.")


def _check_name(name: object, *, what: str) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"{what}={name!r} names nothing: use a text that is not blank.")


def check_move(version: int, state: NotesState) -> None:
    """Version 0 is always there: it can be pinned, but neither crowned nor retired."""
    if version == 0 and state in (NotesState.CHAMPION, NotesState.RETIRED):
        raise ConfigurationError(
            f"Version 0 is the static definition and cannot become {state}: it is champion "
            "wherever no other is, and it never goes away. Pin it to use nothing else."
        )


def may_enter(state: NotesState, *, version: int, pinned: int | None) -> bool:
    """Whether a version may come to stand there: a pinned one makes room for no champion."""
    return state is not NotesState.CHAMPION or pinned in (None, version)


def find_needed_versions(
    parents: Mapping[int, int | None], *, in_play: Collection[int]
) -> set[int]:
    """Of a task's versions, those that retention leaves alone, however old they are.

    Version 0, the newest, those not retired on some ground, and what the belief in them rests on.
    """
    needed = {0, max(parents, default=0)}
    for version in in_play:
        ancestor: int | None = version
        for _ in range(GENERATIONS + 1):
            if ancestor is None:
                break
            needed.add(ancestor)
            ancestor = parents.get(ancestor)
    return needed


def add_run(card: Scorecard, run: TaskRun) -> Scorecard:
    """The scorecard with one more run on it."""
    scored, score = int(run.score is not None), run.score or 0.0
    since = card.state is NotesState.CHAMPION
    return replace(
        card,
        runs=card.runs + 1,
        scored=card.scored + scored,
        score=card.score + score,
        squares=card.squares + score * score,
        since_scored=card.since_scored + since * scored,
        since_score=card.since_score + since * score,
        since_squares=card.since_squares + since * score * score,
        pairs=add_pair(card.pairs, run),
        metered=card.metered + (run.tokens is not None),
        tokens=card.tokens + (run.tokens or 0),
        seconds=card.seconds + run.seconds,
    )


def add_pair(pairs: tuple[Pairs, ...], run: TaskRun) -> tuple[Pairs, ...]:
    """The pairs with one more, if the run was half of one."""
    beside = run.beside
    if beside is None or run.score is None:
        return pairs
    known = {each.against: each for each in pairs}
    had = known.get(beside.version) or Pairs(against=beside.version)
    ahead = run.score - beside.score
    known[beside.version] = replace(
        had,
        n=had.n + 1,
        ahead=had.ahead + ahead,
        squares=had.squares + ahead * ahead,
        score=had.score + run.score,
    )
    return tuple(known[number] for number in sorted(known))


def add_rating(card: Scorecard, run: TaskRun, *, score: float) -> Scorecard:
    """The scorecard once a person has said how good a run was: their word is its score."""
    scored, old = int(run.score is None), run.score or 0.0
    since = card.state is NotesState.CHAMPION
    more, squares = score - old, score * score - old * old
    return replace(
        card,
        scored=card.scored + scored,
        score=card.score + more,
        squares=card.squares + squares,
        # Whether it was scored since then is not known of a run that had a score already.
        since_scored=card.since_scored + since * scored,
        since_score=card.since_score + since * scored * score,
        since_squares=card.since_squares + since * scored * score * score,
    )


def change_state(card: Scorecard, state: NotesState) -> Scorecard:
    """The scorecard in another state; a champion keeps what was seen since then.

    What made it champion was picked for being good, so it is poor evidence once that is in doubt.
    """
    crowned = card.state is NotesState.CHAMPION
    return replace(
        card,
        state=state,
        scored=card.since_scored if crowned else card.scored,
        score=card.since_score if crowned else card.score,
        squares=card.since_squares if crowned else card.squares,
        since_scored=0,
        since_score=0.0,
        since_squares=0.0,
    )
