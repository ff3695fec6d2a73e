"""One attempt of a turn while it lasts, and how all that it did is taken back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mulligan.core.action import State, UndoResult
from mulligan.core.call import Execution
from mulligan.loops.actions import TakenBack
from mulligan.turns.book import Book, LiveAction
from mulligan.turns.hands import Hands
from mulligan.undo.taking_back import Undone, take_back, version_of

QUICK_TRIES = 2
"""Undos that are tried at once."""

STATE_AFTER = {
    UndoResult.RESTORED: State.UNDONE,
    UndoResult.CONFLICT: State.CONFLICT,
    UndoResult.PARTIAL: State.UNDO_FAILED,
    UndoResult.FAILED: State.UNDO_FAILED,
    UndoResult.UNKNOWN: State.UNDO_FAILED,
}


@dataclass(slots=True, kw_only=True)
class LiveAttempt:
    """What has been done so far in one try of a turn."""

    number: int
    executions: list[Execution] = field(default_factory=list)
    actions: list[LiveAction] = field(default_factory=list)

    def in_state(self, state: State) -> list[LiveAction]:
        """The actions that stand there now."""
        return [action for action in self.actions if action.state is state]


class _Versions:
    """Which version stands for which, once our own undos have written new ones.

    Undoing the second update of an event puts the first one's content back under a version of
    its own; the first update's undo must expect that one.
    """

    def __init__(self) -> None:
        self._now: dict[str, str] = {}

    def replaced(self, old: str | None, new: str | None) -> None:
        if old is not None and new is not None and old != new:
            self._now[old] = new

    def current(self, version: str | None) -> str | None:
        while version is not None and version in self._now:
            version = self._now[version]
        return version


async def take_back_all(
    attempt: LiveAttempt, *, book: Book, hands: Hands, why: str
) -> list[TakenBack]:
    """Undo a whole attempt: in reverse, each action on its own, none stopped by another.

    The verdict is on disk before the first undo.
    """
    doomed = list(reversed(attempt.in_state(State.EXECUTED)))
    await book.move(doomed, State.UNDOING, hands=hands, why=why)
    versions = _Versions()
    taken = [await _take_back_one(each, versions, book=book, hands=hands) for each in doomed]
    return taken + _beyond_undo(attempt)


async def _take_back_one(
    action: LiveAction, versions: _Versions, *, book: Book, hands: Hands
) -> TakenBack:
    record = replace(action.record, version=versions.current(action.record.version))
    undone = Undone(result=UndoResult.FAILED)
    for _ in range(QUICK_TRIES):
        undone = await take_back(record, action.abilities)
        if undone.result is not UndoResult.FAILED:
            break
    if undone.result is UndoResult.RESTORED:
        replaced = await version_of(record.before, record=record, abilities=action.abilities)
        versions.replaced(replaced, undone.version)
    state = STATE_AFTER[undone.result]
    await book.move([action], state, hands=hands, why=undone.why, result=undone.result.value)
    return TakenBack(
        action=action.id, tool=action.opening.tool, what=action.what, result=undone.result
    )


def _beyond_undo(attempt: LiveAttempt) -> list[TakenBack]:
    """Calls that may have changed something and that nobody can take back."""
    return [
        TakenBack(action=action.id, tool=action.opening.tool, what=action.what, result=None)
        for action in attempt.in_state(State.UNKNOWN)
    ]
