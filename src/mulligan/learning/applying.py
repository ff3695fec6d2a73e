"""When a correction is applied by itself, and when nobody need look for one."""

from __future__ import annotations

from mulligan.core.call import ErrorClass
from mulligan.core.effect import Effect, Mode
from mulligan.core.lesson import FailedCall, Suggestion

LEAST_FOR_READS = 0.5
LEAST_FOR_OTHERS = 0.8

ENOUGH_CALLS = 100
RARE = 0.05


def may_apply(suggestion: Suggestion, failed: FailedCall, *, mode: Mode) -> bool:
    """Whether a correction may be made without asking.

    Only in mode `auto`, only a change of shape, only where the arguments failed before any effect,
    and only if it is likely enough to help. A read has no effect, whatever it failed of.
    """
    reads = failed.effect is Effect.READ
    before_any_effect = reads or failed.failure.error_class is ErrorClass.VALIDATION
    least = LEAST_FOR_READS if reads else LEAST_FOR_OTHERS
    likely = suggestion.probability >= least
    return mode is Mode.AUTO and suggestion.automatic and before_any_effect and likely


def rarely_fails(*, calls: int, failures: int) -> bool:
    """Whether a tool has been called often enough and failed rarely enough to be left alone."""
    return calls >= ENOUGH_CALLS and failures < RARE * calls
