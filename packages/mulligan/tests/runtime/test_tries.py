from __future__ import annotations

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.runtime.advice import read_advised
from mulligan.runtime.context import carry, read_context


@pytest.mark.parametrize(("once", "made"), [(True, 1), (False, 2)])
async def test_a_failure_that_may_pass_is_not_tried_again(once: bool, made: int) -> None:
    tries = 0
    async with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ)
        async def look() -> str:
            nonlocal tries
            tries += 1
            if tries == 1:
                raise ConnectionResetError("connection reset by peer")
            return "there"

        with m.turn("Look"), carry(read_context()._replace(once=once)):
            if once:
                with pytest.raises(ConnectionResetError):
                    await look()
            else:
                assert await look() == "there"

    assert tries == made


@pytest.mark.parametrize(("once", "made"), [(True, ["3"]), (False, ["3", 3])])
async def test_a_fix_is_said_and_not_tried(once: bool, made: list[object]) -> None:
    given: list[object] = []
    async with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        async def find_table(people: int) -> str:
            given.append(people)
            if not isinstance(people, int):
                raise TypeError("people: Input should be a valid integer")
            return f"table 4 for {people}"

        with m.turn("Find a table for 3"), carry(read_context()._replace(once=once)):
            try:
                told = await find_table("3")  # type: ignore[arg-type]
            except TypeError as error:
                told = str(read_advised(error))

    assert given == made
    assert "3" in told
