"""Selects the version of a task's notes for the next run, and the champion, by evidence alone.

Nothing here reads a clock, a store or a model, and randomness is passed in: the same scorecards and
the same seed give the same choice in any process.

A version does as well as the one it was built on, plus what its reflector's proposals do on
average, plus a part of its own. All of that is normal, so the belief is exact: one linear system.
The average is learned too, and so a reflector whose proposals helped is trusted sooner. Nothing has
to be corrected for looking often, or for looking at the best: the evidence is weighed, not tested.

A version that is best at one kind of failure is worth keeping, though another is better on average.
So the Pareto front over kinds of failure is kept, and each is built on as often as it is best.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.types.notes import Notes, NotesState, Pairs, Scorecard, TaskRun

OWN_PART = 0.07
"""How far one proposal's effect typically lies from its reflector's average."""
EXTREME_OWN_PART, EXTREME_SPREAD = 0.05, 0.1
"""The same, and the average, of a hostile reflector, which does far more harm than most. There is
no such class for the better: one lucky result would make every later proposal look good."""
EXTREME_ODDS = 0.5
"""The prior probability of a hostile reflector."""
STATIC_MEAN, STATIC_SPREAD = 0.5, 0.3
"""The prior of the static text."""
MOST_VERSIONS = 16
"""Versions that are weighed at once; of more, the latest."""
LEAST_VARIANCE = 0.02
"""Of one run's score, however alike a few of them were."""
_STATIC = 0
_GUESSED = 5.0
"""The weight, in runs, of the assumption that a score is a yes or a no."""

Rows = list[list[float]]


class ReflectorRecord(Struct, frozen=True, kw_only=True):
    """The average effect of a reflector's proposals on a task's score, as far as is known."""

    mean: float = 0.0
    spread: float = 0.02

    @property
    def trust(self) -> float:
        """How probable it is that its proposals help more than they hurt."""
        return _integrate_normal(self.mean / self.spread)


NOBODY = ReflectorRecord()
"""The record of an unknown reflector."""


class Beliefs(Struct, frozen=True):
    """The versions' success, jointly: means, and the Cholesky factor of the precision."""

    places: Mapping[int, int]
    """Where each version stands in the system; the reflector's average comes last."""
    means: Sequence[float]
    factor: Rows
    support: float = 0.0
    """The log likelihood of the evidence; only differences matter."""

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
        """The posterior of the reflector's average effect."""
        last = len(self.means) - 1
        return ReflectorRecord(mean=self.means[last], spread=self._measure({last: 1.0}))

    def draw(self, chance: random.Random, *, boldness: float) -> dict[int, float]:
        """One joint sample of every version's success; `boldness` 1 is the full uncertainty."""
        size = len(self.means)
        noise = [chance.gauss(0.0, boldness) for _ in range(size)]
        off = _solve_upper(self.factor, noise)
        return {version: self.means[at] + off[at] for version, at in self.places.items()}

    def sum_losses(self, runs: Mapping[int, int]) -> tuple[float, float]:
        """The expected cost of these runs against the static text, and its deviation."""
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
    """The belief about the versions from their scorecards and the reflector's record.

    The reflector is taken as hostile where the evidence supports that.
    """
    places = {v: at for at, v in enumerate(_choose_versions(cards, needed=needed))}
    lines = [_find_ancestor(v, parents, places=places) for v in places if v != _STATIC]

    def solve(prior: ReflectorRecord, own_part: float) -> Beliefs:
        system = _build_prior(places, lines, record=prior, own_part=own_part)
        _see_scores(system, cards, places)
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
    """The prior: the static text's score, and how versions are related."""
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


def _see_scores(system: _System, cards: Mapping[int, Scorecard], places: Mapping[int, int]) -> None:
    """Each version's own scores, except those of pairs, which are compared directly."""
    variances = estimate_variances(cards)
    alone = {version: (card.scored, card.score) for version, card in cards.items()}
    for version, card in cards.items():
        for pair in card.pairs:
            n, total = alone[version]
            alone[version] = n - pair.n, total - pair.score
            if pair.against in alone:
                n, total = alone[pair.against]
                alone[pair.against] = n - pair.n, total - (pair.score - pair.ahead)
            if version not in places or pair.against not in places or not pair.n:
                continue
            weights = {places[version]: 1.0, places[pair.against]: -1.0}
            variance = _estimate_pair_variance(pair, variances, version=version)
            system.see(weights, value=pair.ahead / pair.n, variance=variance)
    for version, (n, total) in alone.items():
        if version in places and n > 0:
            variance = variances[version] / n
            system.see({places[version]: 1.0}, value=total / n, variance=variance)


def _estimate_pair_variance(pair: Pairs, variances: Mapping[int, float], *, version: int) -> float:
    """How far the mean difference of some pairs may lie from the true one, squared."""
    usual = variances[version] + variances.get(pair.against, variances[version])
    around = max(0.0, pair.squares - pair.ahead**2 / pair.n)
    variance = (_GUESSED * usual + around) / (_GUESSED + pair.n)
    return max(variance, LEAST_VARIANCE / 4) / pair.n


def estimate_variances(cards: Mapping[int, Scorecard]) -> dict[int, float]:
    """How much one run's score varies, by version: a yes or no at most, graded scores less."""
    middles = {v: (card.score + 1.0) / (card.scored + 2.0) for v, card in cards.items()}
    widest = {v: middle * (1.0 - middle) for v, middle in middles.items()}
    # The squared distances of each version's scores from their mean.
    scored = [card for card in cards.values() if card.scored]
    seen = sum(max(0.0, card.squares - card.score**2 / card.scored) for card in scored)
    possible = sum(card.scored * widest[v] for v, card in cards.items())
    guessed = _GUESSED * 0.25
    share = min(1.0, (guessed + seen) / (guessed + possible))
    return {v: max(LEAST_VARIANCE * share, share * wide) for v, wide in widest.items()}


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
        # A parent is older than its child; with damaged data this ends all the same.
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


ENOUGH = 10
"""Runs before a version is promoted or retired."""
PROMOTED_AT = 0.9
RETIRED_AT = 0.05
KEPT_AT = 0.3
"""A champion keeps its place until the probability that it is better than version 0 falls below
this: it loses its place on evidence against it, not for lack of new evidence."""
KEPT_IN_PAIRS_AT, SHARP = 0.5, 0.042
"""The same once its pairs with the static text tell the two apart this closely (their standard
error): even odds are evidence then. Twenty graded pairs do; of yes or no most pairs are ties."""
AUDIT = 60
"""Runs that a new champion gets beside the static text before others are tried again."""
KEPT_AFTER_AUDIT_AT = 0.6
"""The same after an audit whose pairs were not sharp."""
KEPT_AFTER = 3
"""Runs a champion gets before it is judged by those alone."""
ON_TRIAL = 8
"""Versions on trial at most when a new one has been added, itself included."""
MOST_ON_TRIAL = 2 * ON_TRIAL
"""Versions on trial that get runs, where there are more."""
SLACK = {"tokens": 50.0, "seconds": 1.0}
"""Differences in cost that are too small to matter, whatever their ratio."""
BOLDNESS = 0.7
"""The spread of a sample: 1 would explore more than a few hundred runs can repay."""
PROVEN = 0.7
"""Better than version 0 with this probability, a version gets each run that it is drawn for."""
CAUTION = 4.0
"""How fast that share falls for those that are less sure."""
ALLOWED_LOSS = 0.02
"""The exploration cost that is allowed per run, against the static text."""
SURE = 0.95
"""Once a version is better than version 0 with this probability, no run is made twice for it."""
BLIND_SHARE = 0.1
"""Of the runs that notes get while no run was ever scored."""
SOONEST, LATEST = 1.0, 120.0
"""Runs between two proposals of a reflector that is surely good, or surely bad."""


class Change(Struct, frozen=True, kw_only=True):
    """A change of a version's state, and why."""

    version: int
    was: NotesState
    state: NotesState
    probability: float
    """The probability that it is better than the champion, or of a champion than version 0."""
    n: int
    """How many runs that rests on."""
    reason: str


class Standings(Struct, frozen=True, kw_only=True, dict=True):
    """Every version on one ground, with its parent, and the reflector's record."""

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
        """The version that a person pinned, if there is one."""
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
    """The scorecards of a ground, with what the task versions knows of their parents."""
    return Standings(
        cards={card.version: card for card in cards},
        parents={version.version: version.parent for version in notes},
        record=record,
    )


def choose(standings: Standings, *, chance: random.Random, paired: bool = False) -> int:
    """The version for the next run: the pinned one, else by Thompson sampling, with care.

    Unproven versions share runs with the static text, and get none while exploration may have
    cost more than is allowed. Where runs are `paired`, a new champion is audited first: the better
    output is used, so the audit costs nothing.
    """
    if standings.pinned is not None:
        return standings.pinned
    if not standings.scored:
        # While nothing is scored: the static text, and sometimes the newest notes.
        tried = not standings.champion and chance.random() < BLIND_SHARE
        return standings.on_trial[-1] if tried and standings.on_trial else standings.champion
    if paired and is_audited(standings):
        return standings.champion
    beliefs = standings.beliefs
    draws = beliefs.draw(chance, boldness=BOLDNESS)
    best = max(standings.playing, key=lambda version: draws[version])
    if best == _STATIC:
        return _STATIC
    probability = beliefs.compare(best, _STATIC)
    # The upper bound of the exploration cost may exceed the limit.
    runs = {version: card.scored for version, card in standings.cards.items()}
    overdrawn = sum(beliefs.sum_losses(runs)) > ALLOWED_LOSS * (standings.scored + 1)
    if probability < PROMOTED_AT and overdrawn:
        return _STATIC
    share = min(1.0, probability / PROVEN) ** CAUTION
    return best if chance.random() < share else _STATIC


def is_unsure(standings: Standings, version: int) -> bool:
    """Whether a paired run could still add evidence about a version.

    A champion is judged by later runs: those that made it champion were selected for being good.
    """
    if standings.pinned is not None or version not in standings.beliefs.places:
        return False
    if version == standings.champion:
        probability = estimate_since(standings, version)
    else:
        probability = standings.beliefs.compare(version, _STATIC)
    return 1 - SURE < probability < SURE


def is_audited(standings: Standings) -> bool:
    """Whether the champion is new and not yet judged by later runs."""
    champion = standings.champion
    if champion == _STATIC or standings.find_card(champion).since_scored >= AUDIT:
        return False
    return is_unsure(standings, champion)


def choose_best(standings: Standings) -> int:
    """The version to build on: the one with the highest success to expect."""
    return max(standings.playing, key=standings.beliefs.estimate)


def settle(standings: Standings, *, most_cost: float) -> Iterator[Change]:
    """What the evidence so far says should change; a champion is looked at before its rivals.

    Nothing, while a version is pinned.
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
            reason = f"it is better with a probability of {change.probability:.2f}"
            yield replace(change, state=NotesState.CHAMPION, reason=reason)
            return


def make_room(standings: Standings) -> Iterator[Change]:
    """The versions to retire so that one more can be tried: the least promising first."""
    waiting = sorted(standings.on_trial, key=standings.beliefs.estimate)
    for version in waiting[: max(0, len(waiting) - ON_TRIAL + 1)]:
        yield _compare_version(standings, version, reason="to make room for a new version")


def plan_interval(standings: Standings, *, every: int) -> float:
    """Runs until the next proposal: `every`, sooner from a good reflector and later from a bad."""
    trust = standings.beliefs.judge_reflector().trust
    if not standings.scored:
        # Nothing is scored, so one proposal is enough until something is.
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
    """The probability that a champion is better than version 0, by the runs since its promotion.

    The earlier runs were selected for being good, so they are biased.
    """
    card = standings.find_card(version)
    told = replace(
        card, scored=card.since_scored, score=card.since_score, squares=card.since_squares
    )
    static = standings.find_card(_STATIC)
    # Compared with version 0 alone, so that a parent's results do not count for it.
    beliefs = weigh({_STATIC: static, version: told}, {version: _STATIC}, record=standings.record)
    return beliefs.compare(version, _STATIC) if version in beliefs.places else 0.5


def _check_champion(standings: Standings, *, most_cost: float) -> Change | None:
    """The champion's fall, if the evidence is against it."""
    champion = standings.champion
    card = standings.find_card(champion)
    if champion == _STATIC:
        return None
    # By all runs, too: a version believed to be worse is no longer sampled, so it would not get
    # enough runs to lose its place.
    probability = standings.beliefs.compare(champion, _STATIC)
    if card.since_scored >= KEPT_AFTER:
        probability = min(probability, estimate_since(standings, champion))
    reason = describe_excess_cost(standings, champion, most_cost=most_cost)
    if reason is None and probability < _choose_bar(standings, card):
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


def _choose_bar(standings: Standings, card: Scorecard) -> float:
    """The probability that a champion must have of being better than version 0."""
    pair = next((each for each in card.pairs if each.against == _STATIC and each.n), None)
    if pair is None:
        return KEPT_AT
    variances = estimate_variances(standings.cards)
    if _estimate_pair_variance(pair, variances, version=card.version) <= SHARP**2:
        return KEPT_IN_PAIRS_AT
    return KEPT_AFTER_AUDIT_AT if pair.n >= AUDIT else KEPT_AT


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


OVERALL = "overall"


class Candidate(Struct, frozen=True, kw_only=True):
    """A version as its recorded runs show it."""

    version: int
    n: int
    at: dict[str, float] = field(default_factory=dict)
    """Its overall score, and the share of its runs without each kind of failure."""
    wins: int = 0
    """The number of these at which no other on the front is better."""


def find_front(runs: Sequence[TaskRun]) -> list[Candidate]:
    """The versions on the Pareto front, the most often best first."""
    scored = [run for run in runs if run.score is not None]
    kinds = sorted({run.problem for run in scored if run.problem})
    seen = []
    for version in sorted({run.version for run in scored}):
        own = [run for run in scored if run.version == version]
        free = {kind: sum(run.problem != kind for run in own) / len(own) for kind in kinds}
        mean = sum(run.score or 0.0 for run in own) / len(own)
        seen.append(Candidate(version=version, n=len(own), at={OVERALL: mean, **free}))
    # Dominated: nowhere better than another that differs.
    front = [
        one
        for one in seen
        if not any(
            one.at != by.at and all(own <= by.at[kind] for kind, own in one.at.items())
            for by in seen
        )
    ]
    best = {kind: max(each.at[kind] for each in front) for kind in [OVERALL, *kinds] if front}
    counted = [
        replace(each, wins=sum(each.at[kind] >= top for kind, top in best.items()))
        for each in front
    ]
    return sorted(counted, key=lambda each: (-each.wins, -each.at[OVERALL], each.version))


def pick_parent(front: Sequence[Candidate], *, turn: int) -> Candidate:
    """The version to build on in one round of a search: each as often as it is best."""
    slots = [each for each in front for _ in range(max(1, each.wins))]
    return slots[turn % len(slots)]


def pick_lesson(
    runs: Sequence[TaskRun], *, parent: Candidate, turn: int
) -> tuple[TaskRun, tuple[TaskRun, ...]]:
    """The parent's run to learn from, worst first, and contrasting runs of others."""
    scored = [run for run in runs if run.score is not None]
    own = sorted(
        (run for run in scored if run.version == parent.version), key=lambda run: run.score or 0.0
    )
    chosen = own[turn % len(own)]
    ranked = sorted(scored, key=lambda run: run.score or 0.0, reverse=True)
    return chosen, tuple(run for run in ranked if run is not chosen)
