"""What a verdict is written down as, whether it was reached in its turn or after it."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.core.action import State
from mulligan.core.finding import Standing, Verdict
from mulligan.turns.journal.book import Book, StateChange
from mulligan.turns.journal.kept_findings import Rejection
from mulligan.turns.journal.live_action import LiveAction

WORST_FIRST = (Standing.REJECTED, Standing.UNREVIEWED, Standing.UNCHECKED, Standing.ACCEPTED)


async def settle_reviewed(actions: Iterable[LiveAction], *, by: str, book: Book) -> None:
    """Write down that actions stand: verified by whom, or that nobody looked at them."""
    reviewed = list(actions)
    seen = [action for action in reviewed if not action.unchecked]
    unseen = [action for action in reviewed if action.unchecked]
    why = "No check was about it, and no judge was asked."
    verified = StateChange(actions=seen, state=State.VERIFIED, facts={"by": by})
    unchecked = StateChange(actions=unseen, state=State.UNCHECKED, why=why)
    await book.move_together([verified, unchecked])


def describe_rejection(verdict: Verdict) -> Rejection:
    """Why an attempt was rejected, in one line."""
    return Rejection(verdict.errors)
