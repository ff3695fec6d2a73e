"""One undo, from the first look to the proof. It keeps no state and writes no journal."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mulligan.core.action import UndoResult
from mulligan.core.errors import ConflictError
from mulligan.core.escape import format_value
from mulligan.core.points import Point, reach
from mulligan.core.record import Abilities, Record
from mulligan.undo.abilities import call_ability, copy_record, read_version
from mulligan.undo.sameness import is_restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo came to."""

    result: UndoResult
    why: str = ""
    """One sentence, for everything but `RESTORED`."""
    version: str | None = None
    """The version it is at now, as read back."""
    theirs: object = None
    """What is there now, where it is not what we wrote."""
    for_a_person: bool = False
    """Trying again would prove no more, or could do a thing twice."""
    behind_ours: bool = False
    """It is at a version that another call of ours wrote, which is to be undone first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an undo must know beside its record."""

    abilities: Abilities
    deletes: bool = False
    settles_within: timedelta = timedelta()
    answers_within: timedelta = timedelta(seconds=30)
    begun: bool = False
    """An undo was sent before, and nobody knows what came of it."""
    seen: bool = False
    """What the call left was seen before that."""
    own_versions: Collection[str] = field(default_factory=frozenset)
    """Versions that other calls and undos of ours have written to the same object."""
    undo_wrote: bool = False
    """What is there now was written by an undo of ours."""

    @property
    def versioned(self) -> bool:
        """Whether what the call left can be told from anybody else's work."""
        return self.abilities.version is not None and not self.deletes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is there, as far as it could be read."""

    state: object = None
    version: str | None = None
    error: BaseException | None = None
    ours: bool = False
    """It is what the call left, for all that can be told."""
    restored: bool = False
    """It is as it was before the call."""


async def look(record: Record, terms: Terms) -> Sight:
    """Read what is there before an undo is sent."""
    sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    if sight.restored and not sight.ours and terms.settles_within:
        # It may only look so, as long as reads lag behind.
        await wait_to_settle(terms)
        sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    await reach(Point.LOOKED)
    return sight


def judge_sight(record: Record, sight: Sight, *, terms: Terms) -> Undone | None:
    """What follows from a first look; `None`: the undo is to be sent."""
    if sight.error is not None:
        why = f"It could not be read: {describe_error(sight.error)}."
        return Undone(result=UndoResult.FAILED, why=why)
    if sight.restored:
        return _judge_as_before(sight, terms)
    if not sight.ours:
        if sight.version is not None and sight.version in terms.own_versions:
            why = "A later call of ours has written over it, which is to be undone first."
            return Undone(result=UndoResult.FAILED, why=why, behind_ours=True)
        return _build_conflict(record, sight)
    if terms.begun and not terms.versioned:
        why = (
            "An undo was sent before and nobody knows what came of it; without a version it cannot "
            "be told from somebody else's work, so it is not sent again."
        )
        return Undone(result=UndoResult.UNKNOWN, why=why, for_a_person=True)
    return None


def _judge_as_before(sight: Sight, terms: Terms) -> Undone | None:
    """It is as it was. That proves something only if what we left had been seen."""
    if sight.ours or terms.seen or terms.undo_wrote:
        return Undone(result=UndoResult.RESTORED, version=sight.version)
    if terms.versioned and not terms.begun:
        # A replica may lag: the undo goes to where the writes went, under its version.
        return None
    why = "It is as it was before, but nobody has seen what the call left: that may yet show."
    return Undone(result=UndoResult.UNKNOWN, why=why, for_a_person=True)


async def send(record: Record, terms: Terms) -> BaseException | None:
    """Have the tool undo it; what it raised."""
    undo = terms.abilities.undo
    failure: BaseException | None = None
    if undo is None:
        failure = LookupError("the tool declares no undo")
    else:
        try:
            # A copy: an undo that uses up the pre-image and fails must have it whole the next time.
            await call_ability(undo, copy_record(record), within=terms.answers_within)
        except Exception as error:  # noqa: BLE001 - whatever it was, what is there now decides
            failure = error
    await reach(Point.TAKEN_BACK)
    return failure


async def prove(
    record: Record, terms: Terms, *, first: Sight, failure: BaseException | None
) -> Undone:
    """What is there after the undo: only that says whether it worked."""
    sight = await _read(record, terms, seen=first.ours or terms.seen)
    if failure is None and not sight.restored and terms.settles_within:
        # It was accepted; what does not show it yet is read once more.
        await wait_to_settle(terms)
        sight = await _read(record, terms, seen=first.ours or terms.seen)
    if sight.error is not None:
        said = describe_error(failure or sight.error)
        return Undone(result=UndoResult.UNKNOWN, why=f"It could not be read back: {said}.")
    if sight.restored:
        if first.ours or terms.seen or failure is None:
            return Undone(result=UndoResult.RESTORED, version=sight.version)
        why = "It is as it was before, but nobody has seen what the call left, or taken it back."
        return Undone(result=UndoResult.UNKNOWN, why=why, for_a_person=True)
    if isinstance(failure, ConflictError):
        if sight.ours and terms.versioned:
            # Two answers that cannot both be true: the reader is behind, and will tell later.
            why = "The undo was refused as changed since, and it still reads as we left it."
            return Undone(result=UndoResult.UNKNOWN, why=why, version=sight.version)
        return _build_conflict(record, sight)
    if failure is not None:
        if not sight.ours:
            return _build_conflict(record, sight)
        why = f"The undo failed: {describe_error(failure)}."
        return Undone(result=UndoResult.FAILED, why=why, version=sight.version)
    if sight.ours and terms.versioned:
        why = "The undo was accepted, and it still reads as we left it."
        return Undone(result=UndoResult.UNKNOWN, why=why, version=sight.version)
    why = "It is neither as it was before nor as we left it."
    return Undone(result=UndoResult.PARTIAL, why=why, version=sight.version, theirs=sight.state)


async def wait_to_settle(terms: Terms) -> None:
    """Let reads catch up with writes, as long as the tool says that may take."""
    if terms.settles_within:
        await asyncio.sleep(terms.settles_within.total_seconds())


async def _read(record: Record, terms: Terms, *, seen: bool) -> Sight:
    abilities = terms.abilities
    if abilities.reader is None:
        return Sight(error=LookupError("the tool declares no way to read"))
    try:
        state = await call_ability(abilities.reader, record, within=terms.answers_within)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        if not (seen and _says_gone(error)):
            return Sight(error=error)
        state = None
    try:
        version = await read_version(
            state, record=record, abilities=abilities, within=terms.answers_within
        )
        versions = (await read_version_before(record, terms), version)
        restored = is_restored(record, state, abilities=abilities, versions=versions)
    except Exception as error:  # noqa: BLE001 - as above
        return Sight(error=error)
    ours = _is_ours(record, state, version=version, terms=terms, restored=restored)
    return Sight(state=state, version=version, ours=ours, restored=restored)


async def read_version_before(record: Record, terms: Terms) -> str | None:
    """The version that was there before the call, where its tool can tell it from the pre-image."""
    try:
        return await read_version(
            record.before, record=record, abilities=terms.abilities, within=terms.answers_within
        )
    except Exception:  # noqa: BLE001 - a user's function, made for what a call returns
        return None


def _is_ours(
    record: Record, state: object, *, version: str | None, terms: Terms, restored: bool
) -> bool:
    """Whether it is what the call left: by its version, else because it is not as before."""
    if terms.deletes:
        return state is None
    if terms.abilities.version is not None:
        return state is not None and version is not None and version == record.version
    return not restored


def _build_conflict(record: Record, sight: Sight) -> Undone:
    return Undone(
        result=UndoResult.CONFLICT,
        why=f"Someone changed it since: it is at {sight.version}, we left it at {record.version}.",
        version=sight.version,
        theirs=sight.state,
    )


def with_version(record: Record, version: str | None) -> Record:
    """The record as an undo is to see it: at the version where what we left stands now."""
    return record if version == record.version else replace(record, version=version)


def _says_gone(error: Exception) -> bool:
    """Whether a read failed because there is nothing, as HTTP clients like to put it.

    Where nothing was ever seen, it may as well be for want of permission.
    """
    answers = (error, getattr(error, "response", None))
    said = (getattr(a, name, None) for a in answers for name in ("status", "status_code"))
    return any(status in (404, 410) for status in said)


def describe_error(error: BaseException) -> str:
    """An error in a few words."""
    return f"{type(error).__name__}: {format_value(error)}".rstrip(": .")
