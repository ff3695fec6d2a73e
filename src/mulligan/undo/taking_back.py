"""One undo, from the first look to the proof. It keeps no state and writes no journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from mulligan.core.action import UndoResult
from mulligan.core.awaiting import await_value
from mulligan.core.errors import ConflictError
from mulligan.core.points import Point, reach
from mulligan.core.record import Abilities, Record, Told


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


async def take_back(record: Record, abilities: Abilities) -> Undone:
    """Undo one effect, unless it is undone already or someone has changed it since."""
    look = await _look(record, abilities)
    await reach(Point.LOOKED)
    if isinstance(look, Undone):
        return look
    failure = await _apply(record, abilities)
    await reach(Point.TAKEN_BACK)
    return await _prove(record, abilities, failure)


async def _look(record: Record, abilities: Abilities) -> Undone | None:
    """Whether there is still something to undo; `None` when there is."""
    try:
        now = await _read_state(record, abilities)
        version = await read_version(now, record=record, abilities=abilities)
        done = is_restored(record, now, abilities=abilities)
    except Exception as error:  # noqa: BLE001 - a tool's own functions may raise anything
        return Undone(
            result=UndoResult.FAILED, why=f"It could not be read: {_describe_error(error)}."
        )
    if done:
        return Undone(result=UndoResult.RESTORED, version=version)
    return (
        _build_conflict(record, now, version) if _was_changed(record, version, abilities) else None
    )


async def _apply(record: Record, abilities: Abilities) -> BaseException | None:
    if abilities.undo is None:
        return LookupError("the tool declares no undo")
    try:
        await call_ability(abilities.undo, record)
    except Exception as error:  # noqa: BLE001 - whatever it was, what is there now decides
        return error
    return None


async def _prove(record: Record, abilities: Abilities, failure: BaseException | None) -> Undone:
    """What is there after the undo: only that says whether it worked."""
    try:
        now = await _read_state(record, abilities)
        version = await read_version(now, record=record, abilities=abilities)
        done = is_restored(record, now, abilities=abilities)
    except Exception as error:  # noqa: BLE001 - not read back means not proven
        said = _describe_error(failure or error)
        return Undone(result=UndoResult.UNKNOWN, why=f"It could not be read back: {said}.")
    if done:
        return Undone(result=UndoResult.RESTORED, version=version)
    if isinstance(failure, ConflictError):
        return _build_conflict(record, now, version)
    if failure is not None:
        if _was_changed(record, version, abilities):
            return _build_conflict(record, now, version)
        return Undone(
            result=UndoResult.FAILED,
            why=f"The undo failed: {_describe_error(failure)}.",
            version=version,
        )
    return Undone(
        result=UndoResult.PARTIAL,
        why="It is neither as it was before nor as we left it.",
        version=version,
        theirs=now,
    )


def _was_changed(record: Record, version: str | None, abilities: Abilities) -> bool:
    """Whether it is at another version than the one we wrote, for all we can tell."""
    return abilities.version is not None and version != record.version


def _build_conflict(record: Record, now: object, version: str | None) -> Undone:
    return Undone(
        result=UndoResult.CONFLICT,
        why=f"Someone changed it since: it is at {version}, we left it at {record.version}.",
        version=version,
        theirs=now,
    )


def is_restored(record: Record, now: object, *, abilities: Abilities) -> bool:
    """Whether what is there now is what was there before the call."""
    before = record.before
    if before is None or now is None:
        return before is None and now is None
    if abilities.same is not None:
        return bool(abilities.same(before, now))
    if before == now:
        return True
    before, now = _as_fields(before), _as_fields(now)
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return before == now
    ignored = _VERSION_FIELDS - _find_set_fields(record.arguments, before)
    return _drop_fields(ignored, before) == _drop_fields(ignored, now)


def _as_fields(state: object) -> object:
    if is_dataclass(state) and not isinstance(state, type):
        return {f.name: getattr(state, f.name) for f in fields(state)}
    return state


def _drop_fields(ignored: frozenset[str], state: Mapping[object, object]) -> dict[object, object]:
    return {k: v for k, v in state.items() if str(k).lower() not in ignored}


def _find_set_fields(arguments: Mapping[str, object], before: Mapping[object, object]) -> set[str]:
    """Fields that the call itself was to change, whatever they are called: they are content.

    A version that it was given as a condition is the one that was there before, and is none.
    """
    was = {str(k).lower(): str(v) for k, v in before.items()}
    given = [arguments, *(v for v in arguments.values() if isinstance(v, Mapping))]
    asked = [(str(k).lower(), v) for each in given for k, v in each.items() if v is not None]
    return {name for name, value in asked if str(value) != was.get(name)}


_VERSION_FIELDS = frozenset(
    {"etag", "version", "updated", "updated_at", "modified", "modified_at", "last_modified",
     "sequence", "revision", "rev", "lastmodified", "updatedat", "modifiedat"}
)  # fmt: skip
"""Names of fields that a write changes by itself."""


async def read_version(state: object, *, record: Record, abilities: Abilities) -> str | None:
    """The version of a state that was read, where the tool has versions."""
    if abilities.version is None or state is None:
        return None
    version = await call_ability(abilities.version, replace(record, result=state))
    return None if version is None else str(version)


async def call_ability(function: Told, record: Record) -> object:
    """Call a tool's function, sync or async."""
    return await await_value(function(record))


async def _read_state(record: Record, abilities: Abilities) -> object:
    if abilities.reader is None:
        raise LookupError("the tool declares no way to read")
    try:
        return await call_ability(abilities.reader, record)
    except Exception as error:
        if _says_gone(error):
            return None
        raise


def _says_gone(error: Exception) -> bool:
    """Whether a read failed because there is nothing, as HTTP clients like to put it."""
    answers = (error, getattr(error, "response", None))
    said = (getattr(a, name, None) for a in answers for name in ("status", "status_code"))
    return any(status in (404, 410) for status in said)


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": .")
