"""What an agent is told about a call that failed, and what is mended without telling."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

import pytest

from mulligan import Effect, Mode, Mulligan, State
from mulligan.core.event import CallRepaired, Event
from mulligan.core.interfaces import LogQuery
from mulligan.core.record import Record
from mulligan.turns.turn import OpenTurn

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


def test_in_auto_the_shape_of_a_call_is_mended_and_the_repair_is_on_record(m: Mulligan) -> None:
    events: list[Event] = []
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


def test_in_suggest_the_error_carries_the_correction_and_nothing_is_made_again(m: Mulligan) -> None:
    with pytest.raises(RefusedError) as caught:
        searching(m, Mode.SUGGEST)("dinner", limit="2")

    advised = caught.value.mulligan  # type: ignore[attr-defined]
    assert advised.suggestions[0].patch.changes == {"limit": 2}
    assert any("limit=2" in note for note in caught.value.__notes__)
    assert rows(m) == [("failure", 1)]


def test_in_observe_the_error_comes_as_it_is(m: Mulligan) -> None:
    with pytest.raises(RefusedError) as caught:
        searching(m, Mode.OBSERVE)("dinner", limit="2")

    assert not hasattr(caught.value, "mulligan")
    assert not getattr(caught.value, "__notes__", [])


async def test_an_agent_can_be_left_alone() -> None:
    with Mulligan("memory:", unadvised=["stubborn"], recover=False) as m:
        search = searching(m, Mode.AUTO)
        with (
            m.turn("Find dinner", agent="stubborn", now=NOW),
            pytest.raises(RefusedError) as caught,
        ):
            search("dinner", limit="2")

    assert not hasattr(caught.value, "mulligan")


async def test_a_mended_call_that_changes_something_is_one_action(m: Mulligan) -> None:
    kept: dict[str, int] = {}

    def read(record: Record) -> int | None:
        return kept.get(str(record.arguments["name"]))

    def remove(record: Record) -> None:
        del kept[str(record.arguments["name"])]

    @m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove, mode=Mode.AUTO)
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


async def test_a_result_that_is_an_error_is_logged_as_one_and_still_returned(m: Mulligan) -> None:
    made = []

    @m.tool(effect=Effect.READ)
    async def find(name: str) -> dict[str, object]:
        made.append(name)
        return {"isError": True, "content": [{"type": "text", "text": f"{name} not found"}]}

    answer = await find("Grandma")

    assert answer["isError"] is True
    assert made == ["Grandma"]
    assert rows(m) == [("failure", 1)]


async def test_an_action_that_returned_an_error_is_looked_for(m: Mulligan) -> None:
    def nothing(record: Record) -> None:
        return None

    @m.tool(effect=Effect.REVERSIBLE, read=nothing, undo=nothing)
    async def book(name: str) -> dict[str, object]:
        return {"status": "error", "message": "internal error"}

    async def agent(turn: OpenTurn) -> str:
        await book("Grandma")
        return "Booked."

    await m.act("Book it", agent, now=NOW)

    [left] = m.insights.open_list.actions()
    assert left.state is State.NEEDS_HUMAN


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
