"""A plain function that returns something to await is not believed to have done it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from tests.stories.effects.remote import StoryRemote, name_conflicts, read_data, read_version
from tests.stories.effects.world import list_open, open_app


@pytest.fixture
def remote() -> StoryRemote:
    made = StoryRemote()
    made.create({"day": "Monday"}, name="dinner", by="person")
    return made


@pytest.fixture(params=[True, False], ids=["rejected", "accepted"])
def m(request: pytest.FixtureRequest) -> Iterator[Mulligan]:
    with open_app(rejects=request.param) as made:
        yield made


def declare_lazy_move(m: Mulligan, remote: StoryRemote, *, fails: bool = False) -> Any:
    """A tool that only makes a coroutine: its effect comes when somebody awaits it."""

    async def send(day: str) -> dict[str, Any]:
        moved = remote.update("dinner", {"day": day})
        if fails:
            raise TimeoutError("no answer")
        return moved

    def put_back(record: Record) -> None:
        before: Any = record.before
        with name_conflicts():
            remote.update("dinner", read_data(before), if_version=record.version, by="undo")

    @m.tool(
        effect=Effect.REVERSIBLE, before=lambda record: remote.get("dinner"), undo=put_back,
        version=read_version,
    )  # fmt: skip
    def move(day: str) -> Any:
        return send(day)

    return move


async def test_an_effect_that_comes_after_the_review_is_not_unknown_to_everybody(
    remote: StoryRemote,
) -> None:
    later: list[Any] = []
    with open_app(rejects=True) as m:
        move = declare_lazy_move(m, remote)

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is None:
                later.append(move("Saturday"))
            return "I will."

        with suppress(ConfigurationError):  # refused: then nothing was done
            await m.act("Move dinner", agent)
        await asyncio.gather(*later)

        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


async def test_an_awaited_effect_without_an_answer_is_not_called_executed(
    remote: StoryRemote,
) -> None:
    with open_app() as m:
        move = declare_lazy_move(m, remote, fails=True)

        async def agent(turn: OpenTurn) -> str:
            with suppress(TimeoutError):  # an agent that gets on with it
                await move("Saturday")
            return "I do not know."

        with suppress(ConfigurationError):  # refused: then nothing was done
            await m.act("Move dinner", agent)

        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


async def test_a_tool_that_returns_a_coroutine_is_refused_with_what_to_do_instead(
    m: Mulligan, remote: StoryRemote
) -> None:
    move = declare_lazy_move(m, remote)

    async def agent(turn: OpenTurn) -> str:
        await move("Saturday")
        return "Moved."

    with pytest.raises(ConfigurationError):
        await m.act("Move dinner", agent)

    assert remote.list_writes() == []
    # It may have acted before it answered: that is looked for.
    assert [action.state for action in list_open(m)] == [State.UNKNOWN]


async def test_a_tool_that_only_reads_may_answer_bit_by_bit() -> None:
    with open_app() as m:

        @m.tool(effect=Effect.READ)
        def stream() -> Any:
            return (each for each in "ab")

        done = await m.act("Read", lambda _: "".join(stream()))

    assert done.reply == "ab"
