"""Corrections that an agent was offered, so that it can be seen whether they were right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mulligan.core.call import Execution
from mulligan.core.failures.suggestion import Suggestion
from mulligan.core.runtime.dataclass import dataclass
from mulligan.redaction.agent_text import hide_secrets
from mulligan.turns.memory.advice_text import Advised

MOST_OPEN = 20
"""Corrections of one tool that wait to be tried; the newest stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A failed call with a suggestion applied to it."""

    suggestion: Suggestion
    execution: Execution
    """The call that failed."""
    arguments: Mapping[str, object]
    advised: Advised | None = None
    """What was to be said of that call."""
    by_itself: bool = False
    """Nobody asked for it: it is made in mode `auto`, in the place of the call that failed."""

    @property
    def by(self) -> str:
        """Where the correction came from, and why."""
        said = f"{self.suggestion.source}: {self.suggestion.evidence}"
        return hide_secrets(said, self.execution.call.arguments, self.arguments)


class Offers:
    """What was offered in one turn and not tried yet, by server and tool."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], list[Corrected]] = {}
        self.waiting = False
        """Whether there is any: asked at every call."""

    def make(self, execution: Execution, suggestions: Sequence[Suggestion]) -> None:
        """Remember what an agent was told. Another tool or a call to make first is not counted."""
        call = execution.call
        mending = [each for each in suggestions if not (each.patch.tool or each.patch.first)]
        self.waiting = True
        waiting = self._open.setdefault((call.server, call.tool), [])
        waiting += [
            Corrected(
                suggestion=each, execution=execution, arguments=each.patch.apply(call.arguments)
            )
            for each in mending
        ]
        del waiting[:-MOST_OPEN]

    def take(self, arguments: Mapping[str, object], *, server: str, tool: str) -> Corrected | None:
        """The correction that a call follows, if it is made just as suggested."""
        waiting = self._open.get((server, tool), [])
        for at, offer in enumerate(waiting):
            if dict(arguments) == dict(offer.arguments):
                return waiting.pop(at)
        return None
