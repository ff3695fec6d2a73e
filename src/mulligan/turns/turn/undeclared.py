"""What tools did of which nobody declared an effect, once the attempt it belongs to is rejected.

It cannot be taken back, so it stands: it is named to the agent and to the person, and stands on
the open list until somebody has seen to it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence

from mulligan.codec.values import encode_value
from mulligan.core.action import Kept, State
from mulligan.core.effect import Effect
from mulligan.core.errors import MulliganError
from mulligan.core.record import Record
from mulligan.loops.actions import RejectedAction
from mulligan.turns.journal.book import Book
from mulligan.turns.journal.evidence import UndeclaredCall
from mulligan.turns.journal.kept.findings import Rejection
from mulligan.turns.journal.live_action import LiveAction, keep_said
from mulligan.turns.tools.declaration import Declaration
from mulligan.turns.turn.attempt import LiveAttempt, LooseCall
from mulligan.turns.turn.rejection import build_rejected_action

_report = logging.getLogger("mulligan")


async def record_undeclared(attempt: LiveAttempt, *, book: Book, why: str) -> list[RejectedAction]:
    """Put what stands of a rejected attempt before a person, and say what it is.

    What turns inside it did belongs to it, also what nobody declared.
    """
    standing: list[tuple[LooseCall, LiveAction]] = []
    for part in attempt.list_whole():
        made = [(each, each.build()) for each in part.loose]
        part.loose.clear()
        part.actions.extend(action for _, action in made)
        standing += made
    try:
        await _write([(each.came_back, action) for each, action in standing], book=book, why=why)
    except MulliganError as error:
        # The agent and the person are told all the same; only the open list does not have it.
        _report.warning("What stands of a rejected attempt could not be written: %s", error)
    return [_describe_standing(each, action) for each, action in standing]


async def record_undeclared_late(calls: Iterable[UndeclaredCall], *, book: Book, why: str) -> None:
    """The same for an attempt of a turn that is gone, as far as its evidence knows of them."""
    standing = []
    for call in {each.id: each for each in calls}.values():
        if await asyncio.to_thread(book.journal.find_action, call.id) is not None:
            # The turn itself, or a pass before this one, has put it on the list.
            continue
        action = LiveAction(
            id=call.id,
            opening=call.opening,
            declaration=Declaration(tool=call.opening.tool, server=call.opening.server),
            record=Record(arguments=call.arguments),
            opened_at=book.clock(),
        )
        standing.append((call.came_back, action))
    try:
        await _write(standing, book=book, why=why)
    finally:
        book.let_go(action for _, action in standing)


async def _write(standing: Sequence[tuple[bool, LiveAction]], *, book: Book, why: str) -> None:
    actions = [action for _, action in standing]
    book.live.update(action.id for action in actions)
    keep = [kept for action in actions for kept in _keep_arguments(action)]
    await book.move(actions, State.INTENT, keep=keep, why="Nobody declared what it does.")
    came_back = [action for certain, action in standing if certain]
    await book.move(came_back, State.EXECUTED)
    await book.move(came_back, State.DISPUTED, why=why)
    unsure = [action for certain, action in standing if not certain]
    lead = "It failed, and may have taken effect."
    told = why.with_lead(lead) if isinstance(why, Rejection) else f"{lead} {why}"
    await book.move(unsure, State.NEEDS_HUMAN, why=told)


def _keep_arguments(action: LiveAction) -> list[Kept]:
    value = encode_value(action.record.arguments)
    return [Kept(owner=action.id, name="arguments", value=value), *keep_said(action)]


def _describe_standing(loose: LooseCall, action: LiveAction) -> RejectedAction:
    declared = action.opening.effect is not Effect.UNDECLARED
    reason = "its tool is only watched" if declared else "nobody declared what it does"
    why = f"{reason}, so it cannot be undone"
    if not loose.came_back:
        why = f"it failed, and may have taken effect; {why}"
    return build_rejected_action(
        action, result=None, why=why, certain=loose.came_back, blocks=False
    )
