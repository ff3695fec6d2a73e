"""What was learned about a task's instructions, and what was seen of it in runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Standing

GENERATIONS = 20
"""How far back a version's ancestors are looked at."""


class NotesState(StrEnum):
    """Where a version stands on one ground."""

    TRIAL = "trial"
    """It gets some of the runs, as many as its evidence earns it."""
    CHAMPION = "champion"
    """Proven better, or put there by whoever asks for no proof. Version 0 is, where no other is."""
    PINNED = "pinned"
    """A person's word: it gets every run."""
    RETIRED = "retired"


ON_TOP = (NotesState.CHAMPION, NotesState.PINNED)
"""There is room for one of these on a ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """What a strategy proposes: clearer instructions, and what it noticed."""

    description: str = ""
    expected_output: str = ""
    observations: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Strategies are users' code, and a list is what most would write.
        for name in ("observations", "suggestions"):
            given: object = getattr(self, name)
            if isinstance(given, list):
                object.__setattr__(self, name, tuple(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """One version in a task's archive. It never changes."""

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

    @property
    def advice(self) -> Refinement:
        """What is put before the task: of version 0, nothing."""
        return self.refinement if self.version else Refinement()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where evidence counts: what is proven on one ground is on trial on another."""

    task: str
    tenant: str = ""
    model: str = ""
    definition: str = ""
    """SHA-256 of the static text, so that an edited task is tested again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """What was seen of one version on one ground."""

    version: int
    state: NotesState = NotesState.TRIAL
    runs: int = 0
    """All of them, scored or not."""
    scored: int = 0
    """The runs that count as evidence."""
    score: float = 0.0
    """The sum of their scores, each from 0 to 1."""
    since_scored: int = 0
    """Of those, the ones since it became champion."""
    since_score: float = 0.0
    metered: int = 0
    """Runs whose tokens are known."""
    tokens: float = 0.0
    """The sum over those."""
    seconds: float = 0.0
    """The sum over all runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRun:
    """One run of a task, as its archive keeps it."""

    version: int
    at: datetime
    score: float | None
    """From 0 to 1; `None`: nobody could tell, so it is no evidence."""
    standing: Standing
    problem: str = ""
    """The kind of failure: a finding's rule, an exception's name. Empty when all went well."""
    excerpt: str = ""
    """The beginning of the output, less secrets."""
    tokens: int | None = None
    seconds: float = 0.0


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
        since_scored=card.since_scored + since * scored,
        since_score=card.since_score + since * score,
        metered=card.metered + (run.tokens is not None),
        tokens=card.tokens + (run.tokens or 0),
        seconds=card.seconds + run.seconds,
    )


def change_state(card: Scorecard, state: NotesState) -> Scorecard:
    """The scorecard in another state; who was champion keeps what was seen since then.

    What made it champion was picked for being good, so it is poor evidence once that is in doubt.
    """
    crowned = card.state is NotesState.CHAMPION
    return replace(
        card,
        state=state,
        scored=card.since_scored if crowned else card.scored,
        score=card.since_score if crowned else card.score,
        since_scored=0,
        since_score=0.0,
    )
