"""A call inside an attempt: on record before it changes anything, and accounted for afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mulligan.core.action import Opening, State
from mulligan.core.call import ErrorClass, Execution
from mulligan.core.effect import Effect, Mode
from mulligan.core.record import Record
from mulligan.turns.attempt import LiveAttempt
from mulligan.turns.book import LiveAction
from mulligan.turns.hands import Hands
from mulligan.turns.trying import Make, result_of, try_call
from mulligan.turns.watch import Pending, Watch
from mulligan.undo.taking_back import told, version_of

NOTHING_HAPPENED = frozenset(
    {
        ErrorClass.VALIDATION,
        ErrorClass.AUTH,
        ErrorClass.POLICY,
        ErrorClass.RATE_LIMIT,
        ErrorClass.NOT_SENT,
        ErrorClass.CONFLICT,
        ErrorClass.MISSING,
    }
)
"""Classes of error by which the remote says that the call had no effect."""


async def perform(
    watch: Watch, pending: Pending, *, attempt: LiveAttempt, make: Make, hands: Hands
) -> Any:
    """Make a call of an attempt. A reversible one is journaled before and after."""
    declaration = watch.declaration
    if declaration.effect is not Effect.REVERSIBLE or declaration.mode is Mode.OBSERVE:
        execution = await try_call(watch, pending, make=make, hands=hands)
        attempt.executions.append(execution)
        return result_of(execution)
    action = await _intend(watch, pending, attempt=attempt, hands=hands)
    book = watch.instruments.book
    pending.start_clock()
    try:
        execution = await try_call(watch, pending, make=make, hands=hands)
    except BaseException as error:
        # Stopped in the middle: it may have landed, and only a look can tell.
        await book.move([action], State.UNKNOWN, hands=hands, why=type(error).__name__)
        raise
    attempt.executions.append(execution)
    await _settle(watch, action, execution, hands=hands)
    return result_of(execution)


async def _intend(
    watch: Watch, pending: Pending, *, attempt: LiveAttempt, hands: Hands
) -> LiveAction:
    """Take the pre-image and write the intent. If either fails, the call is not made."""
    declaration, turn = watch.declaration, pending.turn
    record = Record(arguments=dict(pending.arguments))
    if declaration.abilities.before is not None:
        record = replace(record, before=await told(declaration.abilities.before, record))
    action = LiveAction(
        id=pending.id,
        opening=Opening(
            tool=declaration.tool,
            server=declaration.server,
            effect=Effect.REVERSIBLE,
            repeat=declaration.repeat,
            agent=pending.labels.agent,
            tenant=pending.labels.tenant,
            turn=turn.turn.id if turn is not None else None,
            attempt=attempt.number,
            call=pending.id,
        ),
        abilities=declaration.abilities,
        record=record,
    )
    await watch.instruments.book.intend(action, hands=hands)
    attempt.actions.append(action)
    return action


async def _settle(watch: Watch, action: LiveAction, execution: Execution, *, hands: Hands) -> None:
    """Write down what came of it: it happened, it did not, or nobody knows."""
    book = watch.instruments.book
    failure = execution.failure
    if failure is None:
        record = replace(action.record, result=execution.result)
        version = await version_of(execution.result, record=record, abilities=action.abilities)
        action.record = replace(record, version=version)
        await book.executed(action, hands=hands)
    elif failure.error_class in NOTHING_HAPPENED:
        await book.move([action], State.NOT_EXECUTED, hands=hands, why=failure.error_class.value)
    else:
        await book.move([action], State.UNKNOWN, hands=hands, why=failure.error_class.value)
