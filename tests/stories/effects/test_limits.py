"""A function that hangs leaves its action in front of a person, and all the others go on."""

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
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from tests.stories.effects.remote import StoryRemote, read_version
from tests.stories.effects.world import (
    act,
    declare_move,
    leave_behind,
    list_open,
    open_app,
    put_back,
)

PATIENCE = 1.0
"""Seconds that others are given to get done; less than any limit that is not declared."""
SOON = timedelta(milliseconds=50)


class Hanging:
    """A move of which one function never comes back, once told so."""

    def __init__(self, remote: StoryRemote, which: str) -> None:
        self._remote = remote
        self._which = which
        self.hangs = False

    def declare(self, m: Mulligan, **more: Any) -> Any:
        def get(record: Record) -> object:
            return self._remote.get("dinner")

        @m.tool(
            effect=Effect.REVERSIBLE, before=get, read=self._wrap("read", get),
            undo=self._wrap("undo", put_back(self._remote)), key="key",
            version=self._wrap("version", read_version),
            probe=self._wrap("probe", self._fail_to_look), **more,
        )  # fmt: skip
        async def move_dinner(day: str, key: str = "") -> dict[str, Any]:
            moved = self._remote.update("dinner", {"day": day}, key=key)
            if self._which == "probe":
                raise TimeoutError("no answer")
            return moved

        return move_dinner

    def _fail_to_look(self, record: Record) -> object:
        raise ConnectionError("not now")

    def _wrap(self, name: str, function: Callable[[Record], object]) -> Any:
        async def call(record: Record) -> object:
            if name == self._which and self.hangs:
                await asyncio.Event().wait()
            return function(record)

        return call


async def recover_until(m: Mulligan, done: Callable[[], bool]) -> None:
    """Recover until it is so, or until patience is at its end."""
    recovery = asyncio.ensure_future(m.recover())
    began = time.monotonic()
    while not done() and time.monotonic() - began < PATIENCE:  # noqa: ASYNC110 - a remote's ledger
        await asyncio.sleep(0.01)
    recovery.cancel()
    with suppress(asyncio.CancelledError):  # what hangs would never end by itself
        await recovery


@pytest.mark.parametrize("which", ["undo", "read", "version", "probe"])
async def test_a_function_that_hangs_does_not_keep_recovery_from_undoing_another(
    strict: Mulligan, remote: StoryRemote, which: str
) -> None:
    hanging = Hanging(remote, which)
    stuck, move = hanging.declare(strict), declare_move(strict, remote)
    await leave_behind(strict, lambda: stuck("Saturday"))
    await leave_behind(strict, lambda: move("lunch", "Saturday"))
    hanging.hangs = True

    await recover_until(strict, lambda: remote.get("lunch")["day"] == "Monday")

    assert remote.get("lunch")["day"] == "Monday"
    assert remote.get("dinner")["day"] == "Monday" or list_open(strict)


async def test_a_judge_that_hangs_does_not_keep_recovery_from_undoing_another(
    remote: StoryRemote,
) -> None:
    class Hangs:
        async def ask(self, question: object) -> None:
            await asyncio.Event().wait()

    def reject_days(attempted: Attempted) -> Iterator[Finding]:
        if any("day" in execution.call.arguments for execution in attempted.executions):
            yield Finding(rule="story.day", severity=Severity.ERROR, issue="No day was asked for.")

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
    strict: Mulligan, remote: StoryRemote, which: str
) -> None:
    hanging = Hanging(remote, which)
    stuck = hanging.declare(strict, remote=Remote(answers_within=SOON))

    async def move_and_hang() -> None:
        await stuck("Saturday")
        hanging.hangs = True

    async with asyncio.timeout(PATIENCE):
        _, told = await act(strict, move_and_hang)

    assert not told.says_taken_back
    assert len(list_open(strict)) == 1


async def test_a_call_whose_probe_hangs_comes_back_in_time(
    content: Mulligan, remote: StoryRemote
) -> None:
    hanging = Hanging(remote, "probe")
    hanging.hangs = True
    stuck = hanging.declare(content, remote=Remote(answers_within=SOON))

    async with asyncio.timeout(PATIENCE):
        _, told = await act(content, lambda: stuck("Saturday"))

    assert len(told.errors) == 1
    assert len(list_open(content)) == 1


async def test_a_call_whose_snapshot_hangs_is_held(content: Mulligan, remote: StoryRemote) -> None:
    async def hang(record: Record) -> None:
        await asyncio.Event().wait()

    move = declare_move(content, remote, before=hang, remote=Remote(answers_within=SOON))

    async with asyncio.timeout(PATIENCE):
        await act(content, lambda: move("lunch", "Saturday"))

    assert remote.list_writes() == []
    assert len(list_open(content)) == 1
