"""The report of an evaluation: rates, iterations, findings, and advice.

Two reports on the same cases can be compared: the difference and its interval.
"""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict

from mulligan.codec import to_record
from mulligan.learning.calibration import SURE, compute_wilson
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing

TOO_HIGH = 0.60
TOO_LOW = 0.10
BOUND_OFTEN = 0.05
UNSEEN = (Standing.UNREVIEWED, Standing.UNCHECKED)
"""The standings of a reply that was not fully reviewed."""


class CaseResult(Struct, frozen=True, kw_only=True):
    """The result of one case."""

    case: str
    question: str
    """Without secrets, like the texts: it may come from the vault, and goes into pages and JSON."""
    iterations: int
    reflected: bool
    """Whether a first reply was written and rejected."""
    standing: Standing
    bound_reached: bool
    first_findings: tuple[str, ...]
    """Rules that rejected the first reply."""
    first_warnings: tuple[str, ...] = ()
    """Rules that only warned about it."""
    last_findings: tuple[str, ...]
    """Findings left in the sent reply, warnings included."""
    seconds: float
    tokens: int
    judge_asked: int
    first_text: str = ""
    """The first reply; empty where nothing was written."""
    text: str
    """The sent reply."""
    limit: str = ""
    """The limit that ended it: `time`, `tokens` or `money`."""
    silent: bool = False
    """No try wrote anything: the fallback was sent."""
    judged: bool = True
    """The first reply was written and reviewed. Else it is unknown whether it would be rejected."""
    expected: float | None = None
    """The share of the expected answer that the sent reply gives; `None`: none is expected."""
    score: float | None = None
    """Of the draft that was returned, by its critics; `None`: a reply, or not judged."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """What metrics of your own say of the sent reply, from 0 to 1, where they gave an answer."""


class Gaps(Struct, frozen=True, kw_only=True):
    """How much of an evaluation was not written or not reviewed."""

    cases: int
    without_reply: int
    """Cases without a reply in any try."""
    unreviewed: int
    """Sent replies that were not fully reviewed."""
    unknown: int
    """First replies that were not written, or not reviewed."""

    @property
    def tells(self) -> bool:
        """Whether more than half of the cases are known."""
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
    """What was skipped, in a sentence each."""

    def __post_init__(self) -> None:
        if not self.results:
            raise ConfigurationError("There is nothing to report on: the set has no cases.")

    def __str__(self) -> str:
        """The key figures, a line each."""
        return "\n".join(f"{label}: {value}" for label, value, _ in summary(self))

    @property
    def n(self) -> int:
        """How many cases there were."""
        return len(self.results)

    @property
    def gaps(self) -> Gaps:
        """What is unknown about them."""
        return Gaps(
            cases=self.n,
            without_reply=sum(result.silent for result in self.results),
            unreviewed=sum(result.standing in UNSEEN for result in self.results),
            unknown=sum(not result.judged for result in self.results),
        )

    @property
    def reflection_rate(self) -> float:
        """The share of cases whose first reply was rejected, where that is known."""
        return self.total_reflections / self.n

    @property
    def reflection_range(self) -> tuple[float, float]:
        """Where the rate of all such questions lies with 95 % probability (Wilson).

        An unknown case may be either, so it widens the range.
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
        """The share of cases sent although the last reply was rejected."""
        return sum(result.bound_reached for result in self.results) / self.n

    @property
    def check_rates(self) -> Mapping[str, float]:
        """For each rule the share of cases whose first reply it rejected, highest first."""
        return self._compute_shares(result.first_findings for result in self.results)

    @property
    def warning_rates(self) -> Mapping[str, float]:
        """The same for rules that only warned."""
        return self._compute_shares(result.first_warnings for result in self.results)

    def _compute_shares(self, found: Iterable[tuple[str, ...]]) -> Mapping[str, float]:
        counts = Counter(rule for rules in found for rule in rules)
        return {rule: count / self.n for rule, count in counts.most_common()}

    @property
    def expected(self) -> float | None:
        """The share of the expected answers that was given; `None`: the set has none."""
        scores = [result.expected for result in self.results if result.expected is not None]
        return statistics.fmean(scores) if scores else None

    @property
    def score(self) -> float | None:
        """What critics gave the returned drafts on average; `None`: they were replies."""
        scores = [result.score for result in self.results if result.score is not None]
        return statistics.fmean(scores) if scores else None

    @property
    def metrics(self) -> Mapping[str, float]:
        """The mean of each metric over the cases that it gave an answer for."""
        names = dict.fromkeys(name for result in self.results for name in result.metrics)
        return {
            name: statistics.fmean(
                result.metrics[name] for result in self.results if name in result.metrics
            )
            for name in names
        }

    @property
    def tokens(self) -> int:
        """Of all replies, as writer and judge count."""
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
            "expected": self.expected,
            "score": self.score,
            "metrics": dict(self.metrics),
            "judge_asked": sum(result.judge_asked for result in self.results),
            "advice": list(list_advice(self)),
            "cases": [asdict(result) for result in self.results],
        }


def read_report(path: Path) -> Report:
    """A report as `mulligan evaluate --json` wrote it: a baseline to compare with."""
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
        results = [to_record(CaseResult, case, strict=False) for case in told["cases"]]
        return Report(results=tuple(results), name=told["name"], writer=told["writer"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigurationError(
            f"{path} is no baseline ({type(error).__name__}). Write one by: mulligan evaluate "
            f"--json > {path.name}"
        ) from error


def summary(report: Report) -> list[tuple[str, str, str]]:
    """The key figures: label, value and target."""
    median, p95 = report.latency
    low, high = report.reflection_range
    sure = f"{100 * low:.0f} to {100 * high:.0f} % with {report.n} cases"
    rate = f"{report.reflection_rate:.1%} ({sure})"
    when = report.iterations_when_reflected
    given: list[tuple[str, str, str]] = []
    if report.expected is not None:
        given.append(("Expected answers given", f"{report.expected:.1%}", ""))
    if report.score is not None:
        given.append(("Critics' score", f"{report.score:.1f} of 10", ""))
    given += [(name, f"{mean:.2f}", "") for name, mean in report.metrics.items()]
    return [
        ("Cases", str(report.n), ""),
        ("Reflection rate", rate, "20 to 40 %"),
        ("Total reflections", f"{report.total_reflections} of {report.n} first replies", ""),
        ("Replies written again", str(report.rewrites), ""),
        ("Average iterations", f"{report.average_iterations:.2f}", "1.5 to 2.5"),
        ("… of rejected first replies", "-" if when is None else f"{when:.2f}", ""),
        ("Bound reached", f"{report.bound_rate:.1%}", "under 5 %"),
        *given,
        ("Cases without a reply", f"{report.gaps.without_reply} of {report.n}", "none"),
        ("Replies sent unreviewed", f"{report.gaps.unreviewed} of {report.n}", "none"),
        ("Latency, median and p95", f"{median * 1e3:.1f} ms, {p95 * 1e3:.1f} ms", ""),
        ("Tokens", f"{report.tokens:,}", ""),
    ]


def list_doubts(report: Report) -> Iterator[str]:
    """Reasons to doubt the figures; empty where there are none."""
    if not report.gaps.tells:
        yield (
            f"Cannot tell how often replies are rejected: of {report.n} first replies, "
            f"{report.n - report.gaps.unknown} were written and reviewed."
        )
    if report.gaps.without_reply:
        yield (
            f"{report.gaps.without_reply} of {report.n} cases have no reply: make sure that the "
            "writer answers, and run it again."
        )
    if report.gaps.unreviewed:
        yield (
            f"{report.gaps.unreviewed} of {report.n} replies were sent unreviewed: see that there "
            "are checks, and that each of them and the judge answer."
        )


def list_advice(report: Report) -> Sequence[str]:
    """What to do where a figure is far from its target; empty where none is, or none is known."""
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
            "whether two checks contradict each other, whether the feedback says how to fix it, "
            "and whether the model can do it at all."
        )
    return said


LIMIT = 0.10
"""How much the reflection rate may rise, as a share of all cases."""

Change = tuple[float, float, float]
"""A mean change, and the two ends of its interval."""


class ChangeSafety(StrEnum):
    """Whether a change is safe to deploy."""

    SAME = "no difference"
    """Both found the same in every first reply."""
    SAFE = "safe to deploy"
    UNSURE = "not sure yet"
    UNKNOWN = "cannot tell"
    UNSAFE = "not safe to deploy"


class Comparison(Struct, frozen=True, kw_only=True):
    """A change of the reflection rate, with its interval of 95 %.

    A case that is unknown in one of the runs may have improved or got worse. The change leaves it
    out, and the interval allows for both.
    """

    before: Report
    after: Report
    change: float
    low: float
    high: float
    verdict: ChangeSafety
    unknown: int = 0
    """Cases whose first reply was not written or not reviewed, in one of the runs or in both."""
    expected: Change | None = None
    """The change of the share of expected answers that were given; `None`: none are expected."""

    def __str__(self) -> str:
        """Whether the change is safe, in a sentence."""
        return self.sentence

    @property
    def safe(self) -> bool:
        """Whether the whole interval is within the limit, and no expected answers are lost."""
        return self.high <= LIMIT and (self.expected is None or self.expected[2] >= 0)

    @property
    def expected_sentence(self) -> str:
        """How many more of the expected answers were given; empty where none are expected."""
        if self.expected is None:
            return ""
        change, low, high = (100 * each for each in self.expected)
        return f"expected answers given {change:+.1f} points ({low:+.1f} to {high:+.1f})"

    @property
    def sentence(self) -> str:
        """The verdict as a person reads it."""
        said = (
            f"{self.verdict}: reflection rate {100 * self.change:+.1f} points "
            f"({100 * self.low:+.1f} to {100 * self.high:+.1f}), limit {100 * LIMIT:g}"
        )
        if self.verdict is ChangeSafety.UNSURE or (
            self.verdict is ChangeSafety.SAME and not self.safe
        ):
            return f"{said}; run more than {self.before.n} cases to be sure"
        if self.unknown:
            return (
                f"{said}; of {self.before.n} cases, {self.unknown} had no first reply, or it was "
                "not reviewed"
            )
        return said

    def as_plain(self) -> dict[str, object]:
        """Everything, ready for JSON."""
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "change": self.change,
            "interval": [self.low, self.high],
            "limit": LIMIT,
            "unknown": self.unknown,
            "expected": None if self.expected is None else list(self.expected),
            "before": self.before.as_plain(),
            "after": self.after.as_plain(),
        }


def compare(before: Report, after: Report) -> Comparison:
    """Compare two runs over the same cases, case by case.

    A change is safe only if it would be safe with every unknown case counted as worse.
    """
    pairs = _pair_results(before, after)
    known = [float(b.reflected - a.reflected) for a, b in pairs if a.judged and b.judged]
    unknown = len(pairs) - len(known)
    change, low, high = compute_change([*known, *[0.0] * unknown])
    lowest = compute_change([*known, *[-1.0] * unknown])[1]
    highest = compute_change([*known, *[1.0] * unknown])[2]
    given = [
        b.expected - a.expected
        for a, b in pairs
        if a.expected is not None and b.expected is not None
    ]
    expected = compute_change(given) if given else None
    if expected is not None and expected[2] < 0:
        verdict = ChangeSafety.UNSAFE
    elif all(_is_judged_alike(a, b) for a, b in pairs):
        verdict = ChangeSafety.SAME
    elif highest <= LIMIT:
        verdict = ChangeSafety.SAFE
    elif change > LIMIT:
        verdict = ChangeSafety.UNSAFE
    elif unknown and (high <= LIMIT or not known):
        verdict = ChangeSafety.UNKNOWN
    else:
        verdict = ChangeSafety.UNSURE
    return Comparison(
        before=before,
        after=after,
        change=change,
        low=min(low, lowest),
        high=highest,
        verdict=verdict,
        unknown=unknown,
        expected=expected,
    )


def _is_judged_alike(one: CaseResult, other: CaseResult) -> bool:
    said = [(each.reflected, each.first_findings, each.first_warnings) for each in (one, other)]
    return one.judged and other.judged and said[0] == said[1]


def compute_change(differences: Sequence[float]) -> Change:
    """The mean of what differs between two runs, case by case, with its interval of 95 %.

    By Agresti and Min, who add half a case to each cell of a table of yes and no: that keeps the
    interval honest when few cases differ. Shares between 0 and 1 are padded alike.
    """
    total, squares, padded = sum(differences), sum(d * d for d in differences), len(differences) + 2
    middle = total / padded
    spread = SURE * math.sqrt(squares + 1 - total**2 / padded) / padded
    return total / len(differences), max(-1.0, middle - spread), min(1.0, middle + spread)


def _pair_results(before: Report, after: Report) -> list[tuple[CaseResult, CaseResult]]:
    first = {result.case: result for result in before.results}
    second = {result.case: result for result in after.results}
    if first.keys() != second.keys():
        raise ConfigurationError(
            "The two runs are over different cases, so they cannot be compared: "
            "run both on the same set."
        )
    return [(first[case], second[case]) for case in first]
