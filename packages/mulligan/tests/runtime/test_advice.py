"""What an agent is told about a call that failed, and what is repaired without telling."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

import pytest

from mulligan import Arguments, Effect, Memory, Mode, Mulligan, Repeat, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import CallRepaired, Happened
from mulligan.types.log import LogQuery

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


class RefusedError(Exception):
    """As a client of an API raises it before anything is done."""

    status_code = 422


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", recover=False) as application:
        yield application


def rows(m: Mulligan) -> list[tuple[str, int]]:
    m.flush()
    return [(row.outcome, row.try_number) for row in reversed(m.insights.log(LogQuery()))]


def searching(m: Mulligan, mode: Mode):
    """A search that takes numbers as numbers, and says so."""

    @m.tool(effect=Effect.READ, mode=mode)
    def search(query: str, limit: int, order: Literal["asc", "desc"] = "asc") -> list[str]:
        if not isinstance(limit, int):
            raise RefusedError("limit: Input should be a valid integer")
        if order not in ("asc", "desc"):
            raise RefusedError("order: must be one of 'asc', 'desc'")
        return [query] * limit

    return search


def test_in_auto_the_shape_of_a_call_is_repaired_and_the_repair_is_on_record(m: Mulligan) -> None:
    events: list[Happened] = []
    m.subscribe(events.append)

    found = searching(m, Mode.AUTO)("dinner", limit="2")

    m.flush()
    [repaired] = [event for event in events if isinstance(event, CallRepaired)]
    assert found == ["dinner", "dinner"]
    assert rows(m) == [("failure", 1), ("success", 2)]
    assert (repaired.tries, repaired.by.partition(":")[0]) == (2, "schema")


def test_a_correction_may_be_corrected_once_more_and_then_no_more(m: Mulligan) -> None:
    found = searching(m, Mode.AUTO)("dinner", limit="1", order="DESC")

    assert found == ["dinner"]
    assert rows(m)[-1][0] == "success"
    assert len(rows(m)) <= 3


def test_in_observe_the_error_comes_as_it_is(m: Mulligan) -> None:
    with pytest.raises(RefusedError) as caught:
        searching(m, Mode.OBSERVE)("dinner", limit="2")

    assert not hasattr(caught.value, "mulligan")
    assert not getattr(caught.value, "__notes__", [])


async def test_an_agent_can_be_left_alone() -> None:
    with Mulligan("memory:", memory=Memory(unadvised=["stubborn"]), recover=False) as m:
        search = searching(m, Mode.AUTO)
        with (
            m.turn("Find dinner", agent="stubborn", now=NOW),
            pytest.raises(RefusedError) as caught,
        ):
            search("dinner", limit="2")

    assert not hasattr(caught.value, "mulligan")


async def test_a_repaired_call_that_changes_something_is_one_action(m: Mulligan) -> None:
    kept: dict[str, int] = {}

    def read(record: Record) -> int | None:
        return kept.get(str(record.arguments["name"]))

    def remove(record: Record) -> None:
        del kept[str(record.arguments["name"])]

    @m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, mode=Mode.AUTO, refuses=RefusedError)
    async def reserve(name: str, seats: int) -> int:
        if not isinstance(seats, int):
            raise RefusedError("seats: Input should be a valid integer")
        kept[name] = seats
        return seats

    async def agent(turn: OpenTurn) -> str:
        await reserve("Grandma", seats="4")
        return "Reserved."

    done = await m.act("A table for four", agent, now=NOW)

    assert kept == {"Grandma": 4}
    assert done.open_actions == ()


async def test_a_call_that_may_have_changed_something_is_not_repaired_by_itself(
    m: Mulligan,
) -> None:
    made: list[object] = []

    def read(record: Record) -> int | None:
        return len(made) or None

    def remove(record: Record) -> None:
        made.clear()

    @m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, mode=Mode.AUTO)
    async def reserve(name: str, seats: int) -> int:
        made.append(seats)
        raise RefusedError("seats: Input should be a valid integer")

    async def agent(turn: OpenTurn) -> str:
        with pytest.raises(RefusedError):
            await reserve("Grandma", seats="4")
        return "I could not."

    await m.act("A table for four", agent, now=NOW)

    assert made == ["4"]
    assert [action.state for action in m.insights.open_list.actions()] == [State.NEEDS_HUMAN]


def test_no_correction_changes_who_or_how_much(m: Mulligan) -> None:
    paid = []

    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    def quote(account: str, amount: int) -> int:
        if amount > 100:
            raise RefusedError("amount: must be less than or equal to 100")
        paid.append((account, amount))
        return amount

    with pytest.raises(RefusedError):
        quote("A-1", amount=5000)

    assert paid == []


def repairs(events: list[Happened]) -> list[tuple[str, int]]:
    found = [event for event in events if isinstance(event, CallRepaired)]
    return [(event.by.partition(":")[0], event.tries) for event in found]


@pytest.mark.full
@pytest.mark.parametrize("sample", [1.0, 0.001])
async def test_a_call_made_as_suggested_is_linked_to_the_one_it_repairs(sample: float) -> None:
    events: list[Happened] = []
    with Mulligan("memory:", recover=False, sample=sample) as m:
        m.subscribe(events.append)
        search = searching(m, Mode.SUGGEST)
        with m.turn("Find dinner", now=NOW):
            with pytest.raises(RefusedError):
                search("dinner", limit="2")
            search("dinner", limit=2)
        m.flush()
        second, first = m.insights.log(LogQuery())

    assert (second.parent, second.try_number) == (first.id, 2)
    assert repairs(events) == [("schema", 2)]


async def test_what_was_repaired_by_itself_is_not_repaired_again_by_the_agent(m: Mulligan) -> None:
    events: list[Happened] = []
    m.subscribe(events.append)
    search = searching(m, Mode.AUTO)

    with m.turn("Find dinner", now=NOW):
        search("dinner", limit="2")
        search("dinner", limit=2)

    m.flush()
    assert rows(m) == [("failure", 1), ("success", 2), ("success", 1)]
    assert repairs(events) == [("schema", 2)]


async def test_another_call_of_the_same_tool_is_no_repair(m: Mulligan) -> None:
    events: list[Happened] = []
    m.subscribe(events.append)
    search = searching(m, Mode.SUGGEST)

    with m.turn("Find dinner", now=NOW):
        with pytest.raises(RefusedError):
            search("dinner", limit="2")
        search("lunch", limit=2)
    with m.turn("Find dinner", now=NOW):
        search("dinner", limit=2)

    m.flush()
    assert [row.parent for row in m.insights.log(LogQuery())] == [None, None, None]
    assert repairs(events) == []


async def test_a_correction_that_must_wait_for_a_person_is_no_repair_yet(m: Mulligan) -> None:
    events: list[Happened] = []
    m.subscribe(events.append)

    def effect(record: Record) -> Effect:
        return Effect.IRREVERSIBLE if record.arguments["seats"] == 4 else Effect.REVERSIBLE

    def nothing(record: Record) -> None:
        return None

    @m.tool(effect=effect, read=nothing, undo=nothing, mode=Mode.AUTO, refuses=RefusedError)
    async def reserve(name: str, seats: int) -> int:
        raise RefusedError("seats: Input should be a valid integer")

    async def agent(turn: OpenTurn) -> object:
        return await reserve("Grandma", seats="4")

    done = await m.act("A table for four", agent, now=NOW)

    m.flush()
    [held] = m.insights.open_list.actions()
    assert "awaiting approval" in str(done.reply)
    assert held.state is State.HELD
    assert repairs(events) == []


def keyed(m: Mulligan, made: list[tuple[str, object]]):
    """A remote that goes by keys, and refuses another call under one it knows."""

    @m.tool(effect=Effect.READ, repeat=Repeat.KEYED, key="key", mode=Mode.AUTO)
    def book(seats: int, key: str = "") -> int:
        made.append((key, seats))
        if not isinstance(seats, int):
            raise RefusedError("seats: Input should be a valid integer")
        return seats

    return book


def test_a_corrected_call_goes_under_a_new_key(m: Mulligan) -> None:
    made: list[tuple[str, object]] = []

    keyed(m, made)(seats="4")

    assert [seats for _, seats in made] == ["4", 4]
    assert made[0][0] != made[1][0]


def test_a_correction_has_the_object_and_the_context_of_the_call_it_corrects(m: Mulligan) -> None:
    made: list[tuple[object, object, int]] = []

    class Office:
        @m.tool(effect=Effect.READ, mode=Mode.AUTO, arguments=Arguments(leave_out=("ctx",)))
        def book(self, ctx: object, seats: int) -> int:
            if not isinstance(seats, int):
                raise RefusedError("seats: Input should be a valid integer")
            made.append((self, ctx, seats))
            return seats

    office, ctx = Office(), object()

    office.book(ctx, seats="4")  # type: ignore[arg-type]

    assert made == [(office, ctx, 4)]


@pytest.mark.parametrize(("effect", "named"), [("read", "log_in"), ("undeclared", None)])
def test_a_prerequisite_is_named_if_it_is_there_and_only_reads(
    m: Mulligan, effect: str, named: str | None
) -> None:
    @m.tool(effect=effect)
    def log_in(user: str) -> None:
        """Log a user in."""

    @m.tool(effect=Effect.READ)
    def inbox() -> list[str]:
        raise RuntimeError("Please log in first.")

    with pytest.raises(RuntimeError) as caught:
        inbox()

    assert caught.value.mulligan.advice.first == named  # type: ignore[attr-defined]


def warehouse(m: Mulligan):
    @m.tool(effect=Effect.READ)
    def find_order(order_id: str) -> None:
        lost = order_id == "W18"
        raise RuntimeError(f"Order {order_id} {'lost' if lost else 'not found'} in the north hall")

    return find_order


def alike_at_last(m: Mulligan):
    """What an agent hears of an error that nobody knows, after one that somebody does."""
    find_order = warehouse(m)
    with pytest.raises(RuntimeError) as known:
        find_order("W17")
    with pytest.raises(RuntimeError) as strange:
        find_order("W18")
    return known.value.mulligan.like, strange.value.mulligan.like, strange.value  # type: ignore[attr-defined]


def test_an_error_that_nobody_knows_is_compared_with_those_that_somebody_does(m: Mulligan) -> None:
    known, strange, error = alike_at_last(m)

    assert known is None
    assert strange.pattern.template == "order <value> not found in the north hall"
    assert any("most similar" in note for note in error.__notes__)


@pytest.mark.parametrize(
    ("measure", "score"), [(lambda _, others: [0.9 for _ in others], 0.9), (len, None)]
)
def test_another_measure_may_compare_and_a_bad_one_costs_nothing_else(measure, score) -> None:
    with Mulligan("memory:", memory=Memory(similarity=measure)) as m:
        _, strange, error = alike_at_last(m)

    assert getattr(strange, "score", None) == score
    assert error.mulligan.advice.why


@pytest.mark.parametrize("named", ["no_such_module:measure", "json", "json:__doc__"])
def test_a_measure_that_is_none_is_refused_in_one_sentence(named: str) -> None:
    with pytest.raises(ConfigurationError, match="similarity"):
        Mulligan("memory:", memory=Memory(similarity=named))


@pytest.mark.parametrize(
    "odd", [10**5000, [10**5000], {1: 2, None: 3}], ids=["long", "listed", "mixed"]
)
def test_advice_is_there_for_arguments_that_cannot_be_printed_or_compared(odd: object) -> None:
    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.READ)
        def look(x: object, limit: int = 5) -> str:
            raise ValueError("limit must be at most 10")

        with m.turn("look"), pytest.raises(ValueError, match="at most") as raised:
            look(odd, 50)

    assert raised.value.mulligan.advice is not None
