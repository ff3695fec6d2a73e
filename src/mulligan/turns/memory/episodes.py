"""Episodes that are not over yet: the failures of a turn, and how its calls ended."""

from __future__ import annotations

from mulligan.core.call import Execution, Outcome
from mulligan.core.display.escape import format_value
from mulligan.core.failures.lesson import Group
from mulligan.core.failures.suggestion import Earlier, FailedCall, Pattern, Suggestion
from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEpisode:
    """What a turn keeps of a failure until it is over, when its end is known."""

    execution: Execution
    failed: FailedCall
    pattern: Pattern
    schema_hash: str = ""
    later: bool = False
    """It was made as suggested after a call that had failed."""
    best: Suggestion | None = None
    """The likeliest correction, told or withheld."""
    group: Group | None = None
    """`None`: memory had nothing to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A call of a turn that is over."""

    execution: Execution
    accepted: bool = False
    """Its attempt was reviewed, and accepted."""
    rejected: bool = False
    """Its attempt was reviewed, and rejected: what it did was taken back or is in dispute."""

    @property
    def succeeded(self) -> bool:
        """It came back, with something that is not an error in disguise."""
        return self.execution.outcome is Outcome.SUCCESS


def build_earlier(execution: Execution) -> Earlier:
    """A call as a suggestion may be made from it; of one that failed, what it said."""
    error = execution.failure.error if execution.failure is not None else None
    return Earlier(
        tool=execution.call.tool,
        arguments=execution.call.arguments,
        result=execution.result if error is None else format_value(error),
        failed=execution.outcome is not Outcome.SUCCESS,
    )
