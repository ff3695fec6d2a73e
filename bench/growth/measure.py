"""How the time of one function grows with the length of one kind of string."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.growth.attacks import Attack

BOUND = 2.6
"""Twice the text may take this much longer: 1.3 times what is linear."""
LARGEST = 100_000
MEASURABLE = 0.2e-3
"""Seconds below which a whole text of the largest size is not worth a ratio: 5 ns a character."""
HOPELESS = 0.05
"""Seconds for a size at which nobody waits for the next."""
STEPS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 1_000, 4_000, 16_000)
"""Sizes on the way: what explodes is seen while it is small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What one attack came to."""

    ratio: float
    """Time of the larger text ÷ time of one of half the size; 0: too short to be measured."""
    size: int
    """Of the larger text."""
    seconds: float
    """For the larger text."""


def measure_growth(
    look: Callable[[str], object], attack: Attack, *, largest: int = LARGEST, runs: int = 7
) -> Growth:
    """Time a function on ever longer strings of one kind; the growth of the last doubling."""
    look(attack.build(STEPS[0]))  # what is loaded at the first use is not counted
    for size in (*(each for each in STEPS if each < largest // 2), largest):
        seconds = _time(look, attack.build(size))
        if seconds > HOPELESS:
            break
    if seconds < MEASURABLE:
        return Growth(ratio=0.0, size=size, seconds=seconds)
    return _compare(look, attack, size=size, runs=runs)


def _compare(look: Callable[[str], object], attack: Attack, *, size: int, runs: int) -> Growth:
    """The ratio of the fastest runs, in turns; more of them only while it is too high."""
    whole, half = attack.build(size), attack.build(size // 2)
    double = len(whole) / len(half) / 2
    long = short = float("inf")
    for _ in range(runs):
        long, short = min(long, _time(look, whole)), min(short, _time(look, half))
        if long / short < BOUND * double:
            break
    return Growth(ratio=long / short / double, size=len(whole), seconds=long)


def _time(look: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    look(text)
    return time.thread_time() - start
