"""What tools did of which nobody declared an effect, once the attempt it belongs to is rejected.

It cannot be taken back, so it stands: it is named to the agent and to the person, and stands on
the open list until somebody has seen to it.
"""

from __future__ import annotations

import logging

from mulligan.codec.values import encode_value
from mulligan.core.action import Kept, State
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError, MulliganError
from mulligan.loops.actions import TakenBack
from mulligan.turns.journal.book import Book, LiveAction, keep_said
from mulligan.turns.turn.attempt import LiveAttempt, LooseCall

_report = logging.getLogger("mulligan")


async def record_undeclared(attempt: LiveAttempt, *, book: Book, why: str) -> list[TakenBack]:
    """Put what stands of a rejected attempt before a person, and say what it is."""
    loose = list(attempt.loose)
    attempt.loose.clear()
    standing = [(each, each.build()) for each in loose]
    try:
        await _write(standing, book=book, why=why)
    except MulliganError as error:
        # The agent and the person are told all the same; only the open list does not have it.
        _report.warning("What stands of a rejected attempt could not be written: %s", error)
    attempt.actions.extend(action for _, action in standing)
    return [_build_taken_back(each, action) for each, action in standing]


async def _write(standing: list[tuple[LooseCall, LiveAction]], *, book: Book, why: str) -> None:
    actions = [action for _, action in standing]
    book.live.update(action.id for action in actions)
    keep = [kept for action in actions for kept in _keep_arguments(action)]
    await book.move(actions, State.INTENT, keep=keep, why="Nobody declared what it does.")
    came_back = [action for each, action in standing if each.came_back]
    await book.move(came_back, State.EXECUTED)
    await book.move(came_back, State.DISPUTED, why=why)
    unsure = [action for each, action in standing if not each.came_back]
    await book.move(unsure, State.NEEDS_HUMAN, why=f"It failed, and may have taken effect. {why}")


def _keep_arguments(action: LiveAction) -> list[Kept]:
    try:
        value = encode_value(action.record.arguments)
    except ConfigurationError:
        # Nobody promised that these can be written down; that the call stands still must be.
        return []
    return [Kept(owner=action.id, name="arguments", value=value), *keep_said(action)]


def _build_taken_back(loose: LooseCall, action: LiveAction) -> TakenBack:
    declared = action.opening.effect is not Effect.UNDECLARED
    reason = "its tool is only watched" if declared else "nobody declared what it does"
    why = f"{reason}, so it cannot be undone"
    if not loose.came_back:
        why = f"it failed, and may have taken effect; {why}"
    return TakenBack(
        action=action.id,
        tool=action.opening.tool,
        what=action.what,
        said=action.said,
        result=None,
        why=why,
        certain=loose.came_back,
        blocks=False,
    )
