"""One undo, from the first look to the proof: what it concerns, what rests on it, what a read
shows. It writes no journal.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Protocol

from msgspec.structs import replace

from mulligan.process.event_loop import await_value
from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime.assessment import (
    Observation,
    Undone,
    UndoPolicy,
    assess_proof,
    find_restless,
    is_restored,
    is_silence,
    is_unchanged,
    says_gone,
)
from mulligan.types.call import Record, RecordFunction, ToolCallbacks
from mulligan.types.display import format_value
from mulligan.types.values import read_fields


async def call_ability(
    function: RecordFunction, record: Record, *, within: timedelta | None = None
) -> object:
    """Call a tool's function, sync or async; late, it is a `TimeoutError`.

    A plain function runs where it is called, as it may belong to that thread: it cannot be bounded.
    """
    answer = function(record)
    if within is None or not inspect.isawaitable(answer):
        return await await_value(answer)
    async with asyncio.timeout(within.total_seconds()):
        return await answer


def copy_record(record: Record) -> Record:
    """A record that a tool's function may change, with values of its own."""
    try:
        return copy.deepcopy(record)
    except Exception:  # noqa: BLE001 - locks, sockets and cursors refuse in ways of their own
        return record


async def read_version(
    state: object, *, record: Record, abilities: ToolCallbacks, within: timedelta | None = None
) -> str | None:
    """The version of a state that was read, where the tool has versions."""
    if state is None:
        return None
    return await read_left_version(
        replace(record, result=state), abilities=abilities, within=within
    )


async def read_left_version(
    record: Record, *, abilities: ToolCallbacks, within: timedelta | None = None
) -> str | None:
    """The version that a call has left, by what it returned: if only nothing, as its tool may know
    of it in another way."""
    if abilities.version is None:
        return None
    version = await call_ability(abilities.version, record, within=within)
    return None if version is None else format_value(version)


class _Says(Protocol):
    @property
    def server(self) -> str: ...
    @property
    def abilities(self) -> ToolCallbacks: ...


def find_objects(record: Record, declaration: _Says) -> frozenset[tuple[str, str]]:
    """The objects of a call by server and id; none where its tool does not say, or not yet."""
    about = declaration.abilities.about
    if about is None:
        return frozenset()
    try:
        named = about(record)
    except Exception:  # noqa: BLE001 - a user's function, which may need a result there is not yet
        return frozenset()
    several = isinstance(named, Iterable) and not isinstance(named, str | bytes)
    found = list(named) if several else [named]  # type: ignore[call-overload]
    return frozenset((declaration.server, format_value(each)) for each in found if each is not None)


_DEPTH = 6
_OWN = ("id", "uid", "uuid")
"""Fields that hold the id of the very object, also where the caller has chosen it."""


def find_made_ids(record: Record) -> set[str]:
    """The ids in what a create returned: its own, and others that were not given to it."""
    if record.before is not None or record.result is None:
        return set()
    given = set(_list_scalars(dict(record.arguments), _DEPTH))
    own = (_list_scalars(part, 1) for name, part in _list_parts(record.result) if name in _OWN)
    made = {each for each in _list_ids(record.result, _DEPTH) if each not in given}
    return made.union(*own)


def find_named_ids(record: Record) -> set[str]:
    """The ids among the arguments of a call, by the names of their fields."""
    return set(_list_ids(dict(record.arguments), _DEPTH))


def _list_ids(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    for name, part in _list_parts(value):
        if _is_id(name):
            yield from _list_scalars(part, 1)
        elif depth:
            yield from (each for each in _list_ids(part, depth - 1) if not isinstance(part, str))


def _list_scalars(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield format_value(value)
    elif depth:
        for _, part in _list_parts(value):
            yield from _list_scalars(part, depth - 1)


def _list_parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((format_value(name), part) for name, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from (("", part) for part in value)
    elif held := read_fields(value):
        yield from held.items()


def _is_id(name: str) -> bool:
    plain = name.lower().lstrip("_")
    return plain in ("id", "uid", "key") or plain.endswith(("_id", "_uid"))


async def read_current(record: Record, terms: UndoPolicy) -> Observation:
    """Read what is there before an undo is sent."""
    sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    if sight.restored and not sight.ours and terms.settles_within:
        # It may only look so, as long as reads lag behind.
        await wait_to_settle(terms)
        sight = await _read(record, terms, seen=terms.deletes or terms.seen)
    await checkpoint(Point.LOOKED)
    return sight


async def run_undo(record: Record, terms: UndoPolicy) -> BaseException | None:
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
    await checkpoint(Point.TAKEN_BACK)
    return failure


async def verify(
    record: Record, terms: UndoPolicy, *, first: Observation, failure: BaseException | None
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


async def wait_to_settle(terms: UndoPolicy) -> None:
    """Let reads catch up with writes, as long as the tool says that may take."""
    if terms.settles_within:
        await asyncio.sleep(terms.settles_within.total_seconds())


async def _read(
    record: Record, terms: UndoPolicy, *, seen: bool, before: Observation | None = None
) -> Observation:
    abilities = terms.abilities
    if abilities.reader is None:
        return Observation(error=LookupError("the tool declares no way to read"))
    try:
        state = await call_ability(abilities.reader, record, within=terms.answers_within)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        if not (seen and says_gone(error)):
            return Observation(error=error)
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
        unchanged = is_unchanged(record, state, abilities=abilities, versions=versions)
    except Exception as error:  # noqa: BLE001 - as above
        return Observation(error=error)
    ours = _is_ours(record, state, version=version, terms=terms, restored=restored)
    return Observation(
        state=state, version=version, ours=ours, restored=restored, unchanged=unchanged
    )


async def read_version_before(record: Record, terms: UndoPolicy) -> str | None:
    """The version that was there before the call, where its tool can tell it from the pre-image."""
    try:
        return await read_version(
            record.before, record=record, abilities=terms.abilities, within=terms.answers_within
        )
    except Exception:  # noqa: BLE001 - a user's function, made for what a call returns
        return None


def _is_ours(
    record: Record, state: object, *, version: str | None, terms: UndoPolicy, restored: bool
) -> bool:
    """Whether it is what the call left: by its version, else because it is not as before."""
    if terms.deletes:
        return state is None
    if terms.abilities.version is not None:
        return state is not None and version is not None and version == record.version
    return not restored
