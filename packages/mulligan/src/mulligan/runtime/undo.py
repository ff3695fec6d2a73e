"""One undo, from the first read to the proof, and the ids by which one waits for another. It writes
no journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from mulligan.process.fault_points import Point, checkpoint
from mulligan.process.user_functions import call_here
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
from mulligan.runtime.live_action import copy_value, read_version
from mulligan.types.call import Record
from mulligan.types.display import format_value
from mulligan.types.values import read_fields

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
    plain = name.lower().lstrip("_").removesuffix("s")
    return plain in ("id", "uid", "key") or plain.endswith(("_id", "_uid"))


async def read_current(record: Record, policy: UndoPolicy) -> Observation:
    """Read what is there before an undo is sent."""
    observed = await _read(record, policy, seen=policy.deletes or policy.seen)
    if observed.restored and not observed.ours and policy.settles_within:
        # It may only look so, as long as reads lag behind.
        await wait_to_settle(policy)
        observed = await _read(record, policy, seen=policy.deletes or policy.seen)
    await checkpoint(Point.LOOKED)
    return observed


async def run_undo(record: Record, policy: UndoPolicy) -> BaseException | None:
    """Have the tool undo it; what it raised."""
    undo = policy.callbacks.undo
    failure: BaseException | None = None
    if undo is None:
        failure = LookupError("the tool declares no undo")
    else:
        try:
            # A copy: an undo that uses up the snapshot and fails must have it whole the next time.
            await call_here(undo, copy_value(record), within=policy.answers_within)
        except Exception as error:  # noqa: BLE001 - whatever it was, what is there now decides
            failure = error
    await checkpoint(Point.TAKEN_BACK)
    return failure


async def verify(
    record: Record, policy: UndoPolicy, *, first: Observation, failure: BaseException | None
) -> Undone:
    """What is there after the undo: only that says whether it worked."""
    # Who refuses may hide what is there, too: then a 404 is no absence.
    seen = (first.ours or policy.seen) and (failure is None or is_silence(failure))
    observed = await _read(record, policy, seen=seen)
    if failure is None and not observed.restored and policy.settles_within:
        # It was accepted; what does not show it yet is read once more.
        await wait_to_settle(policy)
        observed = await _read(record, policy, seen=seen)
    if failure is None and not observed.restored and observed.version is not None:
        # What differs from itself at the same version is a counter or a clock, and no content.
        observed = await _read(record, policy, seen=seen, before=observed)
    return assess_proof(record, observed, policy=policy, first=first, failure=failure)


async def wait_to_settle(policy: UndoPolicy) -> None:
    """Let reads catch up with writes, as long as the tool says that may take."""
    if policy.settles_within:
        await asyncio.sleep(policy.settles_within.total_seconds())


async def _read(
    record: Record, policy: UndoPolicy, *, seen: bool, before: Observation | None = None
) -> Observation:
    callbacks = policy.callbacks
    if callbacks.reader is None:
        return Observation(error=LookupError("the tool declares no way to read"))
    try:
        state = await call_here(callbacks.reader, record, within=policy.answers_within)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        if not (seen and says_gone(error)):
            return Observation(error=error)
        state = None
    try:
        version = await read_version(
            state, record=record, callbacks=callbacks, within=policy.answers_within
        )
        versions = (await read_version_before(record, policy), version)
        same_version = before is not None and before.version == version
        restless = find_restless(before.state, state) if before and same_version else frozenset()
        restored = is_restored(
            record, state, callbacks=callbacks, versions=versions, restless=restless
        )
        unchanged = is_unchanged(record, state, callbacks=callbacks, versions=versions)
    except Exception as error:  # noqa: BLE001 - as above
        return Observation(error=error)
    except SystemExit:
        return Observation(error=ConnectionAbortedError("SystemExit"))
    ours = _is_ours(record, state, version=version, policy=policy, restored=restored)
    return Observation(
        state=state, version=version, ours=ours, restored=restored, unchanged=unchanged
    )


async def read_version_before(record: Record, policy: UndoPolicy) -> str | None:
    """The version that was there before the call, where its tool can tell it from the snapshot."""
    try:
        return await read_version(
            record.before, record=record, callbacks=policy.callbacks, within=policy.answers_within
        )
    except Exception:  # noqa: BLE001 - a user's function, made for what a call returns
        return None


def _is_ours(
    record: Record, state: object, *, version: str | None, policy: UndoPolicy, restored: bool
) -> bool:
    """Whether it is what the call left: by its version, else because it is not as before."""
    if policy.deletes:
        return state is None
    if policy.callbacks.version is not None:
        return state is not None and version is not None and version == record.version
    return not restored
