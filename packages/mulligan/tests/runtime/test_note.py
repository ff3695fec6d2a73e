from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Finding, Severity, Standing, State
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Opinion
from mulligan.runtime.context import OpenTurn, add_note
from mulligan.types.errors import UnfinishedRunError
from mulligan_testing.fakes import ScriptedJudge
from mulligan_testing.remote import Fault
from tests.world import World, Worlds, moves


@pytest.mark.parametrize(
    "reply", [None, 7, {"text": "Moved."}, ["Moved."], '{"text": "Moved."}', "[1]"]
)
def test_a_reply_that_is_data_is_left_as_it_is(reply: object) -> None:
    assert add_note(reply, "Not yet checked:") is reply


class FrameworkText(str):
    """As frameworks hand out what their agents answered."""

    __slots__ = ()

    def __str__(self) -> str:
        return "shown otherwise"


@pytest.mark.parametrize(
    "reply", ["Moved.", "{not json", "[see below]", "", FrameworkText("Moved.")]
)
def test_a_reply_that_is_text_has_the_note_under_it(reply: str) -> None:
    assert add_note(reply, "Not yet checked:") == f"{''.join(reply)}\n\nNot yet checked:"
    assert add_note(reply, "") == reply


def breaks(attempted: Attempted) -> list[Finding]:
    raise RuntimeError("down")


async def test_a_review_that_is_still_due_is_said_in_the_reply(worlds: Worlds) -> None:
    world = await worlds(checks=[breaks])

    done = await world.act(moves(world, "2026-11-20"))

    assert done.standing is Standing.UNREVIEWED
    assert done.note == "Not yet checked:\n- Move (event id: e1, day: 2026-11-20)"
    assert done.reply == f"Moved.\n\n{done.note}"


async def test_an_agent_that_says_sent_of_what_is_held_is_put_right(worlds: Worlds) -> None:
    world = await worlds(checks=[lambda _: []])

    @world.m.tool(effect=Effect.IRREVERSIBLE, describe="Send {text} to {to}")
    async def send(to: str, text: str) -> None:
        raise AssertionError

    async def lies(turn: OpenTurn) -> str:
        await send("Ann", "hello")
        return "It is sent!"

    async def quotes(turn: OpenTurn) -> str:
        held = await send("Bob", "hello")
        return f"It is sent! Your reference is {held.hold.action}."

    lied, quoted = await world.act(lies), await world.act(quotes)

    waits = "Not done yet, awaiting approval:\n- Send hello to"
    assert lied.reply == f"It is sent!\n\n{waits} Ann"
    assert str(quoted.reply).endswith(f".\n\n{waits} Bob")


@pytest.mark.parametrize(
    "looks",
    [
        {"checks": [lambda _: []]},
        {"checks": "standard"},
        {"judge": ScriptedJudge([Opinion(findings=(), confirmed=True)])},
    ],
    ids=["a check", "a warning about it", "a judge"],
)
async def test_a_call_that_gave_no_answer_is_told_as_not_certain_and_not_accepted(
    worlds: Worlds, looks: dict[str, Any]
) -> None:
    world = await worlds(**looks)

    async def agent(turn: OpenTurn) -> str:
        try:
            await world.move("e1", "2026-11-20")
        except TimeoutError:
            return "Moved."
        raise AssertionError

    world.remote.plan(Fault.LOST_AFTER)
    done = await world.act(agent, said="Move event e1 to 2026-11-20")

    assert world.states() == [State.NEEDS_HUMAN]
    assert (done.standing, done.confidence) == (Standing.UNCHECKED, None)
    assert "It is unknown whether this was done:\n- Move (event id: e1" in str(done.reply)


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    return await worlds(checks=[lambda _: []])


def objects(attempted: Attempted) -> list[Finding]:
    """Rejects everything."""
    return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="Not that day.")]


async def test_a_reply_that_is_no_text_keeps_its_type_or_is_refused(worlds: Worlds) -> None:
    world = await worlds(checks=[objects])
    moved = {"moved": True}

    async def agent(turn: OpenTurn) -> dict[str, bool]:
        await world.move("e1", "2026-11-21")
        return moved

    done = await world.act(agent)

    with pytest.raises(UnfinishedRunError, match=r"Not that day\.") as refused:
        _ = done.reply
    assert (done.output, done.standing, done.finished) == (moved, Standing.REJECTED, False)
    assert (refused.value.output, refused.value.standing) == (moved, Standing.REJECTED)
    assert (refused.value.answer, refused.value.findings) == (done.question, done.findings)


async def test_data_that_says_sent_of_what_is_held_is_not_given(worlds: Worlds) -> None:
    world = await worlds(checks=[lambda _: []])

    @world.m.tool(effect=Effect.IRREVERSIBLE, describe="Send {text} to {to}")
    async def send(to: str, text: str) -> None:
        raise AssertionError

    async def lies(turn: OpenTurn) -> str:
        await send("Ann", "hello")
        return '{"sent": true}'

    done = await world.act(lies)

    assert (done.output, done.finished) == ('{"sent": true}', False)
    assert done.reply == ("Not done yet, awaiting approval:\n- Send hello to Ann")
