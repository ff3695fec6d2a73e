"""The results of a turn's failures, as episodes for the memory: how they ended, and no values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from mulligan.learning.mining import find_remedies
from mulligan.runtime.episodes import Ended, OpenEpisode, build_earlier
from mulligan.types.call import Execution
from mulligan.types.effect import Effect
from mulligan.types.failure import Decision
from mulligan.types.lesson import (
    Ending,
    Episode,
    Offer,
    Remedy,
    Suggestion,
)
from mulligan.types.turn import Turn

MOST_CALLS = 10
"""How many calls after a failure may still be about it."""


def build_episodes(
    turn: Turn, opened: Sequence[OpenEpisode], *, calls: Sequence[Ended]
) -> list[Episode]:
    """Every failure of a turn that is over, with its result. `calls` are in their order."""
    places = {each.execution.call.id: at for at, each in enumerate(calls)}
    found = []
    for each in opened:
        at = places.get(each.execution.call.id)
        if at is not None:
            later = calls[at + 1 : at + 1 + MOST_CALLS]
            found.append(_Story(opened=each, later=later).build_episode(turn))
    return found


class _Story(Struct, frozen=True, kw_only=True):
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
        """A read that succeeded needs no more; what is not declared is never called verified."""
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
