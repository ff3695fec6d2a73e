"""What a person approved is run by the process that has the code: once."""

from __future__ import annotations

from collections.abc import Sequence

from mulligan.core.action import State
from mulligan.core.errors import StaleEntryError
from mulligan.core.points import Point, reach
from mulligan.turns.calls.live import LiveCall, begin_call
from mulligan.turns.calls.retry import Tried, try_call
from mulligan.turns.calls.rows import label_opening
from mulligan.turns.calls.runtime import Make
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.landing import adopt
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.journal.waiter import ON_LOOP
from mulligan.turns.tools.steering import is_deferral


async def release(action: LiveAction, *, tool: Tool, make: Make | None, book: Book) -> None:
    """Run an approved call with what was kept of it."""
    # Before it is on record as begun: what cannot be made must not look as if it might have been.
    make = make or tool.prepare_call(action.record)
    await claim(action, book=book)
    call = begin_call(tool, ((), dict(action.record.arguments)), waiter=ON_LOOP)
    call.labels = label_opening(action.opening)
    await run_claimed(action, call=call.with_maker(make), book=book)


async def claim(action: LiveAction, *, book: Book) -> None:
    """Put it on disk that an approved call is about to be made: nobody makes it a second time."""
    await book.move([action], State.INTENT, why="A person approved it.")
    await reach(Point.RELEASED)


async def run_claimed(action: LiveAction, *, call: LiveCall, book: Book) -> Tried:
    """Make an approved call, and write down what came of it."""
    call.key, call.record = action.opening.key, action.record
    book.require_lease([action])
    try:
        tried = await try_call(call)
        await reach(Point.CALLED)
    except BaseException as error:
        await write_stopped([action], error, book=book)
        raise
    try:
        await _write_outcome(action, tried, book=book)
    except StaleEntryError:
        why = "It was sent by a process that had been given up, and it came back."
        await book.reopen([action], why=why)
    return tried


async def write_stopped(actions: Sequence[LiveAction], error: BaseException, *, book: Book) -> None:
    """Write down that a call was stopped: put off it did nothing, else only a look can tell."""
    if is_deferral(error):
        await book.move(actions, State.NOT_EXECUTED, why="Its framework has put it off.")
        return
    why = f"It was stopped on its way ({type(error).__name__})."
    await book.move(actions, State.UNKNOWN, why=why)


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
