from __future__ import annotations

import contextvars
from datetime import UTC, datetime
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from mulligan import Mulligan
from mulligan.runtime.context import carry, read_context
from mulligan.runtime.hold import Held, answer_held
from mulligan.types.action import Hold

pytestmark = pytest.mark.filterwarnings("default")

HELD = Held(
    Hold(action="a1", expires_at=datetime(2026, 11, 15, tzinfo=UTC), reason="No."), tool="t"
)


@pytest.mark.parametrize("returns", [None, str, Any, dict, list[str]])
def test_where_no_server_asks_the_sentence_is_the_answer(returns: object) -> None:
    assert answer_held(HELD, returns=returns) is HELD


async def test_a_server_that_promised_another_shape_gets_it_as_an_error() -> None:
    async with Context(fastmcp=FastMCP("here")):
        for returns in (None, str, Any, str | None):
            assert answer_held(HELD, returns=returns) is HELD
        for returns in (dict, list[str], int | None):
            with pytest.raises(ToolError, match="hold a1"):
                answer_held(HELD, returns=returns)

    assert contextvars.copy_context().run(answer_held, HELD, returns=dict) is HELD


async def test_whoever_carries_the_answer_has_it_by_its_tool() -> None:
    carried: dict[str, Held] = {}
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect="irreversible")
        async def send(to: str) -> dict[str, str]:
            return {"to": to}

        with m.turn("Send it to Ana"):
            with carry(read_context()._replace(held=carried)):
                answer = await send("Ana")
            await send("Ben")

    assert carried == {"send": answer}
