"""What a call carries: for a block, beside other blocks, and never where it was not entered."""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import AbstractContextManager
from typing import NamedTuple

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.runtime.advice import read_advised
from mulligan.runtime.context import (
    CallContext,
    NextCall,
    carry,
    carry_on,
    leave_turns,
    read_context,
    write_words_only,
)
from mulligan.types.errors import OutsideTurnError
from mulligan.types.log import LogQuery


class Parcel(NamedTuple):
    name: str


class Letter(NamedTuple):
    name: str


async def test_what_is_carried_in_a_block_is_there_in_its_tasks_and_threads_and_gone_after_it() -> (
    None
):
    over = asyncio.Event()

    async def outlive() -> Parcel | None:
        await over.wait()
        return read_context().of(Parcel)

    with carry(read_context().put(Parcel, Parcel("begun"))):
        task = asyncio.create_task(outlive())
        there = await asyncio.to_thread(lambda: read_context().of(Parcel))
    over.set()

    assert (there, await task) == (Parcel("begun"), Parcel("begun"))
    assert read_context().of(Parcel) is None


def test_what_is_changed_in_a_block_for_good_stays_beside_what_the_block_takes_back() -> None:
    def go_on() -> tuple[object, ...]:
        with carry(read_context()._replace(once=True).put(Parcel, Parcel("here"))):
            write_words_only()
            carry_on(read_context().put(Letter, Letter("kept")))
        after = read_context()
        return after.words_only, after.once, after.of(Parcel), after.of(Letter)

    assert contextvars.copy_context().run(go_on) == (True, False, None, Letter("kept"))
    assert not read_context().words_only


def test_a_turn_that_is_left_before_the_one_inside_it_leaves_the_rest_alone() -> None:
    def cross() -> CallContext:
        outer, inner = m.turn("Outer"), m.turn("Inner", own=True)
        with carry(read_context().put(Parcel, Parcel("kept"))):
            outer.__enter__()
            inner.__enter__()
            outer.__exit__(None, None, None)
            between = read_context()
            inner.__exit__(None, None, None)
        return between

    with Mulligan("memory:", recover=False) as m:
        between = contextvars.copy_context().run(cross)

    assert between.turn is None
    assert between.of(Parcel) == Parcel("kept")


async def test_a_reply_that_is_written_again_stays_words_only_inside_other_blocks() -> None:
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def send(to: str) -> str:
            return to

        async def write() -> None:
            with m.turn("Write"):
                write_words_only()
            with leave_turns():
                await send("Ana")

        with pytest.raises(OutsideTurnError, match="reply was being rewritten"):
            await asyncio.create_task(write())


def test_the_first_call_has_the_id_and_those_inside_it_have_their_own() -> None:
    with Mulligan("memory:", recover=False) as m:

        @m.tool(effect="read")
        def inner() -> str:
            return "inside"

        @m.tool(effect="read")
        def outer() -> str:
            return inner()

        with carry(read_context()._replace(next_call=[NextCall(id="a" * 32)])):
            outer()
        outer()
        m.flush()
        rows = {(row.tool, row.id) for row in m.insights.log(LogQuery())}

    assert ("outer", "a" * 32) in rows
    assert len(rows) == 4


@pytest.mark.full
@pytest.mark.parametrize(("once", "made"), [(True, 1), (False, 2)])
async def test_a_failure_that_may_pass_is_not_tried_again(once: bool, made: int) -> None:
    tries = 0
    async with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ)
        async def look() -> str:
            nonlocal tries
            tries += 1
            if tries == 1:
                raise ConnectionResetError("connection reset by peer")
            return "there"

        with m.turn("Look"), carry(read_context()._replace(once=once)):
            if once:
                with pytest.raises(ConnectionResetError):
                    await look()
            else:
                assert await look() == "there"

    assert tries == made


@pytest.mark.parametrize(("once", "made"), [(True, ["3"]), (False, ["3", 3])])
async def test_a_fix_is_said_and_not_tried(once: bool, made: list[object]) -> None:
    given: list[object] = []
    async with Mulligan("memory:") as m:

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        async def find_table(people: int) -> str:
            given.append(people)
            if not isinstance(people, int):
                raise TypeError("people: Input should be a valid integer")
            return f"table 4 for {people}"

        with m.turn("Find a table for 3"), carry(read_context()._replace(once=once)):
            try:
                told = await find_table("3")  # type: ignore[arg-type]
            except TypeError as error:
                told = str(read_advised(error))

    assert given == made
    assert "3" in told


def test_a_block_that_is_only_collected_elsewhere_breaks_nothing() -> None:
    def enter() -> AbstractContextManager[None]:
        block = leave_turns()
        block.__enter__()
        return block

    block = contextvars.copy_context().run(enter)

    block.gen.close()

    assert not read_context().answered_for
