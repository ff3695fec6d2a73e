"""Which versions are worth building on: those that nobody beats at everything.

A version that is best at one kind of trouble knows something, though another is better on average.
Kept is the Pareto front over kinds of trouble, and each is built on as often as it is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from mulligan.core.notes import TaskRun
from mulligan.core.runtime.dataclass import dataclass

OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A version as its recorded runs show it."""

    version: int
    n: int
    at: dict[str, float] = field(default_factory=dict)
    """Its score overall, and the share of its runs that were free of each kind of trouble."""
    wins: int = 0
    """At how many of these nobody on the front is better."""


def find_front(runs: Sequence[TaskRun]) -> list[Candidate]:
    """The versions that no other is as good as at everything, the most often best first."""
    scored = [run for run in runs if run.score is not None]
    kinds = sorted({run.problem for run in scored if run.problem})
    versions = sorted({run.version for run in scored})
    seen = [_build(version, scored, kinds=kinds) for version in versions]
    front = [one for one in seen if not any(_is_beaten(one, by=other) for other in seen)]
    best = (
        {kind: max(each.at[kind] for each in front) for kind in [OVERALL, *kinds]} if front else {}
    )
    counted = [
        Candidate(
            version=each.version,
            n=each.n,
            at=each.at,
            wins=sum(each.at[kind] >= top for kind, top in best.items()),
        )
        for each in front
    ]
    return sorted(counted, key=lambda each: (-each.wins, -each.at[OVERALL], each.version))


def pick_parent(front: Sequence[Candidate], *, turn: int) -> Candidate:
    """Whom to build on in one turn of a search: each as often as it is best, in order."""
    slots = [each for each in front for _ in range(max(1, each.wins))]
    return slots[turn % len(slots)]


def pick_lesson(
    runs: Sequence[TaskRun], *, parent: Candidate, turn: int
) -> tuple[TaskRun, tuple[TaskRun, ...]]:
    """The parent's run to learn from, the worst first, and runs of others to hold it against."""
    scored = [run for run in runs if run.score is not None]
    own = sorted(
        (run for run in scored if run.version == parent.version), key=lambda run: run.score or 0.0
    )
    chosen = own[turn % len(own)]
    ranked = sorted(scored, key=lambda run: run.score or 0.0, reverse=True)
    return chosen, tuple(run for run in ranked if run is not chosen)


def _build(version: int, runs: Sequence[TaskRun], *, kinds: Sequence[str]) -> Candidate:
    own = [run for run in runs if run.version == version]
    free = {kind: sum(run.problem != kind for run in own) / len(own) for kind in kinds}
    mean = sum(run.score or 0.0 for run in own) / len(own)
    return Candidate(version=version, n=len(own), at={OVERALL: mean, **free})


def _is_beaten(one: Candidate, *, by: Candidate) -> bool:
    """Whether the other is as good at everything, and better at something."""
    pairs = [(one.at[kind], by.at[kind]) for kind in one.at]
    return all(own <= other for own, other in pairs) and any(o < t for o, t in pairs)
