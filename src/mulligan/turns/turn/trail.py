"""What an attempt has shown so far, kept with its actions for a review that may come late.

An undeclared call is on no record of its own. Where its attempt has an action that is, it rides
along: with the next entry of the attempt, or, not waited for, behind the last one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from mulligan.core.action import UNCERTAIN, UNREVIEWED, Kept
from mulligan.core.call import Execution
from mulligan.core.errors import MulliganError
from mulligan.core.history import NO_HISTORY
from mulligan.core.runtime.dataclass import dataclass
from mulligan.turns.journal.book import SHARED_LIFE, Book
from mulligan.turns.journal.evidence import FOLLOWING, UndeclaredCall, name_trail, pack_evidence
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.turn.attempt import LiveAttempt
from mulligan.turns.turn.context import OpenTurn

_report = logging.getLogger("mulligan")
T = TypeVar("T")

_TO_BE_REVIEWED = UNCERTAIN | UNREVIEWED
"""States from which an action may yet come to a late review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is kept when an action is put on record."""

    packed: bytes
    keep: Sequence[Kept] = ()
    """What leads to it from the evidence before it."""


def gather_evidence(turn: OpenTurn, attempt: LiveAttempt) -> bytes:
    """What a call that waits for a person rests on; the next one will bring it too."""
    return _pack(turn, attempt, notes=_list_new(attempt.notes, attempt.trail.note))


def bring_evidence(
    turn: OpenTurn, attempt: LiveAttempt, *, action: LiveAction, book: Book
) -> Evidence:
    """What has been shown since the last action was put on record; from now on it is told."""
    trail, owner = attempt.trail, action.opening.parent or action.id
    packed = _tell(turn, attempt)
    before, trail.owner, trail.parts = trail.owner, owner, 0
    trail.shared = action.opening.parent is not None
    if before is None:
        return Evidence(packed=packed)
    until = book.clock() + SHARED_LIFE
    link = Kept(owner=before, name=FOLLOWING, value=owner.encode(), expires_at=until)
    return Evidence(packed=packed, keep=[link])


def follow_undeclared(turn: OpenTurn, *, book: Book) -> None:
    """An undeclared call came back: it goes behind the last action, if there is one.

    It is not waited for, and not synced: only what the machine had no time for is lost.
    """
    try:
        kept = _build_part(turn, book=book)
        if kept is not None:
            book.journal.submit([], keep=[kept])
    except Exception as error:  # noqa: BLE001 - the call itself was made, and must not fail by this
        _report.warning("An undeclared call is not kept (%s).", type(error).__name__)


async def keep_rest(turn: OpenTurn, *, book: Book) -> None:
    """What was shown since the last action: the turn ends, and what it did may be reviewed late."""
    whole = turn.attempt.list_whole()
    open_ones = any(each.list_in_state(*_TO_BE_REVIEWED) for each in whole)
    if not open_ones or not any(_has_news(each) for each in whole):
        return
    kept = _build_part(turn, book=book)
    try:
        await book.move_together([], keep=[] if kept is None else [kept])
    except MulliganError as error:
        # The turn has ended all the same; a late review sees less of it.
        _report.warning("What a turn has shown last could not be kept: %s", error)


def _build_part(turn: OpenTurn, *, book: Book) -> Kept | None:
    """A part of the nearest trail that there is: of this turn, or of one around it."""
    carrier: OpenTurn | None = turn
    while carrier is not None and carrier.attempt.trail.owner is None:
        carrier = carrier.outer
    if carrier is None:
        return None
    trail = carrier.attempt.trail
    trail.parts += 1
    until = book.clock() + SHARED_LIFE if trail.shared else None
    value = _tell(carrier, carrier.attempt)
    name = name_trail(trail.parts)
    return Kept(owner=str(trail.owner), name=name, value=value, expires_at=until)


def _tell(turn: OpenTurn, attempt: LiveAttempt) -> bytes:
    """Pack what is new, also what turns inside it did undeclared, and take it for told."""
    notes = _list_new(attempt.notes, attempt.trail.note)
    undeclared = []
    for part in attempt.list_whole():
        loose = _list_new(part.loose, part.trail.loose)
        part.trail.loose = loose[-1] if loose else part.trail.loose
        for each in loose:
            action = each.build()
            undeclared.append(
                UndeclaredCall(
                    id=action.id,
                    opening=action.opening,
                    arguments=action.record.arguments,
                    came_back=each.came_back,
                )
            )
    packed = _pack(turn, attempt, notes=notes, undeclared=undeclared)
    attempt.trail.note = notes[-1] if notes else attempt.trail.note
    return packed


def _pack(
    turn: OpenTurn,
    attempt: LiveAttempt,
    *,
    notes: Sequence[Callable[[], Execution]],
    undeclared: Sequence[UndeclaredCall] = (),
) -> bytes:
    first, before = attempt.trail.owner is None, turn.attempts[: attempt.number - 1]
    return pack_evidence(
        turn.turn,
        [note() for note in notes],
        earlier=[done for each in before for done in each.list_standing()] if first else (),
        history=turn.turn.history if first else NO_HISTORY,
        undeclared=undeclared,
        previous=attempt.trail.owner,
    )


def _has_news(attempt: LiveAttempt) -> bool:
    trail = attempt.trail
    return any(
        kept and kept[-1] is not told
        for kept, told in ((attempt.notes, trail.note), (attempt.loose, trail.loose))
    )


def _list_new(kept: Sequence[T], told: T | None) -> list[T]:
    """What was added after the last that was told: the oldest may have gone meanwhile."""
    new: list[T] = []
    for each in reversed(list(kept)):
        if each is told:
            break
        new.append(each)
    return new[::-1]
