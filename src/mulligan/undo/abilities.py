"""A tool's own functions, called: in bounded time, wherever waiting can be bounded."""

from __future__ import annotations

import asyncio
import copy
import inspect
from dataclasses import replace
from datetime import timedelta

from mulligan.core.display.escape import format_value
from mulligan.core.record import Abilities, Record, Told
from mulligan.core.waiting.awaiting import await_value


async def call_ability(
    function: Told, record: Record, *, within: timedelta | None = None
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
    state: object, *, record: Record, abilities: Abilities, within: timedelta | None = None
) -> str | None:
    """The version of a state that was read, where the tool has versions."""
    if state is None:
        return None
    return await read_left_version(
        replace(record, result=state), abilities=abilities, within=within
    )


async def read_left_version(
    record: Record, *, abilities: Abilities, within: timedelta | None = None
) -> str | None:
    """The version that a call has left, by what it returned: if only nothing, as its tool may know
    of it in another way."""
    if abilities.version is None:
        return None
    version = await call_ability(abilities.version, record, within=within)
    return None if version is None else format_value(version)
