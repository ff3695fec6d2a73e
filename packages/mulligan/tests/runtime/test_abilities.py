"""A tool's own functions, sync or async, in bounded time."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mulligan.runtime.undo import call_ability, read_version
from mulligan.types.call import Record, ToolCallbacks

RECORD = Record(arguments={"id": "e1"})
AT_ONCE = timedelta(milliseconds=10)


async def test_functions_may_be_sync_or_async() -> None:
    async def later(record: Record) -> object:
        return record.arguments["id"]

    assert await call_ability(lambda record: record.arguments["id"], RECORD) == "e1"
    assert await call_ability(later, RECORD) == "e1"
    assert await call_ability(later, RECORD, within=AT_ONCE) == "e1"


async def test_one_that_never_answers_is_a_timeout() -> None:
    async def never(record: Record) -> object:
        await asyncio.Event().wait()
        return None

    with pytest.raises(TimeoutError):
        await call_ability(never, RECORD, within=AT_ONCE)


@pytest.mark.parametrize(
    ("state", "version"), [({"etag": 7}, "7"), ({"etag": None}, None), (None, None)]
)
async def test_a_version_is_text_where_there_is_one(state: object, version: str | None) -> None:
    abilities = ToolCallbacks(version=lambda record: record.result["etag"])

    assert await read_version(state, record=RECORD, abilities=abilities) == version


async def test_a_tool_without_versions_has_none() -> None:
    assert await read_version({"etag": 7}, record=RECORD, abilities=ToolCallbacks()) is None
