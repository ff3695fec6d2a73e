"""A turn inside a turn belongs to it: what the outer one is rejected for is undone with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Standing, State
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
def m() -> Iterator[Mulligan]:
    with open_app(checks=[reject_the_evening]) as made:
        yield made


def ask_a_sub_agent(m: Mulligan, move: Any) -> Any:
    async def sub_agent(turn: OpenTurn) -> str:
        await move("dinner", "Saturday")
        return "Moved."

    async def inner() -> None:
        await m.act("Move dinner", sub_agent)

    return inner


def open_an_inner_turn(m: Mulligan, move: Any, **about: Any) -> Any:
    async def inner() -> None:
        async with m.turn("Move dinner", **about) as turn:
            await move("dinner", "Saturday")
            await turn.review("Moved.")

    return inner


def leave_an_inner_turn(m: Mulligan, move: Any) -> Any:
    """Nobody reviews it."""

    async def inner() -> None:
        with m.turn("Move dinner"):
            await move("dinner", "Saturday")

    return inner


async def plan(m: Mulligan, inner: Any) -> list[str]:
    """The outer turn around an inner one; what its agent was told."""
    told: list[str] = []

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            told.append(turn.correction.text)
            return "I leave it at that."
        await inner()
        return "Planned."

    await m.act(OUTER, agent)
    await m.recover()
    return told


@pytest.mark.parametrize("nest", [ask_a_sub_agent, open_an_inner_turn, leave_an_inner_turn])
async def test_what_an_inner_turn_did_is_undone_and_told_when_the_outer_one_is_rejected(
    m: Mulligan, remote: StoryRemote, nest: Any
) -> None:
    [told] = await plan(m, nest(m, declare_move(m, remote)))

    assert remote.get("dinner")["day"] == "Monday" or list_open(m)
    assert "dinner" in told


async def test_what_an_inner_and_its_outer_turn_did_to_one_event_is_undone_in_order(
    m: Mulligan, remote: StoryRemote
) -> None:
    move = declare_move(m, remote, about=lambda record: record.arguments["event_id"])
    inner = open_an_inner_turn(m, move)

    async def around() -> None:
        await move("dinner", "Sunday")
        await inner()
        await move("lunch", "Sunday")

    await plan(m, around)

    assert (remote.get("dinner")["day"], remote.get("lunch")["day"]) == ("Monday", "Monday")
    assert list_open(m) == []


async def test_an_inner_turn_that_is_its_own_stands_when_the_outer_one_is_rejected(
    m: Mulligan, remote: StoryRemote
) -> None:
    await plan(m, open_an_inner_turn(m, declare_move(m, remote), own=True))

    assert remote.get("dinner")["day"] == "Saturday"
    assert list_open(m) == []


async def test_what_no_review_saw_is_not_verified_with_the_turn_around_it(
    strict: Mulligan, remote: StoryRemote
) -> None:
    await plan(strict, leave_an_inner_turn(strict, declare_move(strict, remote)))

    assert remote.get("dinner")["day"] == "Monday" or list_open(strict)


async def test_a_turn_opened_after_its_outer_one_has_ended_stands_for_itself(
    m: Mulligan, remote: StoryRemote
) -> None:
    later, started = open_an_inner_turn(m, declare_move(m, remote)), []

    async def work() -> None:
        await asyncio.sleep(0.05)
        await later()

    async def agent(turn: OpenTurn) -> str:
        started.append(asyncio.create_task(work()))
        return "Started."

    await m.act("Start it", agent)
    await started[0]

    assert list_open(m) == []


async def test_what_the_outer_turn_may_have_done_is_not_done_again_by_an_inner_one(
    m: Mulligan,
) -> None:
    paid: list[int] = []

    @m.tool(effect=Effect.REVERSIBLE, before=lambda r: None, read=lambda r: None, undo=print)
    async def pay(amount: int) -> None:
        paid.append(amount)
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        for _ in range(2):
            async with m.turn("sub"):
                with pytest.raises(Exception):  # noqa: B017 - no answer, then a refusal
                    await pay(10)
        return "Tried."

    await m.act("Pay it", agent)

    assert paid == [10]


async def test_what_an_inner_turn_did_undeclared_is_named_when_the_outer_one_is_rejected(
    strict: Mulligan, remote: StoryRemote
) -> None:
    move = declare_move(strict, remote)

    @strict.tool
    async def send_mail(to: str) -> str:
        return "sent"

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is not None:
            return turn.correction.text
        async with strict.turn("Tell Ann"):
            await send_mail("ann")
        await move("dinner", "Saturday")
        return "Done."

    done = await strict.act(OUTER, agent)

    assert "send_mail(to=ann)" in str(done.reply)
    assert [(a.opening.tool, a.state) for a in list_open(strict)] == [("send_mail", State.DISPUTED)]


@pytest.mark.parametrize("reviewed", [False, True])
async def test_what_an_inner_turn_did_undeclared_is_not_accepted_unless_it_was_reviewed(
    remote: StoryRemote, reviewed: bool
) -> None:
    def reject_blanks(attempted: Attempted) -> list[str]:
        given = [value for e in attempted.executions for value in e.call.arguments.values()]
        return [] if all(given) else ["Something is blank."]

    with open_app(checks=[reject_blanks]) as m:
        move = declare_move(m, remote)

        @m.tool
        async def send_mail(to: str) -> str:
            return "sent"

        async def agent(turn: OpenTurn) -> str:
            async with m.turn("Tell Ann") as inner:
                await send_mail("ann")
                if reviewed:
                    await inner.review("Told.")
            await move("dinner", "Saturday")
            return "Done."

        done = await m.act("Move dinner", agent)

    assert done.standing is (Standing.ACCEPTED if reviewed else Standing.UNCHECKED)
