"""What could not be taken back is taken back later, as far as that is safe."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.rollback import MOST_TRIES
from mulligan.types.finding import Finding, Severity
from mulligan_testing.fakes import FixedClock

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def reject_all(attempted: Attempted) -> Iterator[Finding]:
    if attempted.executions:
        yield Finding(rule="test.wrong", severity=Severity.ERROR, issue="Wrong on purpose.")


@pytest.mark.parametrize(("versioned", "left"), [(True, []), (False, [State.UNDO_FAILED])])
async def test_an_undo_that_had_no_room_is_made_once_there_is_room_again(
    versioned: bool, left: list[State]
) -> None:
    clock, there, full = FixedClock(NOW), {"text": "old", "etag": 1}, [True]

    def put(text: str) -> dict[str, Any]:
        there.update(text=text, etag=there["etag"] + 1)
        return dict(there)

    def put_back(record: Any) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(record.before["text"])

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            tool("new")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False, clock=clock) as m:
        look = lambda _: dict(there)  # noqa: E731
        version = {"version": lambda record: record.result["etag"]} if versioned else {}
        declared = {"before": look, "read": look, "undo": put_back, "about": lambda _: "it"}
        tool = m.tool(effect=Effect.REVERSIBLE, **declared, **version)(put)
        await m.act("Write it", agent)
        for _ in range(2 * MOST_TRIES):
            clock.move(timedelta(minutes=10))
            await m.recover()
        states = [action.state for action in m.insights.open_list.actions()]
        full.clear()
        clock.move(timedelta(minutes=10))
        await m.recover()

        assert states == [State.UNDO_FAILED]
        assert [action.state for action in m.insights.open_list.actions()] == left
        for action in m.insights.open_list.actions():
            m.insights.open_list.undo(action.id, by="Mum")
            await m.recover()
        assert m.insights.open_list.actions() == []
        assert there["text"] == "old"


async def test_a_call_is_undone_whatever_became_of_one_on_something_else() -> None:
    there = {"text": "old"}

    def put(text: str) -> None:
        there["text"] = text

    def put_back(record: Any) -> None:
        there["text"] = record.before["text"]

    def light() -> None:
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        tool("new")
        with suppress(TimeoutError):  # the remote gave no answer
            lamp()
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        look = lambda _: dict(there)  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, before=look, undo=put_back)(put)
        nothing = lambda _: None  # noqa: E731
        said = {"effect": Effect.REVERSIBLE, "before": nothing, "undo": nothing}
        lamp = m.tool(about=lambda _: "lamp", **said)(light)
        await m.act("Write it", agent)

    assert there["text"] == "old"


async def test_a_call_is_not_undone_under_a_later_one_that_gave_no_answer() -> None:
    there = {"text": "old"}

    def put(text: str) -> None:
        there["text"] = text
        if text == "second":
            raise TimeoutError("no answer")

    def put_back(record: Any) -> None:
        there["text"] = record.before["text"]

    async def agent(turn: OpenTurn) -> str:
        tool("first")
        with suppress(TimeoutError):  # the remote gave no answer
            tool("second")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        look = lambda _: dict(there)  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, before=look, undo=put_back)(put)
        await m.act("Write it", agent)
        left = [action.state for action in m.insights.open_list.actions()]

    assert there["text"] == "second"
    assert left == [State.UNDO_FAILED, State.NEEDS_HUMAN]
