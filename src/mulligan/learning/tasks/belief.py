"""What is believed of all versions of a task at once, because they are related.

A version does as well as the one it was built on, plus what its reflector's proposals do on
average, plus a part of its own. All of that is normal, so the belief is exact: one linear system.
The average is learned too, and so a reflector whose proposals helped is trusted sooner. Nothing has
to be corrected for looking often, or for looking at the best: the evidence is weighed, not tested.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mulligan.core.notes import Scorecard
from mulligan.core.runtime.dataclass import dataclass

OWN_PART = 0.07
"""How far one proposal's effect typically lies from its reflector's average."""
EXTREME_OWN_PART, EXTREME_SPREAD = 0.05, 0.1
"""The same, and the average, of a reflector that does far more harm than most: a hostile one. Its
like for the better is not believed: a lucky leap would make every later proposal look good."""
EXTREME_ODDS = 0.5
"""How probable such a one is beside a usual one, before anything was seen."""
STATIC_MEAN, STATIC_SPREAD = 0.5, 0.3
"""What is believed of the static text before any run."""
MOST_VERSIONS = 16
"""Versions that are weighed at once; of more, the latest."""
LEAST_VARIANCE = 0.02
"""Of one run's score, however alike a few of them were."""
_STATIC = 0
_GUESSED = 5.0
"""Runs' worth of taking a score for a yes or a no, before scores have shown how they spread."""

Rows = list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectorRecord:
    """What a reflector's proposals do to a task's score on average, as far as is known."""

    mean: float = 0.0
    spread: float = 0.02

    @property
    def trust(self) -> float:
        """How probable it is that its proposals help more than they hurt."""
        return _integrate_normal(self.mean / self.spread)


NOBODY = ReflectorRecord()
"""A reflector that nothing is known of."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The versions' success, jointly: means, and the Cholesky factor of the precision."""

    places: Mapping[int, int]
    """Where each version stands in the system; the reflector's average comes last."""
    means: Sequence[float]
    factor: Rows
    support: float = 0.0
    """How well the evidence fits what was assumed, as a logarithm; only differences mean much."""

    def estimate(self, version: int) -> float:
        """The success to expect of a version."""
        return self.means[self.places[version]]

    def compare(self, one: int, other: int) -> float:
        """How probable it is that `one` is better than `other`."""
        if one == other:
            return 0.5
        apart = self.estimate(one) - self.estimate(other)
        spread = self._measure({self.places[one]: 1.0, self.places[other]: -1.0})
        return _integrate_normal(apart / spread)

    def judge_reflector(self) -> ReflectorRecord:
        """What the reflector's proposals do on average, after all that was seen."""
        last = len(self.means) - 1
        return ReflectorRecord(mean=self.means[last], spread=self._measure({last: 1.0}))

    def draw(self, chance: random.Random, *, boldness: float) -> dict[int, float]:
        """One joint guess at every version's success; `boldness` 1 is as unsure as the belief."""
        size = len(self.means)
        noise = [chance.gauss(0.0, boldness) for _ in range(size)]
        off = _solve_upper(self.factor, noise)
        return {version: self.means[at] + off[at] for version, at in self.places.items()}

    def sum_losses(self, runs: Mapping[int, int]) -> tuple[float, float]:
        """What these runs cost beside the static text: expected, and how unsure that is."""
        others = {v: n for v, n in runs.items() if v != _STATIC and n and v in self.places}
        weights = {self.places[version]: -float(n) for version, n in others.items()}
        weights[self.places[_STATIC]] = float(sum(others.values()))
        expected = sum(weight * self.means[at] for at, weight in weights.items())
        return expected, self._measure(weights)

    def _measure(self, weights: Mapping[int, float]) -> float:
        """The standard deviation of a weighted sum."""
        right = [weights.get(at, 0.0) for at in range(len(self.means))]
        return math.sqrt(sum(x * x for x in _solve_lower(self.factor, right)))


def weigh(
    cards: Mapping[int, Scorecard],
    parents: Mapping[int, int | None],
    *,
    needed: Iterable[int] = (),
    record: ReflectorRecord = NOBODY,
) -> Beliefs:
    """Everything that scorecards say about the versions, on top of the reflector's record.

    The reflector is a usual one, or a hostile one where the evidence speaks for that.
    """
    places = {v: at for at, v in enumerate(_choose_versions(cards, needed=needed))}
    lines = [_find_ancestor(v, parents, places=places) for v in places if v != _STATIC]

    def solve(prior: ReflectorRecord, own_part: float) -> Beliefs:
        system = _build_prior(places, lines, record=prior, own_part=own_part)
        _see_runs(system, cards, places)
        _see_pairs(system, cards, places)
        return system.solve(places)

    usual = solve(record, OWN_PART)
    if usual.means[-1] >= 0:
        return usual
    wider = replace(record, spread=max(record.spread, EXTREME_SPREAD))
    hostile = solve(wider, EXTREME_OWN_PART)
    return hostile if hostile.support + math.log(EXTREME_ODDS) > usual.support else usual


def _build_prior(
    places: Mapping[int, int],
    lines: Sequence[tuple[int, int]],
    *,
    record: ReflectorRecord,
    own_part: float,
) -> _System:
    """What holds before any run: where the static text may lie, and how versions are related."""
    last = len(places)
    system = _System(size=last + 1)
    system.assume({0: 1.0}, value=STATIC_MEAN, variance=STATIC_SPREAD**2)
    system.assume({last: 1.0}, value=record.mean, variance=record.spread**2)
    versions = (v for v in places if v != _STATIC)
    for version, (ancestor, steps) in zip(versions, lines, strict=True):
        related = {places[version]: 1.0, places[ancestor]: -1.0, last: -float(steps)}
        system.assume(related, value=0.0, variance=steps * own_part**2)
    return system


class _System:
    """Observations of weighted sums, gathered as precision and pull."""

    def __init__(self, *, size: int) -> None:
        self._precision: Rows = [[0.0] * size for _ in range(size)]
        self._pull = [0.0] * size
        self._support = 0.0

    def assume(self, weights: Mapping[int, float], *, value: float, variance: float) -> None:
        """As `see`, and counted into what the evidence has to fit."""
        self.see(weights, value=value, variance=variance)
        self._support -= 0.5 * (math.log(variance) + value * value / variance)

    def see(self, weights: Mapping[int, float], *, value: float, variance: float) -> None:
        for one, left in weights.items():
            self._pull[one] += left * value / variance
            for other, right in weights.items():
                self._precision[one][other] += left * right / variance

    def solve(self, places: Mapping[int, int]) -> Beliefs:
        factor = _decompose(self._precision)
        half = _solve_lower(factor, self._pull)
        fit = sum(0.5 * x * x - math.log(row[-1]) for x, row in zip(half, factor, strict=True))
        return Beliefs(places, _solve_upper(factor, half), factor, self._support + fit)


def _see_runs(system: _System, cards: Mapping[int, Scorecard], places: Mapping[int, int]) -> None:
    """Each version's own scores, but those of pairs: these say more beside each other."""
    variances = estimate_variances(cards)
    for version, at in places.items():
        card = cards.get(version)
        if card is None:
            continue
        n, total = _leave_out_pairs(card, cards)
        if n > 0:
            system.see({at: 1.0}, value=total / n, variance=variances[version] / n)


def _see_pairs(system: _System, cards: Mapping[int, Scorecard], places: Mapping[int, int]) -> None:
    variances = estimate_variances(cards)
    for version, card in cards.items():
        for pair in card.pairs:
            if version not in places or pair.against not in places or not pair.n:
                continue
            mean = pair.ahead / pair.n
            usual = variances[version] + variances.get(pair.against, variances[version])
            around = max(0.0, pair.squares - pair.n * mean * mean)
            variance = (_GUESSED * usual + around) / (_GUESSED + pair.n)
            weights = {places[version]: 1.0, places[pair.against]: -1.0}
            system.see(weights, value=mean, variance=max(variance, LEAST_VARIANCE / 4) / pair.n)


def _leave_out_pairs(card: Scorecard, cards: Mapping[int, Scorecard]) -> tuple[int, float]:
    """A version's scored runs that had no other beside them, and the sum of their scores."""
    n, total = card.scored, card.score
    for pair in card.pairs:
        n, total = n - pair.n, total - pair.score
    for other in cards.values():
        for pair in other.pairs:
            if pair.against == card.version:
                n, total = n - pair.n, total - (pair.score - pair.ahead)
    return n, total


def estimate_variances(cards: Mapping[int, Scorecard]) -> dict[int, float]:
    """How much one run's score varies, by version: a yes or no at most, graded scores less."""
    middles = {v: (card.score + 1.0) / (card.scored + 2.0) for v, card in cards.items()}
    widest = {v: middle * (1.0 - middle) for v, middle in middles.items()}
    seen = sum(_measure_scatter(card) for card in cards.values())
    possible = sum(card.scored * widest[v] for v, card in cards.items())
    guessed = _GUESSED * 0.25
    share = min(1.0, (guessed + seen) / (guessed + possible))
    return {v: max(LEAST_VARIANCE * share, share * wide) for v, wide in widest.items()}


def _measure_scatter(card: Scorecard) -> float:
    """The squared distances of a version's scores from their mean."""
    return max(0.0, card.squares - card.score**2 / card.scored) if card.scored else 0.0


def _choose_versions(cards: Mapping[int, Scorecard], *, needed: Iterable[int]) -> list[int]:
    """Version 0 and those needed, then the latest that were scored, in order."""
    chosen = {_STATIC, *needed}
    scored = sorted((v for v, card in cards.items() if card.scored), reverse=True)
    for version in scored:
        if len(chosen) >= MOST_VERSIONS:
            break
        chosen.add(version)
    return sorted(chosen)


def _find_ancestor(
    version: int, parents: Mapping[int, int | None], *, places: Mapping[int, int]
) -> tuple[int, int]:
    """The nearest one that is weighed too, and how many proposals lie between."""
    steps = 0
    while True:
        parent = parents.get(version) or _STATIC
        steps += 1
        # A parent is older than its child; where an archive is damaged, this ends all the same.
        if parent >= version or parent in places:
            return (parent if parent in places and parent < version else _STATIC), steps
        version = parent


def _decompose(matrix: Rows) -> Rows:
    """The lower triangle whose product with itself, turned, is the matrix."""
    factor: Rows = []
    for at, row in enumerate(matrix):
        line: list[float] = []
        for other in range(at + 1):
            above = line if other == at else factor[other]
            rest = row[other] - sum(map(float.__mul__, line, above[:other]))
            line.append(math.sqrt(rest) if other == at else rest / factor[other][other])
        factor.append(line)
    return factor


def _solve_lower(factor: Rows, right: Sequence[float]) -> list[float]:
    found: list[float] = []
    for row, value in zip(factor, right, strict=True):
        found.append((value - sum(map(float.__mul__, row, found))) / row[-1])
    return found


def _solve_upper(factor: Rows, right: Sequence[float]) -> list[float]:
    left = list(right)
    for at in range(len(left) - 1, -1, -1):
        row = factor[at]
        left[at] /= row[at]
        for other in range(at):
            left[other] -= row[other] * left[at]
    return left


def _integrate_normal(deviations: float) -> float:
    return 0.5 * math.erfc(-deviations / math.sqrt(2))
