"""What speaks against a call before it is made: told, counted, and in its way only where asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from mulligan import Arguments, Effect, Failures, Mode, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.errors import FlaggedCallError
from mulligan.types.events import CallFlagged, Happened
from mulligan.types.log import LogQuery

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
MADE_UP = "W9999999"


class MissingError(Exception):
    status_code = 404


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", recover=False) as application:
        yield application


@pytest.fixture
def flagged(m: Mulligan) -> list[Happened]:
    events: list[Happened] = []
    m.subscribe(events.append)
    return events


def orders(m: Mulligan, made: list[str], **declared):
    """A desk with one order."""

    @m.tool(effect=Effect.READ, **declared)
    def find_order(order_id: str) -> dict[str, str]:
        made.append(order_id)
        if order_id != "W17":
            raise MissingError("Order not found")
        return {"order_id": "W17", "status": "pending"}

    return find_order


def told(m: Mulligan, events: list[Happened]) -> list[tuple[tuple[str, ...], bool, bool | None]]:
    m.flush()
    found = [event for event in events if isinstance(event, CallFlagged)]
    return [(event.rules, event.made, event.failed) for event in found]


def test_an_error_says_that_it_could_be_foreseen(m: Mulligan, flagged: list[Happened]) -> None:
    find_order = orders(m, [])

    with m.turn("Where is my order W17?", now=NOW), pytest.raises(MissingError) as caught:
        find_order(MADE_UP)

    [finding] = caught.value.mulligan.foreseen  # type: ignore[attr-defined]
    assert finding.rule == "call.id_never_seen"
    assert any("never mentioned" in note for note in caught.value.__notes__)
    assert told(m, flagged) == [(("call.id_never_seen",), True, True)]


@pytest.mark.parametrize("message", [f"Where is {MADE_UP}?", "Where is my order?"])
def test_what_the_person_said_or_the_application_knows_is_not_made_up(
    m: Mulligan, message: str
) -> None:
    known = {} if MADE_UP in message else {"orders": [MADE_UP]}

    with m.turn(message, now=NOW, known=known), pytest.raises(MissingError) as caught:
        orders(m, [])(MADE_UP)

    assert caught.value.mulligan.foreseen == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("precheck", "failed"), [("refuse", None), ("after", True)])
def test_observing_only_counts_it(
    m: Mulligan, flagged: list[Happened], precheck: str, failed: bool | None
) -> None:
    made: list[str] = []
    find_order = orders(m, made, mode=Mode.OBSERVE, failures=Failures(precheck=precheck))

    with m.turn("Where is W17?", now=NOW), pytest.raises(MissingError) as caught:
        find_order(MADE_UP)

    assert made == [MADE_UP]
    assert not hasattr(caught.value, "mulligan")
    assert told(m, flagged) == [(("call.id_never_seen",), True, failed)]


def test_before_it_is_told_in_time_and_the_call_is_made(
    m: Mulligan, flagged: list[Happened]
) -> None:
    made: list[str] = []
    find_order = orders(m, made, failures=Failures(precheck="before"))

    with m.turn("Where is W17?", now=NOW):
        with pytest.raises(MissingError):
            find_order(MADE_UP)
        find_order("W17")

    assert made == [MADE_UP, "W17"]
    assert told(m, flagged) == [(("call.id_never_seen",), True, None)]


def test_refused_the_agent_gets_the_reasons_and_the_remote_gets_nothing(m: Mulligan) -> None:
    made: list[str] = []
    find_order = orders(m, made, failures=Failures(precheck="refuse"))

    with m.turn("Where is W17?", now=NOW):
        with pytest.raises(FlaggedCallError, match="never mentioned") as caught:
            find_order(MADE_UP)
        find_order("W17")

    m.flush()
    assert made == ["W17"]
    assert caught.value.mulligan.foreseen  # type: ignore[attr-defined]
    assert [row.outcome for row in m.insights.log(LogQuery())] == ["success", "failure"]


def test_a_format_of_a_schema_warns_and_a_pattern_refuses(
    m: Mulligan, flagged: list[Happened]
) -> None:
    made: list[str] = []
    at = {"type": "string", "format": "date-time"}
    strict = at | {"pattern": "Z$"}

    def book(at: str) -> None:
        made.append(at)

    book_soon, book_late = (
        m.tool(
            effect=Effect.READ,
            name=name,
            arguments=Arguments(schema={"type": "object", "properties": {"at": part}}),
            failures=Failures(precheck="refuse"),
        )(book)
        for name, part in (("book_soon", at), ("book_late", strict))
    )

    with m.turn("Book 2024-04-04T10:00:00", now=NOW):
        book_soon("2024-04-04T10:00:00")
        with pytest.raises(FlaggedCallError, match="does not match"):
            book_late("2024-04-04T10:00:00")

    assert made == ["2024-04-04T10:00:00"]
    assert told(m, flagged)[0] == (("call.shape",), True, None)


async def test_an_async_tool_that_changes_something_is_refused_before_anything_is_written(
    m: Mulligan,
) -> None:
    @m.tool(effect=Effect.IRREVERSIBLE, failures=Failures(precheck="refuse"))
    async def cancel_order(order_id: str) -> None:
        """Cancel it."""

    async def agent(turn: OpenTurn) -> str:
        with pytest.raises(FlaggedCallError):
            await cancel_order(MADE_UP)
        return "I could not find it."

    done = await m.act("Cancel W17", agent, now=NOW)

    assert done.open_actions == ()


def test_in_auto_a_refused_shape_is_repaired_without_a_call(m: Mulligan) -> None:
    made: list[object] = []

    @m.tool(effect=Effect.READ, mode=Mode.AUTO, failures=Failures(precheck="refuse"))
    def search(query: str, limit: int) -> int:
        made.append(limit)
        return limit

    with m.turn("Search for dinner", now=NOW):
        search("dinner", limit="2")

    assert made == [2]


def test_a_tool_that_rarely_fails_is_not_looked_at_before(m: Mulligan) -> None:
    made: list[str] = []
    find_order = orders(m, made, failures=Failures(precheck="refuse"))

    with m.turn("Where is W17?", now=NOW):
        for _ in range(100):
            find_order("W17")
        with pytest.raises(MissingError) as caught:
            find_order(MADE_UP)

    assert made[-1] == MADE_UP
    assert caught.value.mulligan.foreseen  # type: ignore[attr-defined]


def test_a_tool_that_has_nothing_to_do_with_the_question_is_a_warning_and_is_called(
    m: Mulligan, flagged: list[Happened]
) -> None:
    @m.tool(effect=Effect.READ, failures=Failures(precheck="refuse"))
    def area_of_triangle(base: int, height: int) -> float:
        """Work out how large a triangle is."""
        return base * height / 2

    with m.turn("Which composer wrote the opera about Figaro?", now=NOW):
        area_of_triangle(base=3, height=4)
    with m.turn("How large is a triangle with base 3 and height 4?", now=NOW):
        area_of_triangle(base=3, height=4)

    assert told(m, flagged) == [(("call.irrelevant",), True, None)]


def test_what_a_declaration_means_for_calls_and_results_is_told_without_the_code(
    m: Mulligan,
) -> None:
    orders(m, [], failures=Failures(precheck="refuse", returns=dict, may_be_empty=False))

    with m.turn("Where is W17?", now=NOW):
        [tool] = m.insights.tools()

    assert [said.split(",")[0] for said in tool.promises[1:]] == [
        "In a turn",
        "A result that breaks its declared schema counts as a failure",
    ]


@pytest.mark.parametrize(
    ("error", "warned"),
    [
        (ConnectionError("reset"), False),
        (RuntimeError("503 Service Unavailable"), False),
        (RuntimeError("no such airport"), True),
    ],
)
def test_a_call_that_met_a_dead_remote_is_not_called_beside_the_question(
    m: Mulligan, error: Exception, warned: bool
) -> None:
    @m.tool(effect=Effect.READ)
    def search_flights(origin: str) -> None:
        raise error

    with m.turn("What is the weather in Oslo?", now=NOW), pytest.raises(type(error)) as caught:
        search_flights("zzz")

    assert ("answers the question" in str(caught.value.mulligan)) is warned  # type: ignore[attr-defined]


def test_the_log_and_the_advice_read_one_error_alike(m: Mulligan) -> None:
    made = []

    @m.tool(effect=Effect.READ)
    def read_salary(person: str) -> None:
        made.append(person)
        raise RuntimeError("403 Forbidden: salaries are private")

    with m.turn("What does Ann earn?", now=NOW), pytest.raises(RuntimeError) as caught:
        read_salary("Ann")

    m.flush()
    (row,) = m.insights.log(LogQuery())
    assert made == ["Ann"]
    assert row.error_class == "policy"
    assert "not permitted" in str(caught.value.mulligan)  # type: ignore[attr-defined]
