"""What an evaluation came to: rates, iterations, what fired, and what to do about it.

Two on the same cases are compared: how much they differ, and how sure that is.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import asdict

from mulligan.learning.calibration import compute_wilson
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing

TOO_HIGH = 0.60
TOO_LOW = 0.10
BOUND_OFTEN = 0.05
UNSEEN = (Standing.UNREVIEWED, Standing.UNCHECKED)
"""Of a reply that nobody has looked at to the end."""


class CaseResult(Struct, frozen=True, kw_only=True):
    """What came of one case."""

    case: str
    question: str
    """Like the texts less secrets: it may come from the vault, and goes into pages and JSON."""
    iterations: int
    reflected: bool
    """Whether the first reply was rejected. Where none was written, nothing was."""
    standing: Standing
    bound_reached: bool
    first_findings: tuple[str, ...]
    """Rules that rejected the first reply."""
    first_warnings: tuple[str, ...] = ()
    """Rules that only had something to remark on it."""
    last_findings: tuple[str, ...]
    """What is left in the reply that goes out, warnings too."""
    seconds: float
    tokens: int
    judge_asked: int
    first_text: str = ""
    """The first reply; empty where nothing was written."""
    text: str
    """The reply that goes out."""
    limit: str = ""
    """Which limit ended it: `time`, `tokens` or `money`."""
    silent: bool = False
    """No try wrote anything: what goes out is the fallback."""
    judged: bool = True
    """The first reply was written and reviewed. Else nobody knows whether it would be rejected."""


class Gaps(Struct, frozen=True, kw_only=True):
    """How much of an evaluation nobody wrote or looked at."""

    cases: int
    without_reply: int
    """Cases that had no reply, in whichever try."""
    unreviewed: int
    """Replies that went out and that nobody has looked at to the end."""
    unknown: int
    """First replies that were not written, or not reviewed."""

    @property
    def tells(self) -> bool:
        """Whether more is known of the cases than is not."""
        return 2 * self.unknown < self.cases


class Report(Struct, frozen=True, kw_only=True):
    """The figures of one run over a golden set."""

    results: tuple[CaseResult, ...]
    name: str = ""
    writer: str = ""
    """Who wrote the replies."""
    at: datetime | None = None
    """When it was run."""
    notes: tuple[str, ...] = ()
    """What was not done, in a sentence each."""

    def __post_init__(self) -> None:
        if not self.results:
            raise ConfigurationError("There is nothing to report on: the set has no cases.")

    @property
    def n(self) -> int:
        """How many cases there were."""
        return len(self.results)

    @property
    def gaps(self) -> Gaps:
        """What is not known of them."""
        return Gaps(
            cases=self.n,
            without_reply=sum(result.silent for result in self.results),
            unreviewed=sum(result.standing in UNSEEN for result in self.results),
            unknown=sum(not result.judged for result in self.results),
        )

    @property
    def reflection_rate(self) -> float:
        """The share of cases whose first reply was rejected, as far as that is known."""
        return self.total_reflections / self.n

    @property
    def reflection_range(self) -> tuple[float, float]:
        """Where the rate of all such questions lies with 95 % probability (Wilson).

        What is not known of a case may be either, so that it makes the range wider.
        """
        low, _ = compute_wilson(self.total_reflections, self.n)
        _, high = compute_wilson(self.total_reflections + self.gaps.unknown, self.n)
        return low, high

    @property
    def total_reflections(self) -> int:
        """How many cases had their first reply rejected."""
        return sum(result.reflected for result in self.results)

    @property
    def rewrites(self) -> int:
        """How often a reply was written again, over all cases."""
        return sum(result.iterations - 1 for result in self.results)

    @property
    def average_iterations(self) -> float:
        """Replies written for a case, on average over all cases."""
        return statistics.fmean(result.iterations for result in self.results)

    @property
    def iterations_when_reflected(self) -> float | None:
        """The same over the cases whose first reply was rejected; `None` when there are none."""
        reflected = [result.iterations for result in self.results if result.reflected]
        return statistics.fmean(reflected) if reflected else None

    @property
    def bound_rate(self) -> float:
        """The share of cases sent although they were rejected to the last."""
        return sum(result.bound_reached for result in self.results) / self.n

    @property
    def check_rates(self) -> Mapping[str, float]:
        """For each rule the share of cases whose first reply it rejected, highest first."""
        return self._compute_shares(result.first_findings for result in self.results)

    @property
    def warning_rates(self) -> Mapping[str, float]:
        """The same for rules that only remarked on it, and rejected nothing."""
        return self._compute_shares(result.first_warnings for result in self.results)

    def _compute_shares(self, found: Iterable[tuple[str, ...]]) -> Mapping[str, float]:
        counts = Counter(rule for rules in found for rule in rules)
        return {rule: count / self.n for rule, count in counts.most_common()}

    @property
    def tokens(self) -> int:
        """Of all replies, as their writer counts."""
        return sum(result.tokens for result in self.results)

    @property
    def latency(self) -> tuple[float, float]:
        """Median and 95th percentile, in seconds."""
        seconds = sorted(result.seconds for result in self.results)
        return statistics.median(seconds), seconds[min(self.n - 1, int(0.95 * self.n))]

    @property
    def iteration_counts(self) -> Mapping[int, int]:
        """How many cases took how many replies."""
        return dict(sorted(Counter(result.iterations for result in self.results).items()))

    def as_plain(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        median, high = self.latency
        return {
            "name": self.name,
            "writer": self.writer,
            "at": None if self.at is None else self.at.isoformat(timespec="seconds"),
            "notes": list(self.notes),
            "doubts": list(list_doubts(self)),
            "n": self.n,
            "without_reply": self.gaps.without_reply,
            "unreviewed": self.gaps.unreviewed,
            "unknown": self.gaps.unknown,
            "reflection_rate": self.reflection_rate,
            "reflection_range": list(self.reflection_range),
            "total_reflections": self.total_reflections,
            "rewrites": self.rewrites,
            "average_iterations": self.average_iterations,
            "iterations_when_reflected": self.iterations_when_reflected,
            "bound_reached": sum(result.bound_reached for result in self.results),
            "check_rates": dict(self.check_rates),
            "warning_rates": dict(self.warning_rates),
            "iteration_counts": {str(k): v for k, v in self.iteration_counts.items()},
            "latency": {"median": median, "p95": high},
            "tokens": self.tokens,
            "judge_asked": sum(result.judge_asked for result in self.results),
            "advice": list(list_advice(self)),
            "cases": [asdict(result) for result in self.results],
        }


def summary(report: Report) -> list[tuple[str, str, str]]:
    """What a person reads first: a figure, its value, and what it should be."""
    median, p95 = report.latency
    low, high = report.reflection_range
    sure = f"{100 * low:.0f} to {100 * high:.0f} % with {report.n} cases"
    rate = f"{report.reflection_rate:.1%} ({sure})"
    when = report.iterations_when_reflected
    return [
        ("Cases", str(report.n), ""),
        ("Reflection rate", rate, "20 to 40 %"),
        ("Total reflections", f"{report.total_reflections} of {report.n} first replies", ""),
        ("Replies written again", str(report.rewrites), ""),
        ("Average iterations", f"{report.average_iterations:.2f}", "1.5 to 2.5"),
        ("… of those reflected on", "-" if when is None else f"{when:.2f}", ""),
        ("Bound reached", f"{report.bound_rate:.1%}", "under 5 %"),
        ("Cases without a reply", f"{report.gaps.without_reply} of {report.n}", "none"),
        ("Replies sent unreviewed", f"{report.gaps.unreviewed} of {report.n}", "none"),
        ("Latency, median and p95", f"{median * 1e3:.1f} ms, {p95 * 1e3:.1f} ms", ""),
        ("Tokens", f"{report.tokens:,}", ""),
    ]


def list_doubts(report: Report) -> Iterator[str]:
    """What speaks against reading anything into the figures; nothing where nothing does."""
    if not report.gaps.tells:
        yield (
            f"Cannot tell how often replies are rejected: of {report.n} first replies, "
            f"{report.n - report.gaps.unknown} were written and reviewed."
        )
    if report.gaps.without_reply:
        yield (
            f"{report.gaps.without_reply} of {report.n} cases have no reply: see that the writer "
            "answers, and run it again."
        )
    if report.gaps.unreviewed:
        yield (
            f"{report.gaps.unreviewed} of {report.n} replies were sent unreviewed: see that there "
            "are checks, and that each of them and the judge answer."
        )


def list_advice(report: Report) -> Sequence[str]:
    """What to do where a figure is far from its target; nothing where none is, or none tells."""
    said: list[str] = []
    if not report.gaps.tells:
        return said
    worst = next(iter(report.check_rates), "")
    if report.reflection_rate > TOO_HIGH:
        said.append(
            f"The reflection rate is {report.reflection_rate:.0%}, above 60 %. Put the "
            f"requirements into the writer's prompt, relax what fires most ({worst}), or try "
            "another model."
        )
    if (report.total_reflections + report.gaps.unknown) / report.n < TOO_LOW:
        said.append(
            f"The reflection rate is {report.reflection_rate:.0%}, below 10 %. Either the replies "
            "are good or the checks see too little: read some that passed, and add checks of your "
            "own field."
        )
    if report.bound_rate > BOUND_OFTEN:
        left = Counter(r for result in report.results for r in result.last_findings)
        kept = ", ".join(rule for rule, _ in left.most_common(2))
        said.append(
            f"{report.bound_rate:.0%} of the replies reached the bound, mostly on {kept}. See "
            "whether two checks contradict each other, whether the feedback says how to mend it, "
            "and whether the model can do it at all."
        )
    return said


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


class Comparison(Struct, frozen=True, kw_only=True):
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
