"""The failures of a turn: what is said about one while its call is made, which corrections were
offered, and how they ended, as episodes for the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mulligan.learning.mining import find_remedies
from mulligan.process.event_loop import LateModules
from mulligan.process.lazy import dataclass
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.lookup import Advised
from mulligan.types.call import Execution, Outcome
from mulligan.types.display import format_value
from mulligan.types.effect import Effect
from mulligan.types.failure import Decision
from mulligan.types.lesson import (
    Earlier,
    Ending,
    Episode,
    FailedCall,
    Group,
    Offer,
    Pattern,
    Remedy,
    Suggestion,
)
from mulligan.types.turn import Turn

MOST_OPEN = 20
"""Corrections of one tool that wait to be tried; the newest stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedCall:
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
        self._open: dict[tuple[str, str], list[SuggestedCall]] = {}
        self.waiting = False
        """Whether there is any: asked at every call."""

    def make(self, execution: Execution, suggestions: Sequence[Suggestion]) -> None:
        """Remember what an agent was told. Another tool or a call to make first is not counted."""
        call = execution.call
        mending = [each for each in suggestions if not (each.patch.tool or each.patch.first)]
        self.waiting = True
        waiting = self._open.setdefault((call.server, call.tool), [])
        waiting += [
            SuggestedCall(
                suggestion=each, execution=execution, arguments=each.patch.apply(call.arguments)
            )
            for each in mending
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


MOST_CALLS = 10
"""How many calls after a failure may still be about it."""


def build_episodes(
    turn: Turn, opened: Sequence[OpenEpisode], *, calls: Sequence[Ended]
) -> list[Episode]:
    """Every failure of a turn that is over, with what came of it. `calls` are in their order."""
    places = {each.execution.call.id: at for at, each in enumerate(calls)}
    found = []
    for each in opened:
        at = places.get(each.execution.call.id)
        if at is not None:
            later = calls[at + 1 : at + 1 + MOST_CALLS]
            found.append(_Story(opened=each, later=later).build_episode(turn))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """One failure, and the calls made after it."""

    opened: OpenEpisode
    later: Sequence[Ended]

    def build_episode(self, turn: Turn) -> Episode:
        execution, pattern, fixed = self.opened.execution, self.opened.pattern, self._fixed
        return Episode(
            id=execution.call.id,
            at=execution.at,
            tool=execution.call.tool,
            server=execution.call.server,
            schema_hash=self.opened.schema_hash,
            fingerprint=pattern.fingerprint,
            error_class=pattern.error_class,
            template=pattern.template,
            tenant=turn.tenant,
            principal=turn.principal,
            agent=turn.agent,
            context=turn.context,
            turn=turn.id,
            ending=self._ending,
            decision=self._decision,
            verified=fixed is not None and self._is_verified(fixed),
            remedies=self._remedies,
            offer=self._offer,
            group=self.opened.group,
            later=self.opened.later,
            calls=0 if fixed is None else self.later.index(fixed) + 1,
            took=timedelta() if fixed is None else _measure_repair_time(execution, fixed.execution),
        )

    @property
    def _reads(self) -> bool:
        return self.opened.failed.effect is Effect.READ

    def _is_verified(self, call: Ended) -> bool:
        """A read that succeeded needs no more; what nobody declared is never called verified."""
        declared = self.opened.failed.effect is not Effect.UNDECLARED
        return self._reads or (declared and call.accepted)

    def _is_undone(self, call: Ended) -> bool:
        return call.rejected and not self._reads

    @property
    def _again(self) -> list[Ended]:
        tool = self.opened.execution.call.tool
        return [each for each in self.later if each.execution.call.tool == tool]

    @property
    def _fixed(self) -> Ended | None:
        return next((each for each in self._again if each.succeeded), None)

    def _list_before(self, call: Ended) -> list[Execution]:
        return [each.execution for each in self.later[: self.later.index(call)]]

    @property
    def _ending(self) -> Ending:
        fixed = self._fixed
        if fixed is None:
            return Ending.FAILED if self._again else Ending.LEFT
        return Ending.UNDONE if self._is_undone(fixed) else Ending.REPAIRED

    @property
    def _decision(self) -> Decision | None:
        """What turned out to be right, where the calls show it."""
        fixed = self._fixed
        if fixed is None or self._is_undone(fixed):
            return None
        failing = self.opened.execution
        if any(each.call.tool != failing.call.tool for each in self._list_before(fixed)):
            return Decision.LOOK_UP
        same = fixed.execution.call.arguments == failing.call.arguments
        return Decision.RETRY if same else Decision.REPAIR

    @property
    def _remedies(self) -> tuple[Remedy, ...]:
        fixed = self._fixed
        if fixed is None or self._is_undone(fixed):
            return ()
        return find_remedies(
            self.opened.failed,
            fixed.execution.call.arguments,
            between=[build_earlier(each) for each in self._list_before(fixed)],
        )

    @property
    def _offer(self) -> Offer | None:
        best, call = self.opened.best, next(iter(self._again), None)
        if best is None:
            return None
        taken = call is not None and self._as_suggested(best, call)
        return Offer(
            source=best.source,
            kinds=best.kinds,
            probability=best.probability,
            n=best.n,
            lesson=best.lesson,
            taken=taken,
            automatic=taken and call is not None and call.execution.call.parent is not None,
            helped=call.succeeded and not self._is_undone(call) if taken and call else None,
        )

    def _as_suggested(self, best: Suggestion, call: Ended) -> bool:
        """Whether the next call of the tool was made as suggested, and after what came first."""
        made = {each.call.tool for each in self._list_before(call)}
        wanted = best.patch.apply(self.opened.execution.call.arguments)
        first = all(each.tool in made for each in best.patch.first)
        return first and call.execution.call.arguments == wanted


def _measure_repair_time(failed: Execution, fixed: Execution) -> timedelta:
    return fixed.at + fixed.duration - failed.at
