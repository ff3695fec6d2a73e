"""All regular expressions and parsers, each against its attacks; of each, the worst."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bench.growth.attacks import Attack, build_attacks
from bench.growth.measure import BOUND, LARGEST, Growth, measure_growth
from bench.growth.parsers import HARD, find_parsers
from bench.growth.patterns import find_patterns

Look = Callable[[str], object]
CONFIRMED = 15
"""Runs after which a growth that is too high is believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What there is to try, and how far."""

    most: int
    """Attacks of each pattern and parser."""
    largest: int = LARGEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """How one pattern or parser grows under the worst of its attacks."""

    place: str
    attacks: int
    growth: Growth
    attack: Attack

    @property
    def too_fast(self) -> bool:
        """More than 1.3 times what is linear."""
        return self.growth.ratio > BOUND

    def describe(self) -> str:
        """One line for a person."""
        grown, attack = self.growth, self.attack
        said = f"{attack.head[:40]!r} + {attack.body[:40]!r} x n + {attack.tail!r}"
        return f"{self.place}: {grown.ratio:.1f} times at {grown.size:,} ({said})"


def try_patterns(trial: Trial) -> Iterator[Grown]:
    """Every regular expression, used as the package uses it."""
    for found in find_patterns():
        attacks = build_attacks(found.pattern, most=trial.most)
        looks = [_use(found.pattern, use) for use in sorted(found.uses)]
        yield _find_worst(found.place, looks, attacks, trial=trial)


def try_parsers(trial: Trial) -> Iterator[Grown]:
    """Every function that reads a text."""
    every = max(1, len(HARD) // trial.most)
    for number, parser in enumerate(find_parsers()):
        # Other ones for each: together they are all tried, also where each has only a few.
        attacks = [*HARD[number % every :: every]]
        yield _find_worst(parser.place, [parser.read], attacks, trial=trial)


def _use(pattern: re.Pattern[str], use: str) -> Look:
    match use:
        case "search":
            return pattern.search
        case "match":
            return pattern.match
        case "fullmatch":
            return pattern.fullmatch
        case _:
            return lambda text: deque(pattern.finditer(text), maxlen=0)


def _find_worst(place: str, looks: Iterable[Look], attacks: list[Attack], *, trial: Trial) -> Grown:
    worst = Grown(
        place=place,
        attacks=len(attacks),
        growth=Growth(ratio=0.0, size=0, seconds=0.0),
        attack=Attack("", "-", ""),
    )
    for look in looks:
        for attack in attacks:
            growth = measure_growth(look, attack, largest=trial.largest)
            if growth.ratio > BOUND:
                growth = measure_growth(look, attack, largest=trial.largest, runs=CONFIRMED)
            if growth.ratio > worst.growth.ratio:
                worst = Grown(place=place, attacks=len(attacks), growth=growth, attack=attack)
    return worst
