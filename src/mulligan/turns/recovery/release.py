"""What a person approved is run by the process that has the code: once."""

from __future__ import annotations

from mulligan.core.action import State
from mulligan.core.errors import StaleEntryError
from mulligan.core.points import Point, reach
from mulligan.turns.calls.live import begin_call
from mulligan.turns.calls.outcome import was_stopped
from mulligan.turns.calls.retry import Tried, try_call
from mulligan.turns.calls.rows import label_opening
from mulligan.turns.calls.runtime import Make
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.landing import adopt
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.journal.waiter import ON_LOOP


async def release(action: LiveAction, *, tool: Tool, make: Make | None, book: Book) -> None:
    """Run an approved call. It is on disk before, so that nobody runs it a second time."""
    # Before it is on record as begun: what cannot be made must not look as if it might have been.
    make = make or tool.prepare_call(action.record)
    await book.move([action], State.INTENT, why="A person approved it.")
    await reach(Point.RELEASED)
    call = begin_call(tool, ((), dict(action.record.arguments)), waiter=ON_LOOP)
    call.key, call.record = action.opening.key, action.record
    call.labels = label_opening(action.opening)
    book.require_lease([action])
    try:
        tried = await try_call(call.with_maker(make))
        await reach(Point.CALLED)
    except BaseException as error:
        if was_stopped(error):
            why = f"It was stopped on its way ({type(error).__name__})."
            await book.move([action], State.UNKNOWN, why=why)
        raise
    try:
        await _write_outcome(action, tried, book=book)
    except StaleEntryError:
        why = "It was sent by a process that had been given up, and it came back."
        await book.reopen([action], why=why)


async def _write_outcome(action: LiveAction, tried: Tried, *, book: Book) -> None:
    failure = tried.last.failure
    if failure is None:
        await adopt([action], [tried.last.result], book=book)
        await reach(Point.EXECUTED)
        by: dict[str, object] = {"by": "a person, beforehand"}
        await book.move([action], State.VERIFIED, facts=by)
    elif tried.nothing_happened:
        why = failure.error_class.value
        await book.move([action], State.NOT_EXECUTED, why=why)
    else:
        await book.move([action], State.UNKNOWN, why=failure.error_class.value)
