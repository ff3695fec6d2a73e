"""Which version of a task's notes gets the next run, and which keeps its place: by evidence alone.

Nothing here reads a clock, a store or a model, and chance is passed in: the same scorecards and
the same chance give the same choice, in any process.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property

from mulligan.core.notes import Notes, NotesState, Scorecard
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.tasks.belief import NOBODY, Beliefs, ReflectorRecord, weigh

ENOUGH = 10
"""Runs before a version is promoted or retired."""
PROMOTED_AT = 0.9
RETIRED_AT = 0.05
KEPT_AT = 0.3
"""A champion stays one until it is this improbable that it is better than version 0: a place is
lost on evidence against it, not because what spoke for it has been used up."""
KEPT_IN_PAIRS_AT, MANY_PAIRS = 0.5, 20
"""The same once this many runs beside the static text were seen: there is little luck in so many
pairs, and even odds are evidence."""
AUDIT = 60
"""Runs that a new champion gets beside the static text before others are tried again."""
KEPT_AFTER = 3
"""Runs a champion gets before it is judged by those alone."""
ON_TRIAL = 8
"""Versions on trial at most when a new one has been added, itself included."""
MOST_ON_TRIAL = 2 * ON_TRIAL
"""That get runs, where fallen champions, or an archive that once took everything, left more."""
SLACK = {"tokens": 50.0, "seconds": 1.0}
"""Differences in cost that are too small to matter, whatever their ratio."""
BOLDNESS = 0.7
"""How far a draw strays from the belief: 1 would try more than a few hundred runs can repay."""
PROVEN = 0.7
"""Better than version 0 with this probability, a version gets each run that it is drawn for."""
CAUTION = 4.0
"""How fast that share falls for those that are less sure."""
ALLOWED_LOSS = 0.02
"""What trying versions may have cost beside the static text, for each run so far."""
SURE = 0.95
"""Once a version is better than version 0 with this probability, no run is made twice for it."""
BLIND_SHARE = 0.1
"""Of the runs that notes get while no run was ever scored."""
SOONEST, LATEST = 1.0, 120.0
"""Runs between two proposals of a reflector that is surely good, or surely bad."""

_STATIC = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A version should stand elsewhere, and why."""

    version: int
    was: NotesState
    state: NotesState
    probability: float
    """That it is better than what it is held against: the champion; of one, version 0."""
    n: int
    """How many runs that rests on."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class Standings:
    """Every version on one ground, with its parent, and the record of who proposes."""

    cards: Mapping[int, Scorecard] = field(default_factory=dict)
    parents: Mapping[int, int | None] = field(default_factory=dict)
    record: ReflectorRecord = NOBODY
    """What is known of the reflector from other tasks."""

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

    @property
    def scored(self) -> int:
        """How many runs are evidence."""
        return sum(card.scored for card in self.cards.values())

    @cached_property
    def beliefs(self) -> Beliefs:
        """What is believed of the versions that matter, all at once."""
        return weigh(self.cards, self.parents, needed=self.playing, record=self.record)

    def find_card(self, version: int) -> Scorecard:
        """What was seen of a version, if anything."""
        return self.cards.get(version) or Scorecard(version=version)


def build_standings(
    cards: Iterable[Scorecard], notes: Iterable[Notes], *, record: ReflectorRecord = NOBODY
) -> Standings:
    """The scorecards of a ground, with what the archive knows of their parents."""
    return Standings(
        cards={card.version: card for card in cards},
        parents={version.version: version.parent for version in notes},
        record=record,
    )


def choose(standings: Standings, *, chance: random.Random, paired: bool = False) -> int:
    """The version for the next run: the pinned one, else by Thompson sampling, with care.

    What is not yet proven shares its runs with the static text, and gets none while trying
    versions may have cost more than is allowed. Where runs are `paired`, a new champion is audited
    first: the better output goes out, so that looking closely costs nobody a worse one.
    """
    if standings.pinned is not None:
        return standings.pinned
    if not standings.scored:
        return _choose_blindly(standings, chance=chance)
    if paired and is_audited(standings):
        return standings.champion
    beliefs = standings.beliefs
    draws = beliefs.draw(chance, boldness=BOLDNESS)
    best = max(standings.playing, key=lambda version: draws[version])
    if best == _STATIC:
        return _STATIC
    probability = beliefs.compare(best, _STATIC)
    if probability < PROMOTED_AT and _is_overdrawn(standings):
        return _STATIC
    share = min(1.0, probability / PROVEN) ** CAUTION
    return best if chance.random() < share else _STATIC


def is_unsure(standings: Standings, version: int) -> bool:
    """Whether a run beside the static text could still tell something of a version.

    Of a champion, by what was seen since: what made it one was picked for being good.
    """
    if standings.pinned is not None or version not in standings.beliefs.places:
        return False
    if version == standings.champion:
        probability = estimate_since(standings, version)
    else:
        probability = standings.beliefs.compare(version, _STATIC)
    return 1 - SURE < probability < SURE


def is_audited(standings: Standings) -> bool:
    """Whether the champion is new, and what was seen since does not yet say enough of it."""
    champion = standings.champion
    if champion == _STATIC or standings.find_card(champion).since_scored >= AUDIT:
        return False
    return is_unsure(standings, champion)


def choose_best(standings: Standings) -> int:
    """The version to build on: the one with the highest success to expect."""
    return max(standings.playing, key=standings.beliefs.estimate)


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
    waiting = sorted(standings.on_trial, key=standings.beliefs.estimate)
    for version in waiting[: max(0, len(waiting) - ON_TRIAL + 1)]:
        yield _compare_version(standings, version, reason="to make room for a new version")


def plan_interval(standings: Standings, *, every: int) -> float:
    """Runs until the next proposal: `every`, sooner from a good reflector and later from a bad."""
    trust = standings.beliefs.judge_reflector().trust
    if not standings.scored:
        # Nothing will ever tell what a proposal did, so one is enough until something does.
        return math.inf if standings.on_trial else every
    far, sure = (SOONEST, 2 * trust - 1) if trust > 0.5 else (LATEST, 1 - 2 * trust)
    far = min(far, every) if trust > 0.5 else max(far, every)
    return every * math.pow(far / every, sure)


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


def estimate_since(standings: Standings, version: int) -> float:
    """That a champion is better than version 0, told by what was seen since it became one.

    What made it champion was picked for being good, and so it says too much for it.
    """
    card = standings.find_card(version)
    told = replace(
        card,
        scored=card.since_scored,
        score=card.since_score,
        squares=card.since_squares,
    )
    static = standings.find_card(_STATIC)
    # Held against version 0 alone, so what a parent once showed does not speak for it either.
    beliefs = weigh({_STATIC: static, version: told}, {version: _STATIC}, record=standings.record)
    return beliefs.compare(version, _STATIC) if version in beliefs.places else 0.5


def _choose_blindly(standings: Standings, *, chance: random.Random) -> int:
    """While nothing tells good from bad: the static text, and now and then the newest notes."""
    if standings.champion:
        return standings.champion
    tried = chance.random() < BLIND_SHARE
    return standings.on_trial[-1] if tried and standings.on_trial else _STATIC


def _is_overdrawn(standings: Standings) -> bool:
    """Whether trying versions cost more, within what is sure, than is allowed by now."""
    runs = {version: card.scored for version, card in standings.cards.items()}
    lost, unsure = standings.beliefs.sum_losses(runs)
    return lost + unsure > ALLOWED_LOSS * (standings.scored + 1)


def _check_champion(standings: Standings, *, most_cost: float) -> Change | None:
    """The champion's fall, if the evidence is against it."""
    champion = standings.champion
    card = standings.find_card(champion)
    if champion == _STATIC:
        return None
    # By all that is known, too: one that is believed to be worse is drawn no more, and so would
    # never be seen often enough to lose its place.
    probability = standings.beliefs.compare(champion, _STATIC)
    if card.since_scored >= KEPT_AFTER:
        probability = min(probability, estimate_since(standings, champion))
    reason = describe_excess_cost(standings, champion, most_cost=most_cost)
    paired = sum(pair.n for pair in card.pairs if pair.against == _STATIC)
    kept_at = KEPT_IN_PAIRS_AT if paired >= MANY_PAIRS else KEPT_AT
    if reason is None and probability < kept_at:
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
    probability = standings.beliefs.compare(version, champion)
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
