from __future__ import annotations

from mulligan import Mulligan
from mulligan.runtime.context import carry, read_context
from mulligan.runtime.live_action import NextCall
from mulligan.types.log import LogQuery


def test_the_first_call_has_the_id_and_those_inside_it_have_their_own() -> None:
    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect="read")
        def inner() -> str:
            return "inside"

        @m.tool(effect="read")
        def outer() -> str:
            return inner()

        with carry(read_context()._replace(next_call=[NextCall(id="a" * 32)])):
            outer()
        outer()
        m.flush()
        rows = {(row.tool, row.id) for row in m.insights.log(LogQuery())}

    assert ("outer", "a" * 32) in rows
    assert len(rows) == 4
