"""One call of a tool with all its tries, from the first to the last that is safe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mulligan.core.call import Execution, Outcome
from mulligan.core.event import CallRepaired
from mulligan.loops.calls import Retrying, second_try
from mulligan.turns.hands import Hands
from mulligan.turns.watch import Pending, Watch, was_stopped

Make = Callable[[], Awaitable[Any]]
"""Makes the call once."""


async def try_call(watch: Watch, pending: Pending, *, make: Make, hands: Hands) -> Execution:
    """Make a call that has begun, again where that is safe. Only what stops it is raised."""
    try:
        result = await make()
    except BaseException as error:
        failed = watch.log_failure(pending, error)
        if was_stopped(error):
            raise
    else:
        return watch.success_of(pending, result)
    return await rescue(watch, failed, first=pending, make=make, hands=hands)


async def rescue(
    watch: Watch, failed: Execution, *, first: Pending, make: Make, hands: Hands
) -> Execution:
    """What came of a failed call in the end: a later try's success, or the final failure."""
    if first.changed():
        # The tool has taken something out of what it was given: the same call cannot be made.
        return failed

    async def again(number: int) -> Execution:
        pending = watch.begin_again(first, try_number=number)
        try:
            result = await make()
        except BaseException as error:
            later = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
            return later
        return watch.success_of(pending, result)

    instruments, declaration = watch.instruments, watch.declaration
    executions = await second_try(
        failed,
        again=again,
        effect=declaration.effect,
        repeat=declaration.repeat,
        mode=declaration.mode,
        using=Retrying(
            budget=watch.budget,
            breaker=watch.breaker,
            backoff=instruments.backoff,
            sleep=hands.sleep,
            chance=instruments.chance.random,
            monotonic=instruments.monotonic,
            announce=instruments.events.publish,
        ),
    )
    last = executions[-1]
    if last.outcome is Outcome.SUCCESS:
        instruments.events.publish(
            CallRepaired(call=last.call.id, tool=last.call.tool, tries=last.try_number)
        )
    return last


def result_of(execution: Execution) -> Any:
    """What a call returned, or its own error again."""
    if execution.failure is not None and execution.failure.error is not None:
        raise execution.failure.error
    return execution.result
