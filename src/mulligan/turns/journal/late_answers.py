"""Answers that came when others had given up the process that waited for them.

Those others may have looked before the effect was there. That nothing happened must not stand then,
whether they have written it or are about to: they are told, again until the store has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from mulligan.core.action import By, find_late_step
from mulligan.core.errors import JournalError, StoreError
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.live_action import LiveAction

CAME_BACK_LATE = "It was sent by a process that had been given up, and it came back."
_AT_ONCE = 3
"""How often it is told at once, where others write at the same moment."""


def remember(actions: Iterable[LiveAction], *, why: str, book: Book) -> None:
    """Their calls came back here, and the store did not take that."""
    book.untold.update({action.id: (action, why) for action in actions})


async def tell(book: Book) -> None:
    """Tell of all of them; what the store does not take now is told by the next pass."""
    for _ in range(_AT_ONCE):
        for action, why in list(book.untold.values()):
            # Somebody wrote at the same moment, or the store is away.
            with suppress(JournalError, StoreError):
                await _tell(action, why, book=book)
                book.untold.pop(action.id, None)
        if not book.untold:
            return


async def _tell(action: LiveAction, why: str, *, book: Book) -> None:
    """Put what was decided before a person; and have who is deciding look once more."""
    current = await book.waiter.aside(partial(book.journal.find_action, action.id))
    after = None if current is None else find_late_step(current.state)
    if current is None or after is None:
        return
    action.state, action.version, action.by = current.state, current.version, By.LATE
    await book.move([action], after, why=why)
