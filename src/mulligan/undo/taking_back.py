"""One undo, from the first look to the proof. It keeps no state and writes no journal."""

from __future__ import annotations

import asyncio

from mulligan.core.record import Record
from mulligan.core.runtime.points import Point, reach
from mulligan.undo.abilities import call_ability, copy_record, read_version
from mulligan.undo.answers import is_silence, says_gone
from mulligan.undo.assessment import Sight, Terms, Undone, assess_proof
from mulligan.undo.sameness import find_restless, is_restored, is_unchanged


async def look(record: Record, terms: Terms) -> Sight:
    """Read what is there before an undo is sent."""
    sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    if sight.restored and not sight.ours and terms.settles_within:
        # It may only look so, as long as reads lag behind.
        await wait_to_settle(terms)
        sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    await reach(Point.LOOKED)
    return sight


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
    # Who refuses may hide what is there, too: then a 404 is no absence.
    seen = (first.ours or terms.seen) and (failure is None or is_silence(failure))
    sight = await _read(record, terms, seen=seen)
    if failure is None and not sight.restored and terms.settles_within:
        # It was accepted; what does not show it yet is read once more.
        await wait_to_settle(terms)
        sight = await _read(record, terms, seen=seen)
    if failure is None and not sight.restored and sight.version is not None:
        # What differs from itself at the same version is a counter or a clock, and no content.
        sight = await _read(record, terms, seen=seen, before=sight)
    return assess_proof(record, sight, terms=terms, first=first, failure=failure)


async def wait_to_settle(terms: Terms) -> None:
    """Let reads catch up with writes, as long as the tool says that may take."""
    if terms.settles_within:
        await asyncio.sleep(terms.settles_within.total_seconds())


async def _read(record: Record, terms: Terms, *, seen: bool, before: Sight | None = None) -> Sight:
    abilities = terms.abilities
    if abilities.reader is None:
        return Sight(error=LookupError("the tool declares no way to read"))
    try:
        state = await call_ability(abilities.reader, record, within=terms.answers_within)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        if not (seen and says_gone(error)):
            return Sight(error=error)
        state = None
    try:
        version = await read_version(
            state, record=record, abilities=abilities, within=terms.answers_within
        )
        versions = (await read_version_before(record, terms), version)
        same_version = before is not None and before.version == version
        restless = find_restless(before.state, state) if before and same_version else frozenset()
        restored = is_restored(
            record, state, abilities=abilities, versions=versions, restless=restless
        )
        unchanged = is_unchanged(record, state, abilities=abilities)
    except Exception as error:  # noqa: BLE001 - as above
        return Sight(error=error)
    ours = _is_ours(record, state, version=version, terms=terms, restored=restored)
    return Sight(state=state, version=version, ours=ours, restored=restored, unchanged=unchanged)


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
