"""Which object a call is about is said, not guessed: neighbours and namesakes are left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import ConflictError, Effect, Mulligan
from mulligan.runtime.hold import Held
from mulligan.types.call import Record
from tests.stories.effects.remote import StoryRemote, read_version
from tests.stories.effects.world import act, declare_move, list_open, put_back

ABOUT: dict[str, Any] = {"about": lambda record: record.arguments["event_id"]}
DECLARED = pytest.mark.parametrize("more", [{}, ABOUT], ids=["undeclared", "declared"])


@pytest.fixture
def remote() -> StoryRemote:
    """Two events of one calendar, the second one version ahead."""
    made = StoryRemote()
    made.create({"day": "Monday"}, name="dinner", by="person")
    made.create({"day": "Sunday"}, name="lunch", by="person")
    made.update("lunch", {"day": "Monday"}, by="person")
    return made


def declare_shared(m: Mulligan, remote: StoryRemote, **more: Any) -> Any:
    """`move(calendar_id, event_id, day)`: every event of a calendar shares the calendar's id."""

    @m.tool(
        effect=Effect.REVERSIBLE, undo=put_back(remote), version=read_version,
        before=lambda record: remote.get(str(record.arguments["event_id"])), **more,
    )  # fmt: skip
    async def move(calendar_id: str, event_id: str, day: str) -> dict[str, Any]:
        return remote.update(event_id, {"day": day})

    return move


def move_both(move: Any, then: Callable[[], None] = lambda: None) -> Callable[[], Any]:
    async def deed() -> None:
        await move("home", "dinner", "Saturday")
        await move("home", "lunch", "Saturday")
        then()

    return deed


@pytest.mark.full
@DECLARED
async def test_two_events_of_one_calendar_are_both_put_back_and_nobody_is_blamed(
    strict: Mulligan, remote: StoryRemote, more: dict[str, Any]
) -> None:
    move = declare_shared(strict, remote, **more)

    await act(strict, move_both(move))

    assert (remote.get("dinner")["day"], remote.get("lunch")["day"]) == ("Monday", "Monday")
    assert list_open(strict) == []


@DECLARED
async def test_an_edit_whose_number_is_that_of_a_neighbour_is_not_overwritten(
    strict: Mulligan, remote: StoryRemote, more: dict[str, Any]
) -> None:
    move = declare_shared(strict, remote, **more)

    def edit_twice() -> None:
        remote.update("dinner", {"day": "Tuesday"}, by="person")
        remote.update("dinner", {"day": "Wednesday"}, by="person")

    await act(strict, move_both(move, edit_twice))

    assert remote.get("dinner")["day"] == "Wednesday"
    assert len(list_open(strict)) == 1


@DECLARED
async def test_an_edit_of_one_event_does_not_keep_its_neighbour_from_being_put_back(
    strict: Mulligan, remote: StoryRemote, more: dict[str, Any]
) -> None:
    move = declare_shared(strict, remote, **more)

    def edit() -> None:
        remote.update("lunch", {"day": "Tuesday"}, by="person")

    await act(strict, move_both(move, edit))

    assert remote.get("lunch")["day"] == "Tuesday"
    assert remote.get("dinner")["day"] == "Monday"
    assert len(list_open(strict)) == 1


@pytest.mark.parametrize(("edit", "day"), [(None, "Monday"), ("Friday", "Friday")])
async def test_two_updates_are_undone_by_a_person_in_order_unless_somebody_edits_in_between(
    content: Mulligan, remote: StoryRemote, edit: str | None, day: str
) -> None:
    move = declare_move(content, remote, **ABOUT)
    actions: list[str] = []
    for each in ("Tuesday", "Wednesday"):
        with content.turn("Move dinner") as turn:
            await move("dinner", each)
            await turn.review("Moved.")
            actions.append(turn.attempt.actions[0].id)

    content.insights.open_list.undo(actions[1], by="Ann")
    await content.recover()
    if edit:
        remote.update("dinner", {"day": edit}, by="person")
    content.insights.open_list.undo(actions[0], by="Ann")
    await content.recover()

    assert remote.get("dinner")["day"] == day
    assert [action.id for action in list_open(content)] == (actions[:1] if edit else [])


async def test_parallel_writes_that_land_in_the_other_order_are_undone(
    strict: Mulligan, remote: StoryRemote
) -> None:
    landed = asyncio.Event()

    @strict.tool(
        effect=Effect.REVERSIBLE, undo=put_back(remote), version=read_version,
        before=lambda record: remote.get("dinner"), **ABOUT,
    )  # fmt: skip
    async def move(event_id: str, day: str) -> dict[str, Any]:
        if day == "Saturday":
            await landed.wait()
        moved = remote.update(event_id, {"day": day})
        landed.set()
        return moved

    await act(strict, lambda: asyncio.gather(move("dinner", "Saturday"), move("dinner", "Sunday")))

    assert [line.data["day"] for line in remote.list_writes()] == ["Sunday", "Saturday"]
    assert remote.get("dinner")["day"] == "Monday"


async def test_the_same_call_on_another_server_is_another_call(content: Mulligan) -> None:
    async def pay(euros: int) -> str:
        return "paid"

    banks = [content.tool(effect=Effect.IRREVERSIBLE, server=server)(pay) for server in ("a", "b")]

    async def pay_both() -> list[Any]:
        return [await bank(50) for bank in banks]

    _, told = await act(content, pay_both)

    assert told.errors == []
    assert [action.opening.server for action in list_open(content)] == ["a", "b"]
    assert all(isinstance(held, Held) for held in told.results[0])


async def test_what_is_known_of_a_file_does_not_outlive_it(strict: Mulligan) -> None:
    """Its versions begin anew: a person's second edit has the number of ours of another file."""
    files = StoryRemote()
    numbers = {"plan": 0}

    def write_plan(text: str, by: str = "agent") -> dict[str, Any]:
        numbers["plan"] += 1
        files.update("plan", {"text": text, "number": numbers["plan"]}, by=by)
        return {"number": numbers["plan"]}

    def undo(record: Record) -> None:
        if str(files.get("plan")["number"]) != record.version:
            raise ConflictError("changed since")
        before: Any = record.before
        if before is None:
            files.delete("plan", by="undo")
        else:
            write_plan(before["text"], by="undo")

    @strict.tool(
        effect=Effect.REVERSIBLE, before=lambda record: files.get("plan"), undo=undo,
        version=lambda record: record.result["number"], about=lambda record: "plan",
    )  # fmt: skip
    async def write(text: str) -> dict[str, Any]:
        return write_plan(text)

    async def make_and_edit() -> None:
        await write("draft")
        write_plan("a person's", by="person")
        write_plan("a person's own", by="person")

    write_plan("a", by="person")
    await act(strict, lambda: write("b"))
    files.delete("plan", by="person")
    numbers["plan"] = 0
    await act(strict, make_and_edit)

    assert files.get("plan")["text"] == "a person's own"
