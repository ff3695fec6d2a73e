"""What an attempt has shown is kept with its actions: all of it, once, and at nobody's expense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import MOST_NOTES
from mulligan.types.finding import Finding
from tests.stories.effects.world import list_open, open_app


class Unspeakable:
    """A value that nobody can write down."""

    def __repr__(self) -> NoReturn:
        raise RuntimeError("no words")


class Shelf:
    """`put` can be undone, `look` only reads, and what `tell` does nobody declared."""

    def __init__(self, m: Mulligan) -> None:
        self.put_there: dict[str, bool] = {}

        @m.tool(
            effect=Effect.REVERSIBLE,
            read=lambda record: self.put_there.get(record.arguments["name"]),
            undo=lambda record: self.put_there.pop(record.arguments["name"]),
            about=lambda record: record.arguments["name"],
        )
        async def put(name: str) -> None:
            self.put_there[name] = True

        @m.tool(effect=Effect.READ)
        def look(name: str) -> str:
            return name

        @m.tool
        def tell(what: Any) -> str:
            return "told"

        self.put, self.look, self.tell = put, look, tell


@pytest.fixture
def seen() -> list[Attempted]:
    return []


@pytest.fixture
def watched(seen: list[Attempted]) -> Iterator[Mulligan]:
    def look(attempted: Attempted) -> list[Finding]:
        seen.append(attempted)
        return []

    with open_app(checks=[look]) as m:
        yield m


async def test_a_late_review_sees_each_call_once_in_the_order_they_were_made(
    watched: Mulligan, seen: list[Attempted]
) -> None:
    shelf = Shelf(watched)
    async with watched.turn("Put them there"):
        shelf.look("first")
        await shelf.put("a")
        shelf.tell("second")
        shelf.look("third")
        await shelf.put("b")
        shelf.tell("fourth")
        shelf.look("fifth")
    await watched.recover()

    [attempted] = seen
    calls = [execution.call for execution in attempted.executions]
    assert [call.tool for call in calls] == ["look", "put", "tell", "look", "put", "tell", "look"]
    changing = [call.tool for call in calls if call.id in attempted.acted]
    assert changing == ["put", "tell", "put", "tell"]


async def test_more_calls_than_an_attempt_remembers_leave_no_gap_behind_them(
    watched: Mulligan, seen: list[Attempted]
) -> None:
    shelf = Shelf(watched)
    async with watched.turn("Put them there"):
        for _ in range(MOST_NOTES):
            shelf.look("again")
        await shelf.put("a")
        shelf.look("last")
        await shelf.put("b")
    await watched.recover()

    assert "last" in [execution.result for execution in seen[0].executions]


async def test_what_cannot_be_written_down_stops_no_call_and_is_on_the_list_all_the_same() -> None:
    with open_app(rejects=True) as m:
        shelf = Shelf(m)
        async with m.turn("Put it there"):
            await shelf.put("a")
            answer = shelf.tell({Unspeakable(): Unspeakable()})
        await m.recover()

        left = {action.opening.tool: action.state for action in list_open(m)}
        assert (answer, left["tell"]) == ("told", State.DISPUTED)


async def test_a_turn_that_only_made_undeclared_calls_writes_nothing_down() -> None:
    with open_app(rejects=True) as m:
        shelf = Shelf(m)
        async with m.turn("Tell them"):
            shelf.tell("first")
        await m.recover()

        assert list_open(m) == []
