"""What an application leaves behind is taken up, also by the next one in the same process."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from mulligan import Mulligan
from mulligan.runtime.context import OpenTurn
from tests.stories.effects.remote import Remote
from tests.stories.effects.world import (
    act,
    declare_move,
    list_open,
    open_app,
)

pytestmark = pytest.mark.promise(1)


def make_calendar() -> Remote:
    made = Remote()
    made.create({"day": "Monday"}, name="dinner", by="person")
    return made


async def leave_behind(m: Mulligan, move: Any) -> None:
    """A turn that is cancelled when it has moved dinner to a day that nobody wanted."""

    async def agent(turn: OpenTurn) -> str:
        await move("dinner", "Saturday")
        raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):  # the agent stopped its own turn
        await m.act("Move dinner", agent)


def wait_for_day(remote: Remote) -> str:
    """The day of dinner, when it is no longer the one that nobody wanted, or after a while.

    The turns' own passes find nothing to do where the thread of the application was faster.
    """
    end = time.monotonic() + 10
    while remote.get("dinner")["day"] == "Saturday" and time.monotonic() < end:
        time.sleep(0.01)
    return str(remote.get("dinner")["day"])


async def do_nothing(turn: OpenTurn) -> str:
    return "Good evening."


async def test_what_a_closed_application_left_is_taken_up_while_its_process_lives(
    tmp_path: Path,
) -> None:
    remote, store = make_calendar(), f"sqlite:///{tmp_path}/family.db"
    with open_app(store, rejects=True) as closed:
        await leave_behind(closed, declare_move(closed, remote))

    with open_app(store, rejects=True) as m:
        declare_move(m, remote)
        await m.recover()

        assert remote.get("dinner")["day"] == "Monday"
        assert list_open(m) == []


async def test_what_an_open_application_is_at_work_on_is_left_to_it(tmp_path: Path) -> None:
    """The other side: two applications of one process, neither of them closed."""
    remote, store = make_calendar(), f"sqlite:///{tmp_path}/family.db"
    with open_app(store) as busy, open_app(store, rejects=True) as m:
        move = declare_move(busy, remote)
        declare_move(m, remote)

        async def move_and_look() -> None:
            await move("dinner", "Saturday")
            await m.recover()

        await act(busy, move_and_look)

        assert remote.get("dinner")["day"] == "Saturday"
        assert remote.list_writes(by="undo") == []


def test_asyncio_run_of_a_turn_takes_up_what_an_earlier_one_left(tmp_path: Path) -> None:
    remote = make_calendar()
    # Not `with m`, which has a thread that looks after it all the time.
    with closing(open_app(f"sqlite:///{tmp_path}/family.db", rejects=True, recover=True)) as m:
        asyncio.run(leave_behind(m, declare_move(m, remote)))

        for _ in range(2):
            asyncio.run(m.act("Good evening", do_nothing))

        assert wait_for_day(remote) == "Monday"
        # The remote has it a moment before the journal.
        deadline = time.monotonic() + 60
        while list_open(m) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert list_open(m) == []
