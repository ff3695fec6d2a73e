"""Results that are failures: by what they say, and by what their tool's author declared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from mulligan import Effect, Failures, Mode, Mulligan, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.limits import Backoff
from mulligan.types.log import LogQuery

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
AT_ONCE = Backoff(first=Backoff().first * 0)
EVENT = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@dataclass
class Event:
    id: str


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", recover=False, backoff=AT_ONCE) as application:
        yield application


def classes(m: Mulligan) -> list[str | None]:
    m.flush()
    return [row.error_class for row in reversed(m.insights.log(LogQuery()))]


def returning(m: Mulligan, *results: object, **declared):
    """A tool that returns these results, one at each call."""
    answers = iter(results)

    @m.tool(effect=Effect.READ, **declared)
    def find(name: str) -> object:
        return next(answers)

    return find


@pytest.mark.parametrize(
    "broken",
    [
        {"name": "Dinner"},
        {"id": 17},
        '{"name": "Dinner"}',
        [1],
        7,
        None,
        {"content": [], "structuredContent": {"id": 17}, "isError": False},
        {"content": [{"type": "text", "text": '{"name": "Dinner"}'}]},
    ],
)
def test_a_result_that_breaks_what_was_declared_is_a_failure_and_is_looked_up_again(
    m: Mulligan, broken: object
) -> None:
    find = returning(m, broken, {"id": "17"}, failures=Failures(returns=EVENT))

    assert find("Dinner") == {"id": "17"}
    assert classes(m) == ["bad_result", None]


@pytest.mark.parametrize(
    "good",
    [
        {"id": "17", "more": 1},
        Event(id="17"),
        '{"id": "17"}',
        {"content": [], "structuredContent": {"id": "17"}, "isError": False},
        {"content": [{"type": "text", "text": '{"id": "17"}'}]},
    ],
)
def test_a_result_that_keeps_it_comes_back_as_it_is(m: Mulligan, good: object) -> None:
    find = returning(m, good, failures=Failures(returns=EVENT))

    assert find("Dinner") is good
    assert classes(m) == [None]


@pytest.mark.parametrize("empty", [None, "", "  ", [], {}, {"content": [], "isError": False}])
def test_an_empty_result_is_a_failure_only_where_it_may_not_be_empty(
    m: Mulligan, empty: object
) -> None:
    patient = returning(m, empty)
    strict = returning(m, empty, ["Dinner"], failures=Failures(may_be_empty=False))

    assert patient("Dinner") == empty
    assert strict("Dinner") == ["Dinner"]
    assert classes(m) == [None, "bad_result", None]


async def test_an_action_whose_result_breaks_its_schema_is_looked_for_and_not_made_twice(
    m: Mulligan,
) -> None:
    made: list[str] = []

    def nothing(record: Record) -> None:
        return None

    @m.tool(effect=Effect.REVERSIBLE, read=nothing, undo=nothing, failures=Failures(returns=EVENT))
    async def book(name: str) -> dict[str, object]:
        made.append(name)
        return {}

    async def agent(turn: OpenTurn) -> str:
        await book("Dinner")
        return "Booked."

    await m.act("Book it", agent, now=NOW)

    [left] = m.insights.open_list.actions()
    assert (made, left.state) == (["Dinner"], State.NEEDS_HUMAN)


def test_a_schema_that_cannot_be_used_costs_one_sentence_and_no_result(m: Mulligan, caplog) -> None:
    find = returning(m, {"id": "17"}, {"id": "18"}, failures=Failures(returns={"type": 7}))

    found = [find("Dinner"), find("Lunch")]

    assert found == [{"id": "17"}, {"id": "18"}]
    [said] = [record.getMessage() for record in caplog.records]
    assert "is not a JSON Schema" in said


def test_what_would_help_after_a_failure_that_was_returned_stands_in_the_turn(m: Mulligan) -> None:
    @m.tool(effect=Effect.READ)
    def find_order(order_id: str) -> dict[str, object]:
        if order_id == "W17":
            return {"order_id": "W17"}
        return {"isError": True, "content": [{"type": "text", "text": "Order not found"}]}

    with m.turn("Where is my order W17?", now=NOW) as turn:
        find_order("W71")
        find_order("W17")

    m.flush()
    second, first = m.insights.log(LogQuery())
    [advised] = turn.advised
    assert advised.suggestions[0].patch.changes == {"order_id": "W17"}
    assert (first.error_class, second.parent) == ("missing", first.id)


def refusing(m: Mulligan, made: list[object], *, good: object = 2):
    """A tool that returns its refusals, as MCP servers do."""

    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def search(limit: int) -> dict[str, object]:
        made.append(limit)
        if limit != good or isinstance(limit, str):
            said = "limit: Input should be a valid integer"
            return {"isError": True, "content": [{"type": "text", "text": said}]}
        return {"found": limit}

    return search


@pytest.mark.parametrize("in_a_turn", [True, False])
def test_in_auto_a_refusal_that_was_returned_is_repaired_as_if_it_were_raised(
    m: Mulligan, *, in_a_turn: bool
) -> None:
    made: list[object] = []
    search = refusing(m, made)

    with m.turn("Search", now=NOW) if in_a_turn else nullcontext():
        found = search("2")

    assert (found, made) == ({"found": 2}, ["2", 2])
    assert classes(m) == ["validation", None]


def test_a_refusal_that_stays_one_is_returned_as_the_tool_gave_it(m: Mulligan) -> None:
    made: list[object] = []

    answer = refusing(m, made, good=3)("2")

    assert answer["isError"] is True
    assert made == ["2", 2]


@pytest.mark.parametrize("length", [10, 10_000])
async def test_an_error_in_disguise_is_found_however_long_its_result_is(
    m: Mulligan, length: int
) -> None:
    @m.tool(effect=Effect.READ)
    async def find() -> dict[str, object]:
        text = "no such place " * length
        return {"isError": True, "content": [{"type": "text", "text": text}]}

    answer = await find()

    assert answer["isError"] is True
    assert classes(m)[-1] is not None


@pytest.mark.parametrize(
    ("result", "known"),
    [
        ({"status": 429, "error": "Too many requests"}, "rate_limit"),
        ({"status": 503, "error": "Service Unavailable"}, "ambiguous"),
        ("Request timed out", "ambiguous"),
        ({"ok": False, "error": "ratelimited"}, "rate_limit"),
    ],
)
def test_a_read_that_returns_what_passes_is_made_again_like_one_that_raises_it(
    m: Mulligan, result: object, known: str
) -> None:
    find = returning(m, result, result, {"id": "17"})

    assert find("dinner") == {"id": "17"}
    assert classes(m) == [known, known, None]


@pytest.mark.parametrize("repeat", ["once", "idempotent"])
def test_an_action_keeps_the_class_it_returns_and_is_not_repeated_for_it(
    m: Mulligan, repeat: str
) -> None:
    made = []

    @m.tool(effect=Effect.REVERSIBLE, repeat=repeat, undo=made.remove, read=made.count)
    def add(name: str) -> dict[str, object]:
        made.append(name)
        return {"status": 429, "error": "Too many requests"}

    add("dinner")

    assert made == ["dinner"]
    assert classes(m) == ["rate_limit"]


def test_a_note_that_says_what_it_was_given_was_made(m: Mulligan) -> None:
    @m.tool()
    def add_note(text: str) -> str:
        return text

    add_note("Failed to reach Bob by phone.")

    assert classes(m) == [None]
