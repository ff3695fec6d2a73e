"""One attempt of a turn while it lasts, and how all that it did is taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice

from mulligan.codec.values import encode_value
from mulligan.core.action import Kept, State, UndoResult
from mulligan.core.call import Execution
from mulligan.core.effect import Effect, NoVerdict
from mulligan.core.errors import ConfigurationError, JournalError
from mulligan.core.points import Point, reach
from mulligan.core.record import Record
from mulligan.core.turn import Turn
from mulligan.loops.actions import TakenBack
from mulligan.turns.journal.book import Book, LiveAction, as_execution
from mulligan.undo.order import builds_on
from mulligan.undo.taking_back import Undone, read_version, take_back

QUICK_TRIES = 2
"""Undos that are tried at once."""

MOST_NOTES = 2_000
"""Calls of one attempt that a review can look back on."""

STATE_AFTER = {
    UndoResult.RESTORED: State.UNDONE,
    UndoResult.CONFLICT: State.CONFLICT,
    UndoResult.PARTIAL: State.UNDO_FAILED,
    UndoResult.FAILED: State.UNDO_FAILED,
    UndoResult.UNKNOWN: State.UNDO_FAILED,
}

Note = Callable[[], Execution]
"""Tells what came of a call, once somebody asks: most calls are never asked about."""


@dataclass(slots=True, kw_only=True)
class LiveAttempt:
    """What has been done so far in one try of a turn."""

    turn: Turn
    number: int
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=MOST_NOTES))
    done: list[Execution] = field(default_factory=list)
    """What changed something or may have: none of it is ever out of a review's sight."""
    actions: list[LiveAction] = field(default_factory=list)
    asks: bool = False
    """A tool was called that wants a judge's word."""
    told: int = 0
    """How many of the notes have gone into the evidence of an action."""

    def list_executions(self) -> tuple[Execution, ...]:
        """Every call that was made, in order; one that gave no answer as a look has found it."""
        found = [action for action in self.actions if action.looked_up]
        calls = {action.opening.call for action in found}
        seen = [done for done in self.done if calls.isdisjoint((done.call.id, done.call.parent))]
        seen += [as_execution(action, self.turn) for action in found]
        seen += [note() for note in self.notes]
        # Ids are in the order of time.
        return tuple(sorted(seen, key=lambda execution: execution.call.id))

    def list_latest(self, most: int) -> tuple[Execution, ...]:
        """The last calls that were made, in order; it takes no longer when there were many."""
        notes = islice(reversed(self.notes), most)
        seen = [*self.done[-most:], *(note() for note in notes)]
        return tuple(sorted(seen, key=lambda execution: execution.call.id)[-most:])

    def list_in_state(self, *states: State) -> list[LiveAction]:
        """The actions that stand there now."""
        return [action for action in self.actions if action.state in states]


class Versions:
    """Which version stands for which, once our own undos have written new ones.

    Undoing the second update of an event puts the first one's content back under a version of
    its own; the first update's undo must expect that one.
    """

    def __init__(self) -> None:
        self._written: list[tuple[Record, str, str]] = []

    def record_replacement(self, later: Record, *, old: str | None, new: str | None) -> None:
        """Undoing a call put back what was at version `old`, at version `new`."""
        if old is not None and new is not None and old != new:
            self._written.append((later, old, new))

    def find_current(self, record: Record) -> str | None:
        """Where what a call left stands now, for all we did to it ourselves.

        Versions count for one object alone: two objects may both be at version 1.
        """
        version = record.version
        for later, old, new in self._written:
            if version == old and builds_on(later, record):
                version = new
        return version


def insists(actions: Iterable[LiveAction]) -> bool:
    """Whether one of them may not stand unless somebody could review it."""
    return any(action.declaration.on_no_verdict is NoVerdict.UNDO for action in actions)


def line_up(actions: Sequence[LiveAction]) -> None:
    """Have each action know those before it, in the order in which they are to be undone."""
    for place, action in enumerate(actions):
        action.after = tuple(earlier.id for earlier in actions[:place])


async def dispute(actions: Sequence[LiveAction], *, book: Book, why: str) -> None:
    """Put a rejection before a person, who may have the actions undone: they are in their order."""
    line_up(list(reversed(actions)))
    await book.move(actions, State.DISPUTED, why=why)
    await reach(Point.DISPUTED)


async def doom(actions: Sequence[LiveAction], *, book: Book, why: str) -> None:
    """Put a rejection on disk, before anything is undone: nobody asks for a verdict again.

    The actions are in the order in which they will be undone.
    """
    line_up(actions)
    for action in actions:
        action.tries = 1
    await book.move(actions, State.UNDOING, why=why)
    await reach(Point.DOOMED)


async def take_back_all(attempt: LiveAttempt, *, book: Book, why: str) -> list[TakenBack]:
    """Undo a whole attempt: in reverse, each action on its own, none stopped by another."""
    executed = list(reversed(attempt.list_in_state(State.EXECUTED)))
    doomed = [a for a in executed if a.opening.effect is Effect.REVERSIBLE]
    await doom(doomed, book=book, why=why)
    await _deny_holds(attempt, book=book, why=why)
    beyond = [action for action in executed if action not in doomed]
    if beyond:
        await dispute(beyond[::-1], book=book, why=why)
    versions = Versions()
    for place, action in enumerate(doomed):
        await take_back_one(
            action,
            versions,
            book=book,
            stuck=describe_blocker(doomed[:place], action),
        )
    return [_build_taken_back(action) for action in doomed] + _list_beyond_undo(attempt)


async def _deny_holds(attempt: LiveAttempt, *, book: Book, why: str) -> None:
    """What a rejected attempt wanted is not wanted any more, unless somebody has just said so."""
    for action in attempt.list_in_state(State.HELD):
        with suppress(JournalError):  # a person was quicker, and what they said stands
            await book.move([action], State.DENIED, why=why)


async def take_back_one(
    action: LiveAction, versions: Versions, *, book: Book, stuck: str = ""
) -> None:
    """Undo one action that is doomed, read back, and write down what came of it."""
    action.undone = UndoResult.FAILED
    if stuck:
        await book.move([action], State.UNDO_FAILED, why=stuck)
        return
    record = replace(action.record, version=versions.find_current(action.record))
    undone = Undone(result=UndoResult.FAILED)
    for _ in range(QUICK_TRIES):
        undone = await take_back(record, action.abilities)
        if undone.result is not UndoResult.FAILED:
            break
    await reach(Point.PROVEN)
    keep: list[Kept] = []
    if undone.result is UndoResult.RESTORED:
        was = await read_version(record.before, record=record, abilities=action.abilities)
        versions.record_replacement(record, old=was, new=undone.version)
        keep = [Kept(owner=action.id, name="restored", value=encode_value([was, undone.version]))]
    action.undone = undone.result
    facts: dict[str, object] = {"result": undone.result.value}
    if undone.result in (UndoResult.CONFLICT, UndoResult.PARTIAL):
        keep = _keep_theirs(action, undone)
    if undone.result is UndoResult.CONFLICT:
        # Both versions as they are: in `why` a long one would be taken for a secret.
        facts |= {"left_at": record.version, "now_at": undone.version}
    state = STATE_AFTER[undone.result]
    await book.move([action], state, keep=keep, why=undone.why, facts=facts)
    await reach(Point.UNDONE)


def _keep_theirs(action: LiveAction, undone: Undone) -> list[Kept]:
    """What stands there in place of ours, if only nothing, for the person who has to choose."""
    try:
        return [Kept(owner=action.id, name="theirs", value=encode_value(undone.theirs))]
    except ConfigurationError:
        # It cannot be written down; that there is a conflict still must be.
        return []


def describe_blocker(before: Sequence[LiveAction], action: LiveAction) -> str:
    """Why an action must wait: something that stands on it could not be undone."""
    for later in before:
        if later.state is not State.UNDONE and builds_on(later.record, action.record):
            return f"{later.what} came after it and could not be undone."
    return ""


def _build_taken_back(action: LiveAction) -> TakenBack:
    return TakenBack(
        action=action.id, tool=action.opening.tool, what=action.what, result=action.undone
    )


def _list_beyond_undo(attempt: LiveAttempt) -> list[TakenBack]:
    """Calls that may have changed something and that nobody can take back."""
    return [
        TakenBack(action=action.id, tool=action.opening.tool, what=action.what, result=None)
        for action in attempt.list_in_state(
            State.UNKNOWN, State.INTENT, State.NEEDS_HUMAN, State.DISPUTED
        )
    ]
