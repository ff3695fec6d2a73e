"""A correction that was made by itself and failed: what its agent is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan import Arguments, Effect, Memory, Mode, Mulligan
from mulligan.stores.opening import open_store
from mulligan.types.call import Record


class RefusedError(Exception):
    status_code = 422


class LostError(TimeoutError):
    """No answer came."""


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", memory=Memory(seeds=False, control=0), recover=False) as m:
        yield m


@pytest.mark.full
def test_lessons_that_contradict_each_other_are_not_stacked() -> None:
    right: set[str] = set()
    tried: list[str] = []

    def find(order_id: str) -> str:
        tried.append(order_id)
        if order_id in right:
            return "ok"
        raise LookupError(f"Order {order_id} not found")

    store = open_store("memory:")
    taught = Mulligan(store, memory=Memory(seeds=False, control=0), recover=False)
    find_as_told = taught.tool(effect=Effect.READ)(find)
    for number in range(10):
        name = f"w{number}x"
        fixed = name.upper() if number % 2 else f"#{name}"
        right.add(fixed)
        with taught.turn(f"find {name}"):
            with pytest.raises(LookupError):
                find_as_told(name)
            find_as_told(fixed)
    taught.flush()
    m = Mulligan(store, memory=Memory(seeds=False, control=0), recover=False)
    find = m.tool(effect=Effect.READ, mode=Mode.AUTO)(find)
    tried.clear()

    with m.turn("Where is order q7?") as turn, pytest.raises(LookupError) as caught:
        find("q7")

    advised = caught.value.mulligan  # type: ignore[attr-defined]
    assert "#Q7" not in tried
    assert str(caught.value) == "Order q7 not found"
    assert advised.execution.call.arguments == {"order_id": "q7"}
    assert [each.changed.changes for each in advised.tried] == [{"order_id": tried[-1]}]
    assert f"Mulligan also called find with order_id={tried[-1]!r}" in caught.value.__notes__[0]
    assert list(turn.advised) == [advised]
    assert list(turn.repaired) == []


def test_a_returned_failure_is_that_of_the_call_that_was_asked_for(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def search(q: str, topK: int) -> dict[str, object]:
        if topK > 10:
            return {"error": "topK must be at most 10"}
        return {"error": {"code": 404, "message": f"no index for topK {topK}"}}

    with m.turn("search x") as turn:
        came = search("x", 50)

    [advised] = turn.advised
    assert came == {"error": "topK must be at most 10"}
    assert advised.execution.call.arguments == {"q": "x", "topK": 50}
    assert [each.changed.changes for each in advised.tried] == [{"topK": 10}]
    assert "no index for topK 10" in str(advised)
    assert list(turn.repaired) == []


def test_outside_a_turn_it_is_the_same(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def search(limit: int) -> str:
        if limit > 10:
            raise RefusedError("limit must be at most 10")
        raise LookupError("no such index")

    with pytest.raises(RefusedError, match="at most 10") as caught:
        search(50)

    assert "limit=10, which failed too: “no such index”" in caught.value.__notes__[0]


async def test_where_the_changed_call_may_have_landed_that_is_what_is_told(m: Mulligan) -> None:
    def read(record: Record) -> None:
        return None

    @m.tool(effect=Effect.REVERSIBLE, read=read, undo=read, mode=Mode.AUTO, refuses=RefusedError)
    async def reserve(seats: int) -> int:
        if not isinstance(seats, int):
            raise RefusedError("seats: Input should be a valid integer")
        raise LostError("no answer")

    said: list[BaseException] = []

    async def agent(turn: object) -> str:
        try:
            await reserve(seats="4")
        except Exception as error:
            said.append(error)
        return "Perhaps."

    await m.act("A table for four", agent)

    [error] = said
    assert isinstance(error, LostError)
    assert "Mulligan also called reserve with seats=4" in error.__notes__[0]


def test_what_fails_of_something_else_once_corrected_may_be_corrected_too(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def search(limit: int, day: str) -> str:
        if not isinstance(limit, int):
            raise RefusedError("limit: Input should be a valid integer")
        if limit > 10:
            raise RefusedError("limit must be at most 10")
        return f"{limit} of {day}"

    assert search(limit="50", day="today") == "10 of today"


def test_a_note_says_what_was_left_out_in_plain_words(m: Mulligan) -> None:
    @m.tool(
        effect=Effect.READ,
        mode=Mode.AUTO,
        arguments=Arguments(schema={"type": "object", "properties": {"q": {"type": "string"}}}),
    )
    def search(**given: object) -> str:
        if "note" in given:
            raise RefusedError("unexpected keyword argument 'note'")
        return "found"

    with m.turn("search x"):
        came = search(q="x", note="")

    assert "the result of calling it without note instead" in came
