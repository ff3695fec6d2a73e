"""Calls of a pack's tools beside somebody else, held against a model that knows nothing of ours.

A history has a beginning, the calls, what somebody else does, and an end. What the journal says of
each call tells what should be there then; the open list leaves a choice, and nothing else does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from bench.packs.campaign import Totals
from mulligan import Mulligan, State
from mulligan.types.action import HOLDS, SETTLED, Action, ActionQuery

THEIRS = "theirs"
"""In everything that somebody else writes."""

Seen = dict[str, Any]
"""All that there is, by its name, as anybody would find it."""
STANDS = (State.VERIFIED, State.UNCHECKED, State.DISPUTED)
SOMEONE = "Someone changed it"
HALF = "may have done a part of that"
_QUOTED = re.compile(r"'.*'|\d+", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something that happened, or was to happen."""

    call: int | None
    """Which of the calls; `None`: it was somebody else."""
    apply: Callable[[Seen], Seen | None]
    """What comes of it; `None`: that cannot be."""


@dataclass(frozen=True, kw_only=True)
class Fate:
    """What is said of one action in the end."""

    call: int
    state: State
    why: str = ""
    held: bool = False
    """A person was asked before anything was done."""

    @property
    def choices(self) -> tuple[bool, ...]:
        """Whether it should be there; both where nobody claims to know."""
        if self.state in STANDS or SOMEONE in self.why:
            return (True,)
        if self.state in SETTLED | HOLDS:
            return (False,)
        return (True, False)

    @property
    def halved(self) -> bool:
        """Whether it is said that a part of it may have been undone."""
        return HALF in self.why


def overlay(changes: Mapping[str, Any]) -> Callable[[Seen], Seen]:
    """Have some names be something else; `None`: be gone."""
    return lambda seen: {k: v for k, v in {**seen, **changes}.items() if v is not None}


def find_changes(one: Seen, other: Seen) -> dict[str, Any]:
    """What became of the names that are not as they were."""
    return {name: other.get(name) for name in {**one, **other} if one.get(name) != other.get(name)}


@dataclass(kw_only=True)
class Verdict:
    """A history from its beginning to its end."""

    base: Seen
    orders: list[list[Step]]
    """What happened, in every order in which it may have."""
    end: Seen
    fates: list[Fate]
    kind: str
    """What was done and what befell it, for whoever reads of it."""
    trouble: str = ""
    """Why a person may be asked though nobody else was there: a kill, a lost answer."""
    must_settle: bool = False
    """Nothing befell it, so that nobody may be asked."""
    needless: list[str] = field(default_factory=list)
    """What was refused, and could have been done."""
    untrue: list[str] = field(default_factory=list)
    """Sentences that did not hold, as the history itself has seen."""
    alike: Callable[[Any, Any], bool] = lambda wanted, there: bool(wanted == there)

    def judge(self, totals: Totals) -> None:
        """Count what is not as it must be."""
        totals.histories += 1
        wrong = Counter[str](needless=len(self.needless), untrue=len(self.untrue))
        edited = any(step.call is None for step in self.orders[0])
        waiting = [each for each in self.fates if each.held or each.state not in SETTLED]
        for each in waiting:
            totals.person[self._name_cause(each, edited=edited)] += 1
        totals.outcomes["person" if waiting else self._sum_up()] += 1
        wrong["needless"] += self.must_settle and sum(not each.held for each in waiting)
        wrong["untrue"] += any(SOMEONE in e.why for e in self.fates) and not edited
        differences = self._find_differences()
        for name, (wanted, there) in differences.items():
            wrong[self._classify(name, wanted, there)] += 1
        totals.count(wrong, lambda told: f"{told} {self.kind} {self._describe(differences)}")

    def _sum_up(self) -> str:
        states = {each.state for each in self.fates} - {State.NOT_EXECUTED}
        return "undone" if states == {State.UNDONE} else "refused" if not states else "kept"

    def _name_cause(self, fate: Fate, *, edited: bool) -> str:
        if fate.held:
            return f"held: {_QUOTED.sub('…', fate.why)}"[:120]
        if edited:
            return f"{fate.state}: somebody else was there"
        return f"{fate.state}: {self.trouble or 'nothing befell it'}"

    def list_worlds(self) -> Iterator[Seen]:
        """All that may be there, by what is said."""
        said = {each.call: each for each in self.fates}
        for steps in self.orders:
            # Of an undo that did not finish, each step may have been undone.
            named = [
                (step.call, at if step.call in said and said[step.call].halved else None)
                for at, step in enumerate(steps)
            ]
            choices = {
                name: said[name[0]].choices if name[0] in said else (name[0] is None,)
                for name in named
            }
            for chosen in product(*choices.values()):
                stands = dict(zip(choices, chosen, strict=True))
                world: Seen | None = self.base
                for step, name in zip(steps, named, strict=True):
                    if world is not None and stands[name]:
                        world = step.apply(world)
                if world is not None:
                    yield world

    def _find_differences(self) -> dict[str, tuple[Any, Any]]:
        """In what the end differs from what it is nearest to."""
        found = [self._compare(world) for world in self.list_worlds()]
        return min(found, key=len) if found else {"": ("something that can be", "")}

    def _compare(self, world: Seen) -> dict[str, tuple[Any, Any]]:
        return {
            name: (world.get(name), self.end.get(name))
            for name in {**world, **self.end}
            if not self.alike(world.get(name), self.end.get(name))
        }

    def _classify(self, name: str, wanted: Any, there: Any) -> str:
        if THEIRS in repr(wanted) and THEIRS not in repr(there):
            return "overwritten" if there is not None else "deleted"
        if name in self.base:
            return "lost" if there is not None else "deleted"
        return "untrue"

    def _describe(self, differences: Mapping[str, Any]) -> str:
        told = [f"{each.call}: {each.state} {each.why}" for each in self.fates]
        return f"{told} needless={self.needless} untrue={self.untrue} {differences}"[:2_000]


def list_actions(m: Mulligan) -> list[Action]:
    """All that the journal has, settled or not."""
    return m._parts.store.journal.list_actions(ActionQuery(limit=1_000))


def read_fates(m: Mulligan, known: Sequence[Sequence[str]]) -> list[Fate]:
    """What is said of every action; `known`: after each call, the ids there were."""
    fates = []
    for each in list_actions(m):
        first = m._parts.store.journal.list_entries(each.id)[0]
        said = first if first.state is State.HELD else each
        fates.append(
            Fate(
                call=next((at for at, ids in enumerate(known) if each.id in ids), len(known)),
                state=each.state,
                why=str(said.detail.get("why") or said.detail.get("reason") or ""),
                held=first.state is State.HELD,
            )
        )
    return fates
