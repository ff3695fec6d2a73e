"""What a call carries: for a block, beside other blocks, and never where it was not entered."""

from __future__ import annotations

import asyncio
import contextvars
from typing import NamedTuple

import pytest

from mulligan import Effect, Mulligan
from mulligan.runtime.context import (
    CallContext,
    carry,
    carry_on,
    leave_turns,
    read_context,
    write_words_only,
)
from mulligan.types.errors import OutsideTurnError


class Parcel(NamedTuple):
    name: str


class Letter(NamedTuple):
    name: str


def test_what_is_carried_in_a_block_is_gone_after_it() -> None:
    with carry(read_context()._replace(once=True)):
        inside = read_context().once
        with carry(read_context()._replace(once=False)):
            further = read_context().once

    assert (inside, further, read_context().once) == (True, False, False)


def test_what_is_changed_in_a_block_for_good_stays_beside_what_the_block_takes_back() -> None:
    def go_on() -> tuple[bool, bool]:
        with carry(read_context()._replace(once=True)):
            write_words_only()
        return read_context().words_only, read_context().once

    assert contextvars.copy_context().run(go_on) == (True, False)
    assert not read_context().words_only


def test_what_a_block_carries_is_taken_back_though_it_was_taken_out_inside() -> None:
    with carry(read_context().put(Parcel, Parcel("outer"))):
        with carry(read_context().put(Parcel, Parcel("inner"))):
            carry_on(read_context().put(Parcel, None))
            taken = read_context().of(Parcel)

        assert taken is None
        assert read_context().of(Parcel) == Parcel("outer")
    assert read_context().of(Parcel) is None


def test_each_type_has_its_own_place() -> None:
    def go_on() -> tuple[Parcel | None, Letter | None]:
        with carry(read_context().put(Parcel, Parcel("here"))):
            carry_on(read_context().put(Letter, Letter("kept")))
        return read_context().of(Parcel), read_context().of(Letter)

    assert contextvars.copy_context().run(go_on) == (None, Letter("kept"))


async def test_a_task_carries_what_it_was_begun_with_however_long_it_goes_on() -> None:
    over = asyncio.Event()

    async def outlive() -> Parcel | None:
        await over.wait()
        return read_context().of(Parcel)

    with carry(read_context().put(Parcel, Parcel("begun"))):
        task = asyncio.create_task(outlive())
    over.set()

    assert await task == Parcel("begun")
    assert read_context().of(Parcel) is None


async def test_a_thread_carries_what_its_caller_does() -> None:
    with carry(read_context().put(Parcel, Parcel("here"))):
        there = await asyncio.to_thread(lambda: read_context().of(Parcel))

    assert there == Parcel("here")


def test_a_block_that_is_left_elsewhere_changes_nothing_there() -> None:
    block = carry(read_context().put(Parcel, Parcel("strange")))
    contextvars.copy_context().run(block.__enter__)

    with carry(read_context().put(Parcel, Parcel("ours"))):
        with pytest.raises(ValueError, match="different Context"):
            block.__exit__(None, None, None)

        assert read_context().of(Parcel) == Parcel("ours")


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

        with pytest.raises(OutsideTurnError, match="writes a reply again"):
            await asyncio.create_task(write())
