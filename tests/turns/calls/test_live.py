"""What a call is made with: as it was asked for, also where that came in a wrapping."""

from __future__ import annotations

from contextlib import suppress

import pytest

from mulligan import Effect, Mode, Mulligan


@pytest.mark.parametrize("mode", [Mode.SUGGEST, Mode.AUTO, Mode.OBSERVE])
def test_arguments_that_come_as_json_or_one_level_too_deep_are_read(mode: Mode) -> None:
    with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ, mode=mode)
        def search(query: str, filter: dict[str, int], limit: int = 5) -> object:  # noqa: A002
            return query, filter, limit

        wrapped: list[dict[str, object]] = [
            {"query": "x", "filter": '{"a": 1}'},
            {"arguments": {"query": "x", "filter": {"a": 1}}},
            {"input": '{"query": "x", "filter": {"a": 1}}'},
        ]
        read = []
        for given in wrapped:
            with suppress(TypeError):  # as Python says it where nobody reads it otherwise
                read.append(search(**given))  # type: ignore[arg-type]
        positional = None
        with suppress(TypeError):  # the same
            positional = search('{"query": "x", "filter": {"a": 1}, "limit": 2}')  # type: ignore[call-arg]

    if mode is Mode.OBSERVE:
        assert read == [("x", '{"a": 1}', 5)]
        assert positional is None
    else:
        assert read == [("x", {"a": 1}, 5)] * 3
        assert positional == ("x", {"a": 1}, 2)


async def test_a_text_that_is_json_stays_a_text_where_one_is_wanted() -> None:
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def write(content: str, path: str = "a") -> str:
            return content

        assert await write('{"content": "x"}') == '{"content": "x"}'
        assert await write(content="[1]", path="{b}") == "[1]"
