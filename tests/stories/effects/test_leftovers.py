"""What an application leaves behind is taken up, also by the next one in the same process."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from pathlib import Path

import pytest

from mulligan import Effect, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import ActionQuery
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from tests.stories.effects.remote import read_data
from tests.stories.effects.world import (
    act,
    declare_move,
    leave_behind,
    list_open,
    make_calendar,
    open_app,
)

pytestmark = pytest.mark.promise(1)


async def do_nothing(turn: OpenTurn) -> str:
    return "Good evening."


async def test_what_a_closed_application_left_is_taken_up_while_its_process_lives(
    tmp_path: Path,
) -> None:
    remote, store = make_calendar(), f"sqlite:///{tmp_path}/family.db"
    with open_app(store, rejects=True) as closed:
        move = declare_move(closed, remote)
        await leave_behind(closed, lambda: move("dinner", "Saturday"))

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


@pytest.mark.full
@pytest.mark.parametrize("during", ["call", "undo"])
async def test_a_person_settles_nothing_that_a_living_process_is_sending(
    tmp_path: Path, during: str
) -> None:
    remote, store = make_calendar(), f"sqlite:///{tmp_path}/family.db"
    said = []
    with open_app(store, rejects=True) as busy, open_app(store) as desk:

        def look_in(when: str) -> None:
            if when == during:
                [action] = list_open(desk)
                try:
                    desk.insights.open_list.settle(action.id, note="Seen to.")
                except ConfigurationError as error:
                    said.append(str(error))

        def undo(record: Record) -> None:
            look_in("undo")
            remote.update("dinner", {"day": "Monday"}, by="undo")

        @busy.tool(
            effect=Effect.REVERSIBLE, before=lambda _: read_data(remote.get("dinner")), undo=undo
        )
        async def move(day: str) -> None:
            look_in("call")
            remote.update("dinner", {"day": day})

        await act(busy, lambda: move("Saturday"))

        assert len(said) == 1
        assert "working on it" in said[0]
        assert list_open(desk) == []


async def test_what_a_person_asked_for_and_nobody_has_taken_up_can_be_settled(
    tmp_path: Path,
) -> None:
    remote, store = make_calendar(), f"sqlite:///{tmp_path}/family.db"
    with open_app(store) as gone:
        move = declare_move(gone, remote)
        await act(gone, lambda: move("dinner", "Saturday"))
    with open_app(store) as desk:
        [action] = desk.insights.open_list.search(ActionQuery())
        asked = desk.insights.open_list.undo(action.id, by="Ann")

        settled = desk.insights.open_list.settle(asked.id, note="By hand.")

        assert settled.state is State.CLOSED


def test_asyncio_run_of_a_turn_takes_up_what_an_earlier_one_left(tmp_path: Path) -> None:
    remote = make_calendar()
    # Not `with m`, which has a thread that looks after it all the time.
    with closing(open_app(f"sqlite:///{tmp_path}/family.db", rejects=True, recover=True)) as m:
        move = declare_move(m, remote)
        asyncio.run(leave_behind(m, lambda: move("dinner", "Saturday")))

        for _ in range(2):
            asyncio.run(m.act("Good evening", do_nothing))

        # The thread of the application may have been faster than the passes of the turns.
        deadline = time.monotonic() + 60
        while list_open(m) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert remote.get("dinner")["day"] == "Monday"
        assert list_open(m) == []
