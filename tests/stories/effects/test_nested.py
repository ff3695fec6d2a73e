"""A turn inside a turn belongs to it: what the outer one is rejected for is taken back with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.finding import Finding, Severity
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import declare_move, list_open, open_app

OUTER = "Plan the evening"


def reject_the_evening(attempted: Attempted) -> Iterator[Finding]:
    """Nothing is wrong with any step; the first plan as a whole is."""
    if attempted.turn.message == OUTER and attempted.reply == "Planned.":
        yield Finding(rule="story.plan", severity=Severity.ERROR, issue="Not this evening.")


@pytest.fixture
def remote() -> StoryRemote:
    made = StoryRemote()
    for event in ("dinner", "lunch"):
        made.create({"day": "Monday"}, name=event, by="person")
    return made


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with open_app(checks=[reject_the_evening]) as made:
        yield made


def ask_a_sub_agent(m: Mulligan, move: Any, **about: Any) -> Any:
    async def sub_agent(turn: OpenTurn) -> str:
        await move("dinner", "Saturday")
        return "Moved."

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return "I leave it at that."
        await m.act("Move dinner", sub_agent, **about)
        return "Planned."

    return agent


def open_an_inner_turn(m: Mulligan, move: Any, **about: Any) -> Any:
    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return "I leave it at that."
        async with m.turn("Move dinner", **about) as inner:
            await move("dinner", "Saturday")
            await inner.review("Moved.")
        return "Planned."

    return agent


@pytest.mark.parametrize("nest", [ask_a_sub_agent, open_an_inner_turn])
async def test_what_an_inner_turn_did_is_taken_back_when_the_outer_one_is_rejected(
    m: Mulligan, remote: StoryRemote, nest: Any
) -> None:
    agent = nest(m, declare_move(m, remote))

    await m.act(OUTER, agent)

    assert remote.get("dinner")["day"] == "Monday" or list_open(m)


@pytest.mark.parametrize("nest", [ask_a_sub_agent, open_an_inner_turn])
async def test_the_agent_is_told_what_became_of_an_inner_turns_effects(
    m: Mulligan, remote: StoryRemote, nest: Any
) -> None:
    agent, told = nest(m, declare_move(m, remote)), []

    async def listen(turn: OpenTurn) -> object:
        told.append(turn.correction.text if turn.correction else "")
        return await agent(turn)

    await m.act(OUTER, listen)

    assert "dinner" in told[1]


async def test_what_an_inner_and_its_outer_turn_did_to_one_event_is_taken_back_in_order(
    m: Mulligan, remote: StoryRemote
) -> None:
    move = declare_move(m, remote, about=lambda record: record.arguments["event_id"])

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return "I leave it at that."
        await move("dinner", "Saturday")
        async with m.turn("Move dinner") as inner:
            await move("dinner", "Sunday")
            await inner.review("Moved.")
        await move("lunch", "Sunday")
        return "Planned."

    await m.act(OUTER, agent)

    assert (remote.get("dinner")["day"], remote.get("lunch")["day"]) == ("Monday", "Monday")
    assert list_open(m) == []


async def test_an_inner_turn_that_was_never_reviewed_is_taken_back_with_the_outer_one(
    m: Mulligan, remote: StoryRemote
) -> None:
    move = declare_move(m, remote)

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return "I leave it at that."
        with m.turn("Move dinner"):
            await move("dinner", "Saturday")
        return "Planned."

    await m.act(OUTER, agent)
    await m.recover()

    assert remote.get("dinner")["day"] == "Monday" or list_open(m)


async def test_an_inner_turn_that_is_its_own_stands_when_the_outer_one_is_rejected(
    m: Mulligan, remote: StoryRemote
) -> None:
    agent = open_an_inner_turn(m, declare_move(m, remote), own=True)

    await m.act(OUTER, agent)

    assert remote.get("dinner")["day"] == "Saturday"
    assert list_open(m) == []
