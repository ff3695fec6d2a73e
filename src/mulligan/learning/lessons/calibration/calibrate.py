"""Whether probabilities mean what they say, and what corrections are worth against none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter

from mulligan.core.failures.lesson import EpisodeSlot, Group
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.lessons.calibration.intervals import compute_difference

BINS = 10

Forecast = tuple[float, bool]
"""The probability that was given, and whether it came true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Forecasts of about the same probability."""

    said: float
    """Their mean."""
    true: float
    """The share that came true."""
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How good forecasts were."""

    n: int
    ece: float
    """Expected calibration error: how far said and true lie apart, by the size of the bins."""
    brier: float
    """Mean squared error; 0 is perfect."""
    base_brier: float
    """That of always saying the share that came true."""
    bins: tuple[Bin, ...]


def measure_calibration(forecasts: Sequence[Forecast], *, bins: int = BINS) -> Calibration:
    """Measure forecasts in bins that hold as many each."""
    n = len(forecasts)
    # By what was said alone: sorted by the truth too, equal forecasts would fall apart by it.
    drawn = _split_bins(sorted(forecasts, key=itemgetter(0)), bins)
    base = sum(came for _, came in forecasts) / n if n else 0.0
    return Calibration(
        n=n,
        ece=sum(each.n * abs(each.said - each.true) for each in drawn) / n if n else 0.0,
        brier=sum((said - came) ** 2 for said, came in forecasts) / n if n else 0.0,
        base_brier=base * (1 - base),
        bins=drawn,
    )


def _split_bins(ranked: Sequence[Forecast], bins: int) -> tuple[Bin, ...]:
    edges = [round(at * len(ranked) / bins) for at in range(bins + 1)]
    parts = [ranked[low:high] for low, high in pairwise(edges) if high > low]
    return tuple(
        Bin(
            said=sum(said for said, _ in part) / len(part),
            true=sum(came for _, came in part) / len(part),
            n=len(part),
        )
        for part in parts
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """How much more often a failure was repaired where a correction was offered."""

    lift: float
    """Share repaired of the treated, less that of the control group."""
    low: float
    """The true lift lies between `low` and `high` with a probability of about 95 %."""
    high: float
    treated: int
    control: int


def measure_lift(counts: Mapping[EpisodeSlot, int]) -> Lift | None:
    """Treated against control, by call; `None` while one of the groups is empty."""
    n = dict.fromkeys(Group, 0)
    repaired = dict.fromkeys(Group, 0)
    for slot, count in counts.items():
        if slot.group is not None and not slot.later:
            n[slot.group] += count
            repaired[slot.group] += count if slot.repaired else 0
    if not all(n.values()):
        return None
    treated, control = Group.TREATED, Group.CONTROL
    lift, low, high = compute_difference(
        (repaired[treated], n[treated]), (repaired[control], n[control])
    )
    return Lift(
        lift=lift,
        low=low,
        high=high,
        treated=n[treated],
        control=n[control],
    )
