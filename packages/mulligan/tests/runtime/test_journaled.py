"""A call inside an attempt: what it is made with, and what a remote's ledger says of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest

from mulligan import Effect, Mode, Mulligan, Repeat, Review
from mulligan.checks.requests import made_once
from mulligan.process.fault_points import Point
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.effect import EffectNote, note_effect
from mulligan.types.errors import OwnParameterError
from mulligan.types.finding import Finding, Severity
from mulligan.types.limits import Backoff
from mulligan_testing.faults import Deed, Faults, Strike
from mulligan_testing.remote import Fault, Item, RemoteError
from tests.world import DAY, Calendar, World, Worlds, read_version

AT_ONCE = Backoff(first=timedelta(), longest=timedelta(), total=timedelta(seconds=1))


async def called(tool: Callable[..., object], *given: object) -> object:
    answer = tool(*given)
    return await answer if inspect.isawaitable(answer) else answer


def never_content(attempted: object) -> list[Finding]:
    return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="It was wrong.")]


def sure(calendar: Calendar) -> Mapping[str, Any]:
    bound = {"version": read_version, "if_version": "if_version"}
    return {**calendar.keyed, **bound, "repeat": Repeat.KEYED}


@pytest.fixture
async def world(worlds: Worlds) -> World:
    return await worlds(checks=[never_content], backoff=AT_ONCE, promises=sure)


async def test_a_refusal_speaks_only_for_the_try_it_answered(world: World) -> None:
    world.remote.plan(Fault.LOST_AFTER, Fault.FORBIDDEN)
    moved = []

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            # It was looked for, and the try before the refused one is there.
            answer = await world.move("e1", "Friday")
            moved.extend([world.day(), answer.data["day"]])
        return "Done."

    await world.act(agent)

    assert moved == ["Friday", "Friday"]
    assert world.day() == DAY
    assert world.states() == []


async def test_a_delete_whose_answer_was_lost_is_brought_back(world: World) -> None:
    world.remote.plan(Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.LOST_BEFORE)

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            await world.delete("e1")
        return "Done."

    await world.act(agent, "Cancel dinner")

    assert world.states() == []
    assert world.day() == DAY


@pytest.mark.parametrize("point", [Point.SNAPSHOT_TAKEN, Point.INTENDED])
@pytest.mark.parametrize("tool", ["move", "move_sync"])
async def test_an_edit_between_the_snapshot_and_the_call_survives(
    world: World, point: Point, tool: str
) -> None:
    @world.m.tool(**{**world.calendar.changing, **world.promises})
    def move_sync(
        event_id: str, day: str, key: str | None = None, if_version: str | None = None
    ) -> Item:
        return world.remote.update(event_id, {"day": day}, key=key, if_version=if_version)

    tools = {"move": world.move, "move_sync": move_sync}

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            with pytest.raises(RemoteError, match="412"):
                await called(tools[tool], "e1", "Friday")
        return "Done."

    def edit() -> None:
        world.remote.update("e1", {"day": "a person's"}, by="person")

    with Faults(Strike(deed=Deed.EDIT, point=point), edit=edit):
        await world.act(agent)

    assert world.day() == "a person's"
    assert world.states() == []


async def test_a_key_of_the_callers_own_is_refused_and_nothing_is_sent(world: World) -> None:
    async with world.m.turn("Move dinner"):
        with pytest.raises(OwnParameterError, match="call move again without key") as by_position:
            await world.move("e1", "Friday", "my-key")
        with pytest.raises(OwnParameterError, match="key is filled by Mulligan"):
            await world.move("e1", "Friday", key="my-key")

    assert len(world.remote.ledger()) == 1  # only what was there before
    assert world.states() == []
    assert by_position.value.parameter == "key"


@pytest.mark.parametrize("passed", ["", None])
async def test_a_default_that_a_framework_passes_is_no_key(
    world: World, passed: str | None
) -> None:
    async with world.m.turn("Move dinner"):
        await world.move("e1", "Friday", key=passed)

    assert world.remote.ledger()[-1].key not in ("", None)


async def test_a_list_that_its_agent_changed_since_is_another_call() -> None:
    shop: dict[str, list[str]] = {}

    with Mulligan("memory:", recover=False) as m:

        @m.tool(
            effect=Effect.REVERSIBLE, read=lambda _: shop.get("cart"), undo=lambda _: shop.clear()
        )
        async def order(items: list[str]) -> str:
            if items == ["milk"]:
                raise TimeoutError("no answer")
            shop["cart"] = list(items)
            return "ordered"

        async def agent(turn: OpenTurn) -> str:
            cart = ["milk"]
            with pytest.raises(TimeoutError):
                await order(cart)
            cart[:] = ["bread"]
            return await order(cart)

        done = await m.act("Order", agent)

    assert shop == {"cart": ["bread"]}
    assert str(done.reply).startswith("ordered")


async def test_a_hold_whose_call_was_stopped_goes_with_its_rejected_attempt() -> None:
    with Mulligan("memory:", checks=[never_content], recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def send(to: str) -> str:
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            if turn.attempt.number == 1:
                with Faults(Strike(deed=Deed.CANCEL, point=Point.HELD)):
                    stopped = asyncio.create_task(send("Grandma"))
                    await asyncio.wait([stopped])
                    assert stopped.cancelled()
            return "Done."

        await m.act("Write to Grandma", agent)

        assert m.insights.open_list.actions() == []


async def test_a_call_that_the_checks_let_through_is_never_left_for_others_to_make() -> None:
    with Mulligan("memory:", checks=[made_once("send")], recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE, review=Review(release="checks"))
        async def send(to: str) -> str:
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            return await send("Grandma")

        with Faults() as seen:
            done = await m.act("Write to Grandma", agent)

    assert done.reply == "sent"
    # On record from the first as one to be looked for: nobody finds it as approved.
    assert "held" not in seen.path
    assert seen.path.index("intended") < seen.path.index("called")


@pytest.mark.full
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
