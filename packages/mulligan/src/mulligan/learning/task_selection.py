"""Which version of a task's notes gets the next run, and which keeps its place: by evidence alone.

Nothing here reads a clock, a store or a model, and chance is passed in: the same scorecards and
the same chance give the same choice, in any process.

A version does as well as the one it was built on, plus what its reflector's proposals do on
average, plus a part of its own. All of that is normal, so the belief is exact: one linear system.
The average is learned too, and so a reflector whose proposals helped is trusted sooner. Nothing has
to be corrected for looking often, or for looking at the best: the evidence is weighed, not tested.

A version that is best at one kind of trouble knows something, though another is better on average.
Kept is the Pareto front over kinds of trouble, and each is built on as often as it is best.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.types.notes import Notes, NotesState, Scorecard, TaskRun

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


class ReflectorRecord(Struct, frozen=True, kw_only=True):
    """What a reflector's proposals do to a task's score on average, as far as is known."""

    mean: float = 0.0
    spread: float = 0.02

    @property
    def trust(self) -> float:
        """How probable it is that its proposals help more than they hurt."""
        return _integrate_normal(self.mean / self.spread)


NOBODY = ReflectorRecord()
"""A reflector that nothing is known of."""


class Beliefs(Struct, frozen=True):
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


def _see_scores(system: _System, cards: Mapping[int, Scorecard], places: Mapping[int, int]) -> None:
    """Each version's own scores, but those of pairs: these say more beside each other."""
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
            mean = pair.ahead / pair.n
            usual = variances[version] + variances.get(pair.against, variances[version])
            around = max(0.0, pair.squares - pair.n * mean * mean)
            variance = (_GUESSED * usual + around) / (_GUESSED + pair.n)
            weights = {places[version]: 1.0, places[pair.against]: -1.0}
            system.see(weights, value=mean, variance=max(variance, LEAST_VARIANCE / 4) / pair.n)
    for version, (n, total) in alone.items():
        if version in places and n > 0:
            variance = variances[version] / n
            system.see({places[version]: 1.0}, value=total / n, variance=variance)


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


class Change(Struct, frozen=True, kw_only=True):
    """A version should stand elsewhere, and why."""

    version: int
    was: NotesState
    state: NotesState
    probability: float
    """That it is better than what it is held against: the champion; of one, version 0."""
    n: int
    """How many runs that rests on."""
    reason: str


class Standings(Struct, frozen=True, kw_only=True, dict=True):
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
        # While nothing tells good from bad: the static text, and now and then the newest notes.
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
    # What trying versions cost, within what is sure, may be more than is allowed by now.
    runs = {version: card.scored for version, card in standings.cards.items()}
    overdrawn = sum(beliefs.sum_losses(runs)) > ALLOWED_LOSS * (standings.scored + 1)
    if probability < PROMOTED_AT and overdrawn:
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
            reason = f"it is better with a probability of {change.probability:.2f}"
            yield replace(change, state=NotesState.CHAMPION, reason=reason)
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
        card, scored=card.since_scored, score=card.since_score, squares=card.since_squares
    )
    static = standings.find_card(_STATIC)
    # Held against version 0 alone, so what a parent once showed does not speak for it either.
    beliefs = weigh({_STATIC: static, version: told}, {version: _STATIC}, record=standings.record)
    return beliefs.compare(version, _STATIC) if version in beliefs.places else 0.5


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


OVERALL = "overall"


class Candidate(Struct, frozen=True, kw_only=True):
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
    seen = []
    for version in sorted({run.version for run in scored}):
        own = [run for run in scored if run.version == version]
        free = {kind: sum(run.problem != kind for run in own) / len(own) for kind in kinds}
        mean = sum(run.score or 0.0 for run in own) / len(own)
        seen.append(Candidate(version=version, n=len(own), at={OVERALL: mean, **free}))
    # Beaten is who is nowhere better than another that is not the same throughout.
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
