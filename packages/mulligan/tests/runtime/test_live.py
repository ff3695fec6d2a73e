"""What a call is made with: as it was asked for, also where that came in a wrapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.types.call import Record
from mulligan.types.effect import EffectNote, note_effect


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


def test_each_try_is_made_inside_what_its_tool_asks_for() -> None:
    seen: list[str] = []

    @contextmanager
    def around(records: Sequence[Record]) -> Iterator[None]:
        [record] = records
        seen.append(f"in {record.before}")
        yield
        seen.append("out")

    with Mulligan("memory:", recover=False) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: "milk",
            undo=lambda record: None,
            around=around,
        )
        def write(text: str) -> str:
            seen.append(text)
            return text

        with m.turn("Write it"):
            write("beer")

    assert seen == ["in milk", "beer", "out"]


def test_an_error_of_which_that_says_so_has_done_nothing() -> None:
    @contextmanager
    def around(records: Sequence[Record]) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            note_effect(error, EffectNote.NOTHING_DONE)
            raise

    with Mulligan("memory:", recover=False) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: "milk",
            undo=lambda record: None,
            around=around,
        )
        def write(text: str) -> str:
            raise OSError("no line")

        with m.turn("Write it"), pytest.raises(OSError, match="no line"):
            write("beer")
        left = m.insights.open_list.actions()

    assert left == []
