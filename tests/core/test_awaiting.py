from __future__ import annotations

from mulligan.core.awaiting import await_value


async def later() -> str:
    return "an answer"


async def test_a_readers_answer_is_waited_for_where_it_must_be() -> None:
    assert await await_value("an answer") == "an answer"
    assert await await_value(later()) == "an answer"
