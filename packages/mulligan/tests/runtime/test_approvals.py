"""A person answers a hold while the turn that asked for it goes on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan import AlreadyDoneError, Effect, Held
from mulligan.checks.dates import dates_as_said
from mulligan.runtime.context import OpenTurn
from tests.world import World, Worlds

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
    assert "Nothing of it is in effect" not in str(done.reply)
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
