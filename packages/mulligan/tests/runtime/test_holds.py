"""A call that is held: what its agent gets, and what a person answers meanwhile."""

from __future__ import annotations

import contextvars
from datetime import UTC, datetime
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from mulligan import AlreadyDoneError, Effect, Mulligan
from mulligan.checks.dates import dates_as_said
from mulligan.runtime.context import OpenTurn, carry, read_context
from mulligan.runtime.hold import Held, answer_held
from mulligan.types.action import Hold
from tests.world import World, Worlds

pytestmark = pytest.mark.full

HELD = Held(
    Hold(action="a1", expires_at=datetime(2026, 11, 15, tzinfo=UTC), reason="No."), tool="t"
)


@pytest.mark.parametrize("returns", [None, str, Any, dict, list[str]])
def test_where_no_server_asks_the_sentence_is_the_answer(returns: object) -> None:
    assert answer_held(HELD, returns=returns) is HELD
    assert HELD.startswith("t was not run yet: No.")
    assert "(hold a1, until 2026-11-15 00:00 UTC). Do not call it again now; tell" in HELD


@pytest.mark.filterwarnings("default")
async def test_a_server_that_promised_another_shape_gets_it_as_an_error() -> None:
    async with Context(fastmcp=FastMCP("here")):
        for returns in (None, str, Any, str | None):
            assert answer_held(HELD, returns=returns) is HELD
        for returns in (dict, list[str], int | None):
            with pytest.raises(ToolError, match="hold a1"):
                answer_held(HELD, returns=returns)

    assert contextvars.copy_context().run(answer_held, HELD, returns=dict) is HELD


async def test_whoever_carries_the_answer_has_it_by_its_tool() -> None:
    carried: dict[str, Held] = {}
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect="irreversible")
        async def send(to: str) -> dict[str, str]:
            return {"to": to}

        with m.turn("Send it to Ana"):
            with carry(read_context()._replace(held=carried)):
                answer = await send("Ana")
            await send("Ben")

    assert carried == {"send": answer}


SATURDAY = "2026-11-21"


@pytest.fixture
async def world(worlds: Worlds) -> World:
    about = {"now": datetime(2026, 11, 15, 9, 0, tzinfo=UTC), "timezone": "Europe/Berlin"}
    return await worlds(checks=[dates_as_said()], about=about)


@pytest.fixture
def sent() -> list[str]:
    return []


async def test_what_a_person_let_through_is_named_when_the_attempt_is_rejected(
    world: World, sent: list[str]
) -> None:
    corrections: list[str] = []

    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        sent.append(to)
        return "sent"

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            held = await send("Ann")
            assert isinstance(held, Held)
            world.m.insights.open_list.approve(held.hold.action, by="Mum")
            await world.m.recover()
        else:
            corrections.append(turn.correction.text)
        await world.move("e1", SATURDAY)
        return "Done."

    done = await world.act(agent)

    assert sent == ["Ann"]
    assert "- send(to=Ann) (a person approved it, and it was done)" in corrections[0]
    assert "Nothing is in effect" not in str(done.reply)
    assert "Still in effect:\n- Send (to: Ann)" in str(done.reply)
    assert done.open_actions == ()


async def test_what_a_person_let_through_is_not_made_again_after_a_rejection(
    world: World, sent: list[str]
) -> None:
    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        sent.append(to)
        return "sent"

    async def agent(turn: OpenTurn) -> str:
        held = await send("Ann")
        assert isinstance(held, Held)
        world.m.insights.open_list.approve(held.hold.action, by="Mum")
        await world.m.recover()
        await world.move("e1", SATURDAY)
        return "Done."

    with pytest.raises(AlreadyDoneError, match="is done, as a person approved it"):
        await world.act(agent)

    assert sent == ["Ann"]


@pytest.mark.parametrize("approved", [True, False])
async def test_a_hold_that_was_answered_does_not_wait_any_more(
    world: World, sent: list[str], approved: bool
) -> None:
    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        sent.append(to)
        return "sent"

    async def agent(turn: OpenTurn) -> str:
        held = await send("Ann")
        assert isinstance(held, Held)
        answer = world.m.insights.open_list
        (answer.approve if approved else answer.deny)(held.hold.action, by="Mum")
        await world.m.recover()
        return "Done."

    done = await world.act(agent)

    assert sent == (["Ann"] if approved else [])
    assert (done.note, done.open_actions) == ("", ())
