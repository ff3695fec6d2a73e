"""A memory that lives through a stream of failures: it forecasts, is told the truth, and learns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from mulligan.learning.classify import find_likely_class
from mulligan.learning.lessons import judge_life
from mulligan.learning.mining import find_uses, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory, weigh_suggestion
from mulligan.learning.suggest import SOURCES
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import (
    Balance,
    Episode,
    FailedCall,
    Lesson,
    Offer,
    Suggestion,
    compute_balance,
    join_kinds,
)

BATCH = 25
"""Failures after which lessons are drawn anew."""


def taught_by(episodes: Sequence[tuple[int, Episode]]) -> Callable[[int | None], Suggest]:
    """What episodes teach, each given with its fold: without those of one fold, or all of them."""

    @cache
    def memory(left_out: int | None) -> Suggest:
        past = [episode for fold, episode in episodes if fold != left_out]
        lessons = mine(past, at=past[-1].at) if past else []
        return from_memory(lessons, chance=build_chance(Outcomes(), {}))

    return memory


class Learner:
    """Episodes, the lessons drawn from them, and what became of suggestions."""

    def __init__(self) -> None:
        self._episodes: list[Episode] = []
        self._lessons: list[Lesson] = []
        self._outcomes = Outcomes()
        self._balances: dict[str, Balance] = {}

    @property
    def sources(self) -> tuple[Suggest, ...]:
        """Everything the product would ask, with what was measured so far."""
        others = (weighing(each, self._outcomes) for each in SOURCES)
        chance = build_chance(self._outcomes, self._balances)
        return (*others, from_memory(self._lessons, chance=chance))

    def settle(self, failed: FailedCall, made: Suggestion, *, helped: bool) -> Offer:
        """Count what became of a suggestion, and put it on record."""
        count_outcome(self._outcomes, failed, made, helped=helped)
        return Offer(
            source=made.source,
            kinds=made.kinds,
            probability=made.probability,
            n=made.n,
            lesson=made.lesson,
            taken=True,
            helped=helped,
        )

    def remember(self, episode: Episode, offer: Offer | None) -> None:
        """Keep how a failure ended; every so often, draw lessons and judge those there are."""
        self._episodes.append(replace(episode, offer=offer))
        if len(self._episodes) % BATCH == 0:
            self._consolidate(episode)

    def _consolidate(self, last: Episode) -> None:
        lessons = mine(self._episodes, at=last.at)
        uses = defaultdict(list)
        for use in find_uses(self._episodes, lessons):
            uses[use.lesson].append(use)
        self._balances = {lesson: compute_balance(held) for lesson, held in uses.items()}
        self._lessons = [
            judge_life(each, self._balances.get(each.id, Balance()), now=last.at) or each
            for each in lessons
        ]


def count_outcome(
    outcomes: Outcomes, failed: FailedCall, made: Suggestion, *, helped: bool
) -> None:
    """Count what became of one suggestion."""
    outcomes.add(
        made.source,
        join_kinds(made.kinds),
        error_class=find_likely_class(failed.failure, failed.error),
        tool=failed.call.tool,
        helped=helped,
        weight=1.0,
    )


def weighing(source: Suggest, outcomes: Outcomes) -> Suggest:
    """A source whose suggestions carry what was measured instead of what the table says."""

    def suggest(failed: FailedCall) -> Iterator[Suggestion]:
        found = find_likely_class(failed.failure, failed.error)
        for each in source(failed):
            tool = failed.call.tool
            yield weigh_suggestion(each, outcomes, error_class=found, tool=tool)

    return suggest
