"""When a correction is applied by itself, and when nobody need look for one."""

from __future__ import annotations

from mulligan.core.effect import Effect, Mode
from mulligan.core.failures.error_traits import ArgumentFault
from mulligan.core.failures.suggestion import FailedCall, Suggestion
from mulligan.core.runtime.dataclass import dataclass

LEAST_FOR_READS = 0.5
LEAST_FOR_OTHERS = 0.8

ENOUGH_CALLS = 100
RARE = 0.05
MOST_REMEMBERED = 1_000


def may_apply(suggestion: Suggestion, failed: FailedCall, *, mode: Mode) -> bool:
    """Whether a correction may be made without asking.

    Only in mode `auto`, only a change of shape, only where the arguments failed before any effect,
    and only if it is likely enough to help. A read has no effect, whatever it failed of.
    """
    reads, failure = failed.effect is Effect.READ, failed.failure
    refused = failure.error_class.traits.advice is ArgumentFault.SHAPE and not failure.by_words
    before_any_effect = reads or refused
    least = LEAST_FOR_READS if reads else LEAST_FOR_OTHERS
    likely = suggestion.probability >= least
    return mode is Mode.AUTO and suggestion.automatic and before_any_effect and likely


@dataclass(slots=True)
class TrackRecord:
    """How often a tool fails. What was long ago counts less, so that a tool may get worse."""

    calls: int = 0
    failures: int = 0

    def count_failure(self, calls: int) -> None:
        """One failed, so many calls after the last one that did."""
        self.calls += calls
        self.failures += 1
        if self.calls > MOST_REMEMBERED:
            self.calls, self.failures = self.calls // 2, self.failures // 2

    def fails_rarely(self, since: int = 0) -> bool:
        """Whether it was called often enough and failed rarely enough to be left alone.

        `since`: calls that were made after the last failure.
        """
        calls = self.calls + since
        return calls >= ENOUGH_CALLS and self.failures < RARE * calls
