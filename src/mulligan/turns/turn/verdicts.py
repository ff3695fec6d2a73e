"""What a verdict is written down as, whether it was reached in its turn or after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mulligan.core.action import State
from mulligan.core.finding import Confidence, Standing, Verdict
from mulligan.turns.journal.book import Book, StateChange
from mulligan.turns.journal.kept.findings import Rejection
from mulligan.turns.journal.kept.reviews import ReviewedAttempt
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.turn.context import OpenTurn

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


def choose_confidence(verdict: Verdict) -> Confidence | None:
    """How sure to call an outcome: one that was rejected to the end is not sure at all."""
    return Confidence.LOW if verdict.standing is Standing.REJECTED else verdict.confidence


def record_verdict(turn: OpenTurn, verdict: Verdict, *, book: Book) -> None:
    """Keep what the review of the attempt that is going on came to."""
    told = turn.correction
    book.record_review(
        ReviewedAttempt(
            turn=turn.id,
            number=turn.attempt.number,
            verdict=replace(verdict, confidence=choose_confidence(verdict)),
            told=told.text if told is not None else "",
        )
    )


def describe_rejection(verdict: Verdict) -> Rejection:
    """Why an attempt was rejected, in one line."""
    return Rejection(verdict.errors)
