from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import pytest

from mulligan import Effect, Mulligan, Outcome
from mulligan.runtime import outcome


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:") as made:
        yield made


def test_a_read_that_refuses_a_form_is_not_repeated_and_the_form_is_offered(
    m: Mulligan, rows
) -> None:
    @m.tool(effect=Effect.READ)
    def find(start: str) -> str:
        return f"{datetime.strptime(start, '%Y-%m-%d %H:%M')}"

    with pytest.raises(ValueError) as caught:
        find("2026-10-15T18:00:00")

    assert [row.error_class for row in rows()] == ["validation"]
    (suggestion,) = caught.value.mulligan.suggestions
    assert suggestion.patch.changes == {"start": "2026-10-15 18:00"}


async def test_in_mode_auto_the_form_that_an_error_states_is_taken(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ, mode="auto")
    async def find(start: str) -> str:
        return f"{datetime.strptime(start, '%Y-%m-%d %H:%M')}"

    assert await find("2026-10-15T18:00:00") == "2026-10-15 18:00:00"


def test_an_error_that_was_returned_is_logged_with_its_code(m: Mulligan, rows) -> None:
    @m.tool
    def find(day: str) -> dict[str, object]:
        return {"object": "error", "status": 400, "code": "bad_day", "message": "No such day"}

    assert find("x")["code"] == "bad_day"

    (row,) = rows()
    assert (row.outcome, row.error_code) == (Outcome.FAILURE, "400")
    assert row.error_message == "No such day (status 400, code bad_day)"


class Reluctant:
    """As an array of many numbers: it is neither true nor false."""

    def __bool__(self) -> bool:
        raise ValueError("The truth value of an array is ambiguous.")


@pytest.mark.parametrize("sync", [True, False])
async def test_a_result_that_cannot_be_looked_at_reaches_its_caller(
    m: Mulligan, rows, sync: bool
) -> None:
    result = {"message": "three rows", "rows": Reluctant()}

    @m.tool(effect=Effect.READ)
    def read_here() -> object:
        return result

    @m.tool(effect=Effect.READ)
    async def read() -> object:
        return result

    came = read_here() if sync else await read()

    assert came is result
    assert [row.outcome for row in rows()] == [Outcome.SUCCESS]


@pytest.mark.parametrize("fails", [True, False])
async def test_the_duration_of_a_call_is_its_tools_whatever_is_loaded_and_read_then(
    m: Mulligan, rows, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    after = list[float]()

    class Late:
        loaded = False

        async def load_beside_loop(self) -> None:
            after.append(time.monotonic())
            await asyncio.sleep(0.1)

    def look_slowly(*given: object) -> None:
        after.append(time.monotonic())
        time.sleep(0.1)

    @m.tool(effect=Effect.READ)
    async def find(day: str) -> str:
        if fails:
            raise ValueError("no such day")
        return "a long page " * 20_000

    monkeypatch.setattr(outcome, "LATE", Late())
    monkeypatch.setattr(outcome, "find_silent_error", look_slowly)
    began = time.monotonic()
    with suppress(ValueError):
        await find("2026-11-20")

    [row] = rows()
    assert row.duration_us <= (after[0] - began) * 1_000_000 + 1
