"""The results of a turn's failures, as episodes for the memory: how they ended, and no values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mulligan.learning.mining import find_remedies
from mulligan.runtime.episodes import Ended, OpenEpisode, build_earlier
from mulligan.types.call import Execution
from mulligan.types.effect import Effect
from mulligan.types.failure import Decision
from mulligan.types.lesson import (
    Ending,
    Episode,
    Offer,
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
            found.append(_build_episode(turn, each, later=calls[at + 1 : at + 1 + MOST_CALLS]))
    return found


def _build_episode(turn: Turn, opened: OpenEpisode, *, later: Sequence[Ended]) -> Episode:
    """One failure, by the calls made after it."""
    execution, pattern, effect = opened.execution, opened.pattern, opened.failed.effect
    again = [each for each in later if each.execution.call.tool == execution.call.tool]
    fixed = next((each for each in again if each.succeeded), None)
    repaired = None if fixed is None or _is_undone(fixed, effect) else fixed
    calls = 0 if fixed is None else later.index(fixed) + 1
    between = [each.execution for each in later[: max(0, calls - 1)]]
    ending = Ending.FAILED if again else Ending.LEFT
    if fixed is not None:
        ending = Ending.UNDONE if repaired is None else Ending.REPAIRED
    return Episode(
        id=execution.call.id,
        at=execution.at,
        tool=execution.call.tool,
        server=execution.call.server,
        schema_hash=opened.schema_hash,
        fingerprint=pattern.fingerprint,
        error_class=pattern.error_class,
        template=pattern.template,
        tenant=turn.tenant,
        principal=turn.principal,
        agent=turn.agent,
        context=turn.context,
        turn=turn.id,
        ending=ending,
        decision=None if repaired is None else _decide(execution, repaired.execution, between),
        verified=fixed is not None and _is_verified(fixed, effect),
        remedies=()
        if repaired is None
        else find_remedies(
            opened.failed,
            repaired.execution.call.arguments,
            between=[build_earlier(each) for each in between],
        ),
        offer=_describe_offer(opened, again, later),
        group=opened.group,
        later=opened.later,
        calls=calls,
        took=timedelta() if fixed is None else _measure_repair_time(execution, fixed.execution),
    )


def _decide(failing: Execution, fixed: Execution, between: Sequence[Execution]) -> Decision:
    """What turned out to be right."""
    if any(each.call.tool != failing.call.tool for each in between):
        return Decision.LOOK_UP
    same = fixed.call.arguments == failing.call.arguments
    return Decision.RETRY if same else Decision.REPAIR


def _is_verified(call: Ended, effect: Effect) -> bool:
    """A read that succeeded needs no more; what is not declared is never called verified."""
    return effect is Effect.READ or (effect is not Effect.UNDECLARED and call.accepted)


def _is_undone(call: Ended, effect: Effect) -> bool:
    return call.rejected and effect is not Effect.READ


def _describe_offer(
    opened: OpenEpisode, again: Sequence[Ended], later: Sequence[Ended]
) -> Offer | None:
    best, call = opened.best, next(iter(again), None)
    if best is None:
        return None
    taken = call is not None and _is_as_suggested(best, call, opened=opened, later=later)
    return Offer(
        source=best.source,
        kinds=best.kinds,
        probability=best.probability,
        n=best.n,
        lesson=best.lesson,
        taken=taken,
        automatic=taken and call is not None and call.execution.call.parent is not None,
        helped=call.succeeded and not _is_undone(call, opened.failed.effect)
        if taken and call
        else None,
    )


def _is_as_suggested(
    best: Suggestion, call: Ended, *, opened: OpenEpisode, later: Sequence[Ended]
) -> bool:
    """Whether the next call of the tool was made as suggested, and after what came first."""
    made = {each.execution.call.tool for each in later[: later.index(call)]}
    wanted = best.patch.apply(opened.execution.call.arguments)
    first = all(each.tool in made for each in best.patch.first)
    return first and call.execution.call.arguments == wanted


def _measure_repair_time(failed: Execution, fixed: Execution) -> timedelta:
    return fixed.at + fixed.duration - failed.at
