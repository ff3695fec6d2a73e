"""One call of a tool with all its tries, from the first to the last that is safe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from mulligan.core.call import Execution, Outcome
from mulligan.core.effect import Mode
from mulligan.core.event import CallRepaired
from mulligan.core.record import Record
from mulligan.loops.calls import Knowing, Retrying, UnsureError, retry_call
from mulligan.turns.calls.live import LiveCall
from mulligan.turns.calls.outcome import build_execution, end_call, note_failure, was_stopped
from mulligan.turns.calls.rows import log_success
from mulligan.turns.journal.landing import Landing, look
from mulligan.turns.journal.waiter import ON_LOOP
from mulligan.turns.tools.declaration import is_async
from mulligan.undo.abilities import call_ability


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of a call with all its tries."""

    last: Execution
    """A success, or the failure that ended it."""
    nothing_happened: bool
    """It is proven of every try that it changed nothing."""


async def try_call(call: LiveCall) -> Tried:
    """Make a call that has begun, again where that is safe. Only what stops it is raised."""
    try:
        result = await call.make()
    except BaseException as error:
        failed = await note_failure(call, error)
        if was_stopped(error):
            raise
    else:
        last = await end_call(call, result)
        return Tried(last=last, nothing_happened=_is_without_effect([last]))
    return await rescue(call, failed)


async def rescue(first: LiveCall, failed: Execution) -> Tried:
    """What came of a failed call in the end: a later try's success, or the final failure."""
    if first.has_changed():
        # The tool has taken something out of what it was given: the same call cannot be made.
        return Tried(last=failed, nothing_happened=_is_without_effect([failed]))

    async def try_again(number: int) -> Execution:
        again = first.begin_again(try_number=number)
        try:
            result = await first.make()
        except BaseException as error:
            later = await note_failure(again, error)
            if was_stopped(error):
                raise
            return later
        return await end_call(again, result)

    declaration = first.tool.declaration
    executions = await retry_call(
        failed,
        again=try_again,
        effect=declaration.classify_effect(first.arguments),
        repeat=declaration.repeat,
        mode=declaration.mode,
        using=_build_retrying(first),
    )
    last = await _read_again(first, last=executions[-1])
    if last.outcome is Outcome.SUCCESS:
        by = first.follows.by if first.follows is not None else ""
        first.tool.runtime.events.publish(
            CallRepaired(call=last.call.id, tool=last.call.tool, tries=last.try_number, by=by)
        )
    return Tried(last=last, nothing_happened=_is_without_effect(executions))


def _build_retrying(first: LiveCall) -> Retrying:
    tool, runtime = first.tool, first.tool.runtime
    traffic = tool.traffic.find(first.labels.tenant)
    return Retrying(
        budget=traffic.budget,
        breaker=traffic.breaker,
        backoff=runtime.backoff,
        sleep=first.waiter.sleep,
        chance=runtime.chance.random,
        monotonic=runtime.monotonic,
        announce=runtime.events.publish,
        knowing=_build_knowing(first),
    )


def _is_without_effect(executions: Iterable[Execution]) -> bool:
    failures = [execution.failure for execution in executions]
    return all(failure is not None and failure.nothing_done for failure in failures)


def _build_knowing(first: LiveCall) -> Knowing:
    """What the tool can find out about a call of its own."""
    declaration = first.tool.declaration
    age = timedelta(microseconds=first.tool.runtime.wall_us() - first.at_us)
    record = first.record or Record(arguments=first.arguments, key=first.key or first.id)

    async def look_for_it() -> Execution | None:
        seen = await look(record, declaration)
        if seen.landing is Landing.UNSURE:
            raise UnsureError(seen.why)
        if seen.landing is Landing.ABSENT:
            return None
        found = first.begin_again(try_number=first.try_number + 1)
        took = log_success(found, seen.result)
        return build_execution(found, result=seen.result, duration_us=took)

    can = declaration.abilities
    can_look = can.probe is not None and declaration.each is None
    return Knowing(
        look=look_for_it if can_look else None,
        keyed=first.key is not None and age < declaration.key_life,
        lands_within=declaration.lands_within + declaration.settles_within,
        deletes=declaration.deletes,
        refresh=partial(call_ability, can.refresh, record) if can.refresh is not None else None,
        in_progress=can.in_progress,
    )


async def _read_again(first: LiveCall, *, last: Execution) -> Execution:
    """After a conflict: what is there now, for the agent to decide on."""
    tool = first.tool
    failure, reader = last.failure, tool.declaration.abilities.reader
    if failure is None or not failure.error_class.traits.rereads or reader is None:
        return last
    if tool.declaration.mode is Mode.OBSERVE or (first.waiter is not ON_LOOP and is_async(reader)):
        # A sync tool cannot wait for it.
        return last
    try:
        now = await call_ability(
            reader, first.record or Record(arguments=first.arguments, key=first.key or first.id)
        )
    except Exception as error:  # noqa: BLE001 - a user's function; the conflict is what matters
        tool.warn("What is there now could not be read for %s", error)
        return last
    return replace(last, failure=replace(failure, now=now))
