"""Two configurations on the same cases: how much they differ, how sure that is, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.evaluation.report import CaseResult, Report

LIMIT = 0.10
"""How much the reflection rate may rise, as a share of all cases."""
SURE = 1.959964
"""Of the normal distribution: 95 % lie within so many deviations."""


class ChangeSafety(StrEnum):
    """Whether a change may go out."""

    SAFE = "safe to deploy"
    UNSURE = "not sure yet"
    UNKNOWN = "cannot tell"
    UNSAFE = "not safe to deploy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A change of the reflection rate, with its interval of 95 %.

    A case of which nothing is known in one of the runs may have got better or worse: the change
    leaves it out, and the interval is as wide as that makes it.
    """

    before: Report
    after: Report
    change: float
    low: float
    high: float
    limit: float
    verdict: ChangeSafety
    unknown: int = 0
    """Cases whose first reply was not written or not reviewed, in one of the runs or in both."""

    @property
    def sentence(self) -> str:
        """The verdict as a person reads it."""
        said = (
            f"{self.verdict}: reflection rate {100 * self.change:+.1f} points "
            f"({100 * self.low:+.1f} to {100 * self.high:+.1f}), limit {100 * self.limit:g}"
        )
        if self.verdict is ChangeSafety.UNSURE:
            return f"{said}; run more than {self.before.n} cases to be sure"
        if self.unknown:
            return (
                f"{said}; of {self.before.n} cases, {self.unknown} had no first reply, or nobody "
                "reviewed it"
            )
        return said

    def as_plain(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "change": self.change,
            "interval": [self.low, self.high],
            "limit": self.limit,
            "unknown": self.unknown,
            "before": self.before.as_plain(),
            "after": self.after.as_plain(),
        }


def compare(before: Report, after: Report, *, limit: float = LIMIT) -> Comparison:
    """Hold two runs over the same cases against each other, case by case.

    Safe is only what would be safe if every case that nobody knows about had got worse.
    """
    pairs = _pair_results(before, after)
    known = [(a.reflected, b.reflected) for a, b in pairs if a.judged and b.judged]
    unknown = len(pairs) - len(known)
    change, low, high = _compute_change(known, same=unknown)
    lowest = _compute_change(known, better=unknown)[1]
    highest = _compute_change(known, worse=unknown)[2]
    if highest <= limit:
        verdict = ChangeSafety.SAFE
    elif change > limit:
        verdict = ChangeSafety.UNSAFE
    elif unknown and (high <= limit or not known):
        verdict = ChangeSafety.UNKNOWN
    else:
        verdict = ChangeSafety.UNSURE
    return Comparison(
        before=before,
        after=after,
        change=change,
        low=min(low, lowest),
        high=highest,
        limit=limit,
        verdict=verdict,
        unknown=unknown,
    )


def _compute_change(
    known: Sequence[tuple[bool, bool]], *, same: int = 0, better: int = 0, worse: int = 0
) -> tuple[float, float, float]:
    return compute_difference(
        both=sum(a and b for a, b in known),
        only_first=better + sum(a and not b for a, b in known),
        only_second=worse + sum(b and not a for a, b in known),
        neither=same + sum(not a and not b for a, b in known),
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


def _pair_results(before: Report, after: Report) -> list[tuple[CaseResult, CaseResult]]:
    first = {result.case: result for result in before.results}
    second = {result.case: result for result in after.results}
    if first.keys() != second.keys():
        raise ConfigurationError(
            "The two runs are over different cases, so they cannot be compared: "
            "run both on the same set."
        )
    return [(first[case], second[case]) for case in first]
