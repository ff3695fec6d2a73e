"""Two configurations on the same cases: how much they differ, how sure that is, and a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from mulligan.core.errors import ConfigurationError
from mulligan.evaluation.report import Report

LIMIT = 0.10
"""How much the reflection rate may rise, as a share of all cases."""
SURE = 1.959964
"""Of the normal distribution: 95 % lie within so many deviations."""


class ChangeSafety(StrEnum):
    """Whether a change may go out."""

    SAFE = "safe to deploy"
    UNSURE = "not sure yet"
    UNSAFE = "not safe to deploy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A change of the reflection rate, with its interval of 95 %."""

    before: Report
    after: Report
    change: float
    low: float
    high: float
    limit: float
    verdict: ChangeSafety

    @property
    def sentence(self) -> str:
        """The verdict as a person reads it."""
        said = (
            f"{self.verdict}: reflection rate {100 * self.change:+.1f} points "
            f"({100 * self.low:+.1f} to {100 * self.high:+.1f}), limit {100 * self.limit:g}"
        )
        if self.verdict is ChangeSafety.UNSURE:
            return f"{said}; run more than {self.before.n} cases to be sure"
        return said

    def as_plain(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "change": self.change,
            "interval": [self.low, self.high],
            "limit": self.limit,
            "before": self.before.as_plain(),
            "after": self.after.as_plain(),
        }


def compare(before: Report, after: Report, *, limit: float = LIMIT) -> Comparison:
    """Hold two runs over the same cases against each other, case by case."""
    pairs = _pair_results(before, after)
    change, low, high = compute_difference(
        both=sum(a and b for a, b in pairs),
        only_first=sum(a and not b for a, b in pairs),
        only_second=sum(b and not a for a, b in pairs),
        neither=sum(not a and not b for a, b in pairs),
    )
    verdict = (
        ChangeSafety.SAFE
        if high <= limit
        else ChangeSafety.UNSAFE
        if change > limit
        else ChangeSafety.UNSURE
    )
    return Comparison(
        before=before, after=after, change=change, low=low, high=high, limit=limit, verdict=verdict
    )


def compute_difference(
    *, both: int, only_first: int, only_second: int, neither: int
) -> tuple[float, float, float]:
    """The change of a share between two runs over the same cases, with its interval of 95 %.

    By Agresti and Min: half a case is added to each cell, which keeps the interval honest when
    few cases differ.
    """
    n = both + only_first + only_second + neither
    change = (only_second - only_first) / n
    up, down, padded = only_second + 0.5, only_first + 0.5, n + 2
    middle = (up - down) / padded
    spread = SURE * math.sqrt(up + down - (up - down) ** 2 / padded) / padded
    return change, max(-1.0, middle - spread), min(1.0, middle + spread)


def _pair_results(before: Report, after: Report) -> list[tuple[bool, bool]]:
    first = {result.case: result.reflected for result in before.results}
    second = {result.case: result.reflected for result in after.results}
    if first.keys() != second.keys():
        raise ConfigurationError(
            "The two runs are over different cases, so they cannot be compared: "
            "run both on the same set."
        )
    return [(first[case], second[case]) for case in first]
