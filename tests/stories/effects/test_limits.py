"""Somebody's function hangs: that action stays in front of a person, and all the others go on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from tests.stories.effects.remote import StoryRemote, name_conflicts, read_data, read_version
from tests.stories.effects.world import act, declare_move, list_open, open_app

PATIENCE = 1.0
"""Seconds that others are given to get done; less than any limit that is not declared."""
SOON = timedelta(milliseconds=50)


class Hanging:
    """A calendar of which one function never comes back, once told so."""

    def __init__(self, remote: StoryRemote, which: str) -> None:
        self._remote = remote
        self._which = which
        self.hangs = False

    def declare(self) -> dict[str, Any]:
        return {
            "effect": Effect.REVERSIBLE,
            "before": lambda record: self._remote.get("dinner"),
            "read": self._wrap("read", lambda record: self._remote.get("dinner")),
            "undo": self._wrap("undo", self._put_back),
            "version": self._wrap("version", read_version),
            "probe": self._wrap("probe", self._fail_to_look),
            "key": "key",
        }

    def _fail_to_look(self, record: Record) -> object:
        raise ConnectionError("not now")

    def _put_back(self, record: Record) -> None:
        before: Any = record.before
        with name_conflicts():
            self._remote.update("dinner", read_data(before), if_version=record.version, by="undo")

    def _wrap(self, name: str, function: Callable[[Record], object]) -> Any:
        async def call(record: Record) -> object:
            if name == self._which and self.hangs:
                await asyncio.Event().wait()
            return function(record)

        return call


def reject_days(attempted: Attempted) -> Iterator[Finding]:
    if any("day" in execution.call.arguments for execution in attempted.executions):
        yield Finding(rule="story.day", severity=Severity.ERROR, issue="No day was asked for.")


@pytest.fixture
def remote() -> StoryRemote:
    made = StoryRemote()
    for event in ("dinner", "lunch"):
        made.create({"day": "Monday"}, name=event, by="person")
    return made


def declare_hanging_move(m: Mulligan, hanging: Hanging, remote: StoryRemote, /, **more: Any) -> Any:
    @m.tool(**hanging.declare(), **more)
    async def move_dinner(day: str, key: str = "") -> dict[str, Any]:
        moved = remote.update("dinner", {"day": day}, key=key)
        if hanging._which == "probe":
            raise TimeoutError("no answer")
        return moved

    return move_dinner


async def leave_behind(m: Mulligan, deed: Callable[[], Any]) -> None:
    """A turn that is cancelled when it has done what it wanted."""

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # an agent that gets on with it
            await deed()
        raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):  # the agent stopped its own turn
        await m.act("Please see to it", agent)


async def recover_until(m: Mulligan, done: Callable[[], bool]) -> None:
    """Recover until it is so, or until patience is at its end."""
    recovery = asyncio.ensure_future(m.recover())
    began = time.monotonic()
    while not done() and time.monotonic() - began < PATIENCE:  # noqa: ASYNC110 - a remote's ledger
        await asyncio.sleep(0.01)
    recovery.cancel()
    with suppress(asyncio.CancelledError):  # what hangs would never end by itself
        await recovery


@pytest.mark.parametrize("which", ["undo", "read", "version"])
async def test_an_undo_that_hangs_does_not_keep_recovery_from_undoing_another(
    remote: StoryRemote, which: str
) -> None:
    hanging = Hanging(remote, which)
    with open_app(rejects=True) as m:
        stuck, move = declare_hanging_move(m, hanging, remote), declare_move(m, remote)
        await leave_behind(m, lambda: stuck("Saturday"))
        await leave_behind(m, lambda: move("lunch", "Saturday"))
        hanging.hangs = True

        await recover_until(m, lambda: remote.get("lunch")["day"] == "Monday")

        assert remote.get("lunch")["day"] == "Monday"
        assert remote.get("dinner")["day"] == "Monday" or list_open(m)


async def test_a_probe_that_hangs_does_not_keep_recovery_from_undoing_another(
    remote: StoryRemote,
) -> None:
    hanging = Hanging(remote, "probe")
    with open_app(rejects=True) as m:
        stuck, move = declare_hanging_move(m, hanging, remote), declare_move(m, remote)
        await leave_behind(m, lambda: stuck("Saturday"))
        await leave_behind(m, lambda: move("lunch", "Saturday"))
        hanging.hangs = True

        await recover_until(m, lambda: remote.get("lunch")["day"] == "Monday")

        assert remote.get("lunch")["day"] == "Monday"


async def test_a_judge_that_hangs_does_not_keep_recovery_from_undoing_another(
    remote: StoryRemote,
) -> None:
    class Hangs:
        async def ask(self, question: object) -> None:
            await asyncio.Event().wait()

    with open_app(checks=[reject_days], judge=Hangs()) as m:
        move = declare_move(m, remote)

        @m.tool(effect=Effect.REVERSIBLE, undo=lambda record: None, read=lambda record: None)
        async def note(text: str) -> str:
            return text

        await leave_behind(m, lambda: note("dinner"))
        await leave_behind(m, lambda: move("lunch", "Saturday"))

        await recover_until(m, lambda: remote.get("lunch")["day"] == "Monday")

        assert remote.get("lunch")["day"] == "Monday"


@pytest.mark.parametrize("which", ["undo", "read", "version"])
async def test_a_person_gets_an_answer_in_time_though_an_undo_hangs(
    remote: StoryRemote, which: str
) -> None:
    hanging = Hanging(remote, which)
    with open_app(rejects=True) as m:
        stuck = declare_hanging_move(m, hanging, remote, remote=Remote(answers_within=SOON))

        async def move_and_hang() -> None:
            await stuck("Saturday")
            hanging.hangs = True

        async with asyncio.timeout(PATIENCE):
            _, told = await act(m, move_and_hang)

        assert not told.says_taken_back
        assert len(list_open(m)) == 1


async def test_a_call_whose_probe_hangs_comes_back_in_time(remote: StoryRemote) -> None:
    hanging = Hanging(remote, "probe")
    hanging.hangs = True
    with open_app() as m:
        stuck = declare_hanging_move(m, hanging, remote, remote=Remote(answers_within=SOON))

        async with asyncio.timeout(PATIENCE):
            _, told = await act(m, lambda: stuck("Saturday"))

        assert len(told.errors) == 1
        assert len(list_open(m)) == 1


async def test_a_call_whose_pre_image_hangs_is_held(remote: StoryRemote) -> None:
    async def hang(record: Record) -> None:
        await asyncio.Event().wait()

    with open_app() as m:
        move = declare_move(m, remote, before=hang, remote=Remote(answers_within=SOON))

        async with asyncio.timeout(PATIENCE):
            await act(m, lambda: move("lunch", "Saturday"))

        assert remote.list_writes() == []
        assert len(list_open(m)) == 1
