"""Calls that a person has let through while the turn that asked for them was still going on."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.action import HOLDS, State
from mulligan.loops.actions import RejectedAction
from mulligan.turns.journal.book import Book
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.rejection import build_rejected_action

_DONE = "a person approved it, and it was done"
_UNSURE = "a person approved it, and it may or may not have taken effect"
_WHY: Mapping[State, str] = {
    State.APPROVED: "a person approved it, and it is about to be done",
    State.INTENT: "a person approved it, and it is being done",
    State.EXECUTED: _DONE,
    State.UNCHECKED: _DONE,
    # As a version before this one has written it.
    State.VERIFIED: _DONE,
    State.UNKNOWN: _UNSURE,
    State.NEEDS_HUMAN: _UNSURE,
}


async def list_approved(attempt: LiveAttempt, *, book: Book) -> list[RejectedAction]:
    """What a rejection has come too late for: a person's word counts, and an agent is told so."""
    held = attempt.list_whole_in_state(*HOLDS)
    await book.read_answers(held)
    attempt.approved.update(action.id for action in held if action.state in _WHY)
    approved = {each for part in attempt.list_whole() for each in part.approved}
    return [
        build_rejected_action(action, result=None, why=why, certain=why == _DONE, blocks=False)
        for action in attempt.list_whole_in_state(*_WHY)
        if action.id in approved and (why := _WHY.get(action.state or State.HELD))
    ]
