"""A call that gave no answer: what a look at the world says became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from mulligan.core.action import State
from mulligan.core.effect import ProbeBy
from mulligan.core.errors import ConflictError
from mulligan.core.escape import format_value
from mulligan.core.points import Point, reach
from mulligan.core.record import Record
from mulligan.turns.journal.book import Book, LiveAction
from mulligan.turns.tools.declaration import Declaration
from mulligan.undo.abilities import call_ability, copy_record, read_version
from mulligan.undo.sameness import is_restored
from mulligan.undo.taking_back import describe_error


class Landing(StrEnum):
    """Whether a call took effect."""

    LANDED = "landed"
    ABSENT = "absent"
    """It has not, as of now. Too soon, it may still."""
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a look found."""

    landing: Landing
    result: object = None
    """What the call returned or would have, where it landed."""
    why: str = ""
    for_a_person: bool = False
    """Looking again will tell no more."""


async def look(record: Record, declaration: Declaration) -> Seen:
    """Whether a call landed: by its probe, else by its pre-image that is still there.

    What can only be seen to be there now is never taken for ours: it may be a person's edit.
    """
    can = declaration.abilities
    try:
        if can.probe is not None and declaration.probe_by is ProbeBy.CALL:
            result = await call_ability(
                can.probe, copy_record(record), within=declaration.answers_within
            )
            await reach(Point.PROBED)
            landing = Landing.ABSENT if result is None else Landing.LANDED
            return Seen(landing=landing, result=result)
        reader = can.probe or can.reader
        if reader is None or (can.before is None and can.probe is None):
            why = "Its tool declares no probe, so nobody but a person can tell whether it happened."
            return Seen(landing=Landing.UNSURE, why=why, for_a_person=True)
        now = await call_ability(reader, record, within=declaration.answers_within)
        await reach(Point.PROBED)
        if is_restored(record, now, abilities=can):
            return Seen(landing=Landing.ABSENT)
    except ConflictError as error:
        why = f"It seems to have happened, and somebody has changed it since: {format_value(error)}"
        return Seen(landing=Landing.UNSURE, why=why, for_a_person=True)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        why = f"It could not be looked at: {describe_error(error)}."
        return Seen(landing=Landing.UNSURE, why=why)
    why = "What is there is not what was there before; whether that was this call, nobody can tell."
    return Seen(landing=Landing.UNSURE, why=why, for_a_person=True)


async def settle(actions: Sequence[LiveAction], *, book: Book) -> None:
    """Find out about actions nobody knows the outcome of, and write down what is certain."""
    for action in actions:
        # Asked before the look: what it does not find may arrive while it is on its way back.
        final = is_too_late_to_land(action, book)
        seen = await look(action.record, action.declaration)
        await write_down(action, seen, final=final, book=book)


async def write_down(
    action: LiveAction,
    seen: Seen,
    *,
    final: bool,
    book: Book,
) -> None:
    """Move an action whose outcome was unknown to what a look has shown, if that is certain."""
    match seen.landing:
        case Landing.LANDED:
            await adopt([action], [seen.result], book=book)
            action.looked_up = True
            action.on_settled(action)
        case Landing.ABSENT:
            if final:
                why = "It was looked for, and is not there."
                await book.move([action], State.NOT_EXECUTED, why=why)
                action.on_settled(action)
        case Landing.UNSURE:
            if seen.for_a_person and action.state is not State.NEEDS_HUMAN:
                await book.move([action], State.NEEDS_HUMAN, why=seen.why)


async def adopt(
    actions: Sequence[LiveAction],
    results: Sequence[object],
    *,
    book: Book,
) -> None:
    """Write down that calls happened, with what they returned and the versions they left."""
    for action, result in zip(actions, results, strict=True):
        record = replace(action.record, result=result)
        # What a delete leaves is nothing, whatever it returned: an undo must expect no version.
        left = None if action.declaration.deletes else result
        try:
            version = await read_version(
                left,
                record=record,
                abilities=action.abilities,
                within=action.declaration.answers_within,
            )
        except Exception:  # noqa: BLE001 - a user's function; unknown, an undo finds a conflict
            version = None
        action.record = replace(record, version=version)
    await book.mark_executed(actions)


def is_too_late_to_land(action: LiveAction, book: Book) -> bool:
    """Whether a request that is not there yet will not arrive, or show, any more.

    Counted from when it was given up, not from when it was asked for: the last try may have been
    sent just before, and a call that waited for a person long after it was asked for.
    """
    declared = action.declaration
    return book.has_passed(action, declared.lands_within + declared.settles_within)
