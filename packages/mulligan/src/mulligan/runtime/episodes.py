"""The failures of a turn: what is said about one while its call is made, which corrections were
offered, and how they ended, as episodes for the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from mulligan.process.event_loop import LateModules
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.lookup import Advised
from mulligan.types.call import Execution, Failure, Outcome
from mulligan.types.display import format_value
from mulligan.types.effect import Effect
from mulligan.types.errors import SilentError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    Earlier,
    ErrorRule,
    FailedCall,
    Group,
    Pattern,
    Planned,
    Suggestion,
    hash_schema,
)

MOST_OPEN = 20
"""Corrections of one tool that wait to be tried; the newest stay."""


class SuggestedCall(Struct, frozen=True, kw_only=True):
    """A failed call with a suggestion applied to it."""

    suggestion: Suggestion
    execution: Execution
    """The call that failed."""
    arguments: Mapping[str, object]
    advised: Advised | None = None
    """What was to be said of that call."""
    by_itself: bool = False
    """Not requested: it is made in mode `auto`, in the place of the call that failed."""

    @property
    def by(self) -> str:
        """Where the correction came from, and why."""
        said = f"{self.suggestion.source}: {self.suggestion.evidence}"
        return hide_secrets(said, self.execution.call.arguments, self.arguments)


class Offers:
    """What was offered in one turn and not tried yet, by server and tool."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], list[SuggestedCall]] = {}
        self.waiting = False
        """Whether there is any: asked at every call."""

    def make(self, execution: Execution, suggestions: Sequence[Suggestion]) -> None:
        """Remember what an agent was told. Another tool or a call to make first is not counted."""
        call = execution.call
        repairing = [each for each in suggestions if not (each.patch.tool or each.patch.first)]
        self.waiting = True
        waiting = self._open.setdefault((call.server, call.tool), [])
        waiting += [
            SuggestedCall(
                suggestion=each, execution=execution, arguments=each.patch.apply(call.arguments)
            )
            for each in repairing
        ]
        del waiting[:-MOST_OPEN]

    def take(
        self, arguments: Mapping[str, object], *, server: str, tool: str
    ) -> SuggestedCall | None:
        """The correction that a call follows, if it is made just as suggested."""
        waiting = self._open.get((server, tool), [])
        for at, offer in enumerate(waiting):
            if dict(arguments) == dict(offer.arguments):
                return waiting.pop(at)
        return None


LATE = LateModules(
    "mulligan.learning.recall",
    "mulligan.learning.precheck",
    "mulligan.redaction.mask",
    "mulligan.redaction.numbers",
    "mulligan.redaction.patterns",
)
"""Those that are asked for by name where a call has failed; they bring some hundred others."""


class OpenEpisode(Struct, frozen=True, kw_only=True):
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


def open_episode(
    execution: Execution,
    planned: Planned,
    *,
    rules: Sequence[ErrorRule] = (),
    later: bool = False,
) -> OpenEpisode:
    """A failure with its pattern, and all that a suggestion may be made from."""
    # Only a failure pays for it: the tables take a while to load.
    from mulligan.learning.classify import find_likely_class
    from mulligan.learning.fingerprint import build_pattern

    failure = execution.failure or Failure(error_class=ErrorClass.UNKNOWN)
    failed = FailedCall(
        call=planned.call,
        schema=planned.schema,
        effect=Effect.UNDECLARED if failure.acted_within else planned.effect,
        tools=planned.tools,
        reads=planned.reads,
        said=planned.said,
        earlier=planned.earlier,
        failure=failure,
        error=failure.said if failure.error is None else format_value(failure.error),
    )
    pattern = build_pattern(
        failed.call,
        error=failed.error,
        error_class=find_likely_class(failed.failure, failed.error),
        error_type=type(failed.failure.error or SilentError()).__name__,
        rules=rules,
    )
    return OpenEpisode(
        execution=execution,
        failed=failed,
        pattern=pattern,
        schema_hash=hash_schema(planned.schema),
        later=later,
    )


class Ended(Struct, frozen=True, kw_only=True):
    """A call of a turn that is over."""

    execution: Execution
    accepted: bool = False
    """Its attempt was reviewed, and accepted."""
    rejected: bool = False
    """Its attempt was reviewed, and rejected: what it did was undone or is in dispute."""

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
