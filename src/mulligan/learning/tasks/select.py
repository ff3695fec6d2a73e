"""Which version of a task's notes gets the next run, and which keeps its place: by evidence alone.

Nothing here reads a clock, a store or a model, and chance is passed in: the same scorecards and
the same chance give the same choice, in any process.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mulligan.core.notes import GENERATIONS, Notes, NotesState, Scorecard

PRIOR = 10.0
"""How many runs of its own outweigh what is known of a version's parent. Notes seldom change much,
so a new version is taken to be as good as the one it came from until it shows otherwise."""
ENOUGH = 10
"""Runs before a version is promoted or retired."""
PROMOTED_AT = 0.95
RETIRED_AT = 0.05
KEPT_AT = 0.7
"""A champion stays one while it is this probable that it is better than version 0. Losing the place
costs next to nothing, because it is sampled on; keeping a harmful one costs every run."""
KEPT_AFTER = 5
"""Runs a champion gets before that is asked."""
ON_TRIAL = 3
"""Versions on trial at most when a new one has been added, itself included."""
MOST_ON_TRIAL = 2 * ON_TRIAL
"""That get runs, where fallen champions, or an archive that once took everything, left more."""
SLACK = {"tokens": 50.0, "seconds": 1.0}
"""Differences in cost that are too small to matter, whatever their ratio."""

_STATIC = 0


class Belief(NamedTuple):
    """What is believed of a version's success: a beta distribution."""

    good: float
    bad: float

    @property
    def mean(self) -> float:
        """The success to expect."""
        return self.good / (self.good + self.bad)

    @property
    def variance(self) -> float:
        """How unsure that is."""
        return self.mean * (1 - self.mean) / (self.good + self.bad + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A version should stand elsewhere, and why."""

    version: int
    was: NotesState
    state: NotesState
    probability: float
    """That it is better than the champion, or of a champion: than version 0."""
    n: int
    """How many runs that rests on."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Every version on one ground, with its parent."""

    cards: Mapping[int, Scorecard] = field(default_factory=dict)
    parents: Mapping[int, int | None] = field(default_factory=dict)

    @property
    def champion(self) -> int:
        """The version that is proven best; version 0 where none is."""
        crowned = (v for v, card in self.cards.items() if card.state is NotesState.CHAMPION)
        return next(crowned, _STATIC)

    @property
    def pinned(self) -> int | None:
        """The version that a person gave every run, if one is."""
        chosen = (v for v, card in self.cards.items() if card.state is NotesState.PINNED)
        return next(chosen, None)

    @property
    def on_top(self) -> int:
        """The pinned version, else the champion."""
        return self.champion if self.pinned is None else self.pinned

    @property
    def playing(self) -> list[int]:
        """The versions that may get a run; version 0 always may."""
        return sorted({_STATIC, self.champion, *self.on_trial})

    @property
    def on_trial(self) -> list[int]:
        """Those on trial besides version 0, in order; of too many, the newest."""
        waiting = (v for v, card in self.cards.items() if card.state is NotesState.TRIAL and v)
        return sorted(waiting)[-MOST_ON_TRIAL:]

    def find_card(self, version: int) -> Scorecard:
        """What was seen of a version, if anything."""
        return self.cards.get(version) or Scorecard(version=version)

    def estimate_belief(self, version: int) -> Belief:
        """What is believed of a version: its own runs, on top of its parent's."""
        card = self.find_card(version)
        return self.weigh_evidence(version, told=Belief(card.score, card.scored - card.score))

    def weigh_evidence(self, version: int, *, told: Belief) -> Belief:
        """What is believed of a version that is known by `told` alone, besides its parent."""
        mean, runs = 0.5, 2.0
        for ancestor in reversed(self._list_ancestors(version)):
            card = self.find_card(ancestor)
            mean = (runs * mean + card.score) / (runs + card.scored)
            runs = PRIOR
        return Belief(runs * mean + told.good, runs * (1 - mean) + told.bad)

    def _list_ancestors(self, version: int) -> list[int]:
        """From the parent back to version 0, leaving out those too far back to matter."""
        line: list[int] = []
        while version != _STATIC:
            parent = self.parents.get(version) or _STATIC
            # A parent is older than its child; where an archive is damaged, this ends all the same.
            if parent >= version or len(line) == GENERATIONS:
                parent = _STATIC
            line.append(parent)
            version = parent
        return line


def build_standings(cards: Iterable[Scorecard], notes: Iterable[Notes]) -> Standings:
    """The scorecards of a ground, with what the archive knows of their parents."""
    return Standings(
        cards={card.version: card for card in cards},
        parents={version.version: version.parent for version in notes},
    )


def choose(standings: Standings, *, chance: random.Random) -> int:
    """The version for the next run: the pinned one, else by Thompson sampling."""
    if standings.pinned is not None:
        return standings.pinned
    draws = {v: chance.betavariate(*standings.estimate_belief(v)) for v in standings.playing}
    return max(draws, key=lambda version: draws[version])


def choose_best(standings: Standings) -> int:
    """The version to build on: the one with the highest success to expect."""
    return max(standings.playing, key=lambda version: standings.estimate_belief(version).mean)


def estimate_better(one: Belief, other: Belief) -> float:
    """That `one` is better than `other`, taking both for normal: near enough from ten runs on."""
    spread = math.sqrt(one.variance + other.variance)
    return 0.5 * math.erfc((other.mean - one.mean) / (spread * math.sqrt(2)))


def settle(standings: Standings, *, most_cost: float) -> Iterator[Change]:
    """What the evidence so far says should change; a champion is looked at before its rivals.

    Nothing, while a version is pinned: a person has said what is to be.
    """
    if standings.pinned is not None:
        return
    fallen = _check_champion(standings, most_cost=most_cost)
    if fallen is not None:
        yield fallen
        return
    rivals = [_compare_version(standings, version) for version in standings.on_trial]
    for change in sorted(rivals, key=lambda change: change.probability, reverse=True):
        if change.n < ENOUGH:
            continue
        too_dear = describe_excess_cost(standings, change.version, most_cost=most_cost)
        if too_dear is not None:
            yield replace(change, reason=too_dear)
        elif change.probability <= RETIRED_AT:
            yield change
        elif change.probability >= PROMOTED_AT:
            yield _promote(change)
            return


def make_room(standings: Standings) -> Iterator[Change]:
    """Who has to go so that one more can be tried: the least promising first."""
    waiting = sorted(
        standings.on_trial, key=lambda version: standings.estimate_belief(version).mean
    )
    for version in waiting[: max(0, len(waiting) - ON_TRIAL + 1)]:
        yield _compare_version(standings, version, reason="to make room for a new version")


def describe_excess_cost(standings: Standings, version: int, *, most_cost: float) -> str | None:
    """Why a version costs too much beside version 0, or `None`."""
    card, static = standings.find_card(version), standings.find_card(_STATIC)
    measured = (
        ("tokens", card.tokens, card.metered, static.tokens, static.metered),
        ("seconds", card.seconds, card.runs, static.seconds, static.runs),
    )
    for unit, total, n, static_total, static_n in measured:
        if n < ENOUGH or static_n < ENOUGH:
            continue
        mean, usual = total / n, static_total / static_n
        if mean > most_cost * usual and mean > usual + SLACK[unit]:
            return f"it takes {mean:,.1f} {unit} a run, and version 0 takes {usual:,.1f}"
    return None


def _check_champion(standings: Standings, *, most_cost: float) -> Change | None:
    """The champion's fall, told by what was seen since it became one.

    What made it champion was picked for being good, and so it says too much for it.
    """
    champion = standings.champion
    card = standings.find_card(champion)
    if champion == _STATIC or card.since_scored < KEPT_AFTER:
        return None
    since = Belief(card.since_score, card.since_scored - card.since_score)
    static = standings.estimate_belief(_STATIC)
    # Held against version 0 alone, so what a parent once showed does not speak for it either.
    alone = Standings(cards=standings.cards)
    probability = estimate_better(alone.weigh_evidence(champion, told=since), static)
    reason = describe_excess_cost(standings, champion, most_cost=most_cost)
    if reason is None and probability < KEPT_AT:
        reason = f"it is better than version 0 with a probability of only {probability:.2f}"
    if reason is None:
        return None
    return Change(
        version=champion,
        was=NotesState.CHAMPION,
        state=NotesState.TRIAL,
        probability=probability,
        n=card.since_scored,
        reason=reason,
    )


def _compare_version(standings: Standings, version: int, *, reason: str = "") -> Change:
    """A version on trial beside the champion, as a retirement that may still become a promotion."""
    champion = standings.champion
    probability = estimate_better(
        standings.estimate_belief(version), standings.estimate_belief(champion)
    )
    return Change(
        version=version,
        was=NotesState.TRIAL,
        state=NotesState.RETIRED,
        probability=probability,
        n=standings.find_card(version).scored,
        reason=reason or f"it is better than version {champion} only with {probability:.2f}",
    )


def _promote(change: Change) -> Change:
    reason = f"it is better with a probability of {change.probability:.2f}"
    return replace(change, state=NotesState.CHAMPION, reason=reason)
