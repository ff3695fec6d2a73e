"""What outsiders found once the first promises held: each as the story it was told in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import ConflictError, Effect, Finding, Mulligan, Record, Severity, State, Undoing
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn

WRONG = 666


def reject_wrong(attempted: Attempted) -> Iterator[Finding]:
    values = [each.call.arguments.get("value") for each in attempted.executions]
    if WRONG in values or attempted.reply == "bad":
        yield Finding(rule="story.wrong", severity=Severity.ERROR, issue="It is wrong.")


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", checks=[reject_wrong], recover=False) as made:
        yield made


class Cell:
    """One value behind a tool without versions."""

    def __init__(self, m: Mulligan, **more: Any) -> None:
        self.value: Any = 0
        declared = {"before": lambda record: self.value, "undo": self._put_back, **more}

        @m.tool(effect=Effect.REVERSIBLE, **declared)
        async def put(value: Any) -> dict[str, Any]:
            self.value = value
            return {"value": value}

        self.put = put

    def _put_back(self, record: Record) -> None:
        self.value = record.before


def list_states(m: Mulligan) -> list[State]:
    return [action.state for action in m.insights.open_list.actions()]


async def test_what_no_review_saw_is_not_verified_with_the_turn_around_it(m: Mulligan) -> None:
    cell = Cell(m)

    async def agent(turn: OpenTurn) -> str:
        async with m.turn("sub"):
            await cell.put(WRONG)
        return "Done."

    await m.act("Do it", agent)
    await m.recover()

    assert cell.value == 0 or list_states(m)


async def test_a_turn_opened_after_its_outer_one_has_ended_stands_for_itself(m: Mulligan) -> None:
    cell, started = Cell(m), []

    async def work() -> None:
        await asyncio.sleep(0.05)
        async with m.turn("later") as turn:
            await cell.put(7)
            await turn.review("ok")

    async def agent(turn: OpenTurn) -> str:
        started.append(asyncio.create_task(work()))
        return "Started."

    await m.act("Start it", agent)
    await started[0]

    assert list_states(m) == []


class Files:
    """Files by path, numbered from one each time one is made."""

    def __init__(self, m: Mulligan) -> None:
        self.held: dict[str, dict[str, Any]] = {}

        @m.tool(
            effect=Effect.REVERSIBLE, before=self._get, undo=self._put_back,
            version=lambda record: record.result["version"],
            about=lambda record: record.arguments["path"],
        )  # fmt: skip
        async def write(path: str, text: str) -> dict[str, Any]:
            return self.edit(path, text)

        self.write = write

    def edit(self, path: str, text: str) -> dict[str, Any]:
        version = self.held[path]["version"] + 1 if path in self.held else 1
        self.held[path] = {"text": text, "version": version}
        return dict(self.held[path])

    def _get(self, record: Record) -> dict[str, Any] | None:
        found = self.held.get(str(record.arguments["path"]))
        return dict(found) if found else None

    def _put_back(self, record: Record) -> None:
        path, before = str(record.arguments["path"]), record.before
        if str(self.held[path]["version"]) != record.version:
            raise ConflictError("changed since")
        if isinstance(before, dict):
            self.edit(path, before["text"])
        else:
            del self.held[path]


async def test_what_is_known_of_a_file_does_not_outlive_it(m: Mulligan) -> None:
    files = Files(m)
    files.edit("plan", "a")

    async def change(turn: OpenTurn) -> str:
        if turn.correction is None:
            await files.write("plan", "b")
        return "bad" if turn.correction is None else "ok"

    async def make(turn: OpenTurn) -> str:
        if turn.correction is None:
            await files.write("plan", "draft")
            files.edit("plan", "a person's")
            files.edit("plan", "a person's own")
        return "bad"

    await m.act("First", change)
    del files.held["plan"]
    await m.act("Second", make)

    assert files.held["plan"]["text"] == "a person's own"


async def test_a_review_sees_each_call_as_it_was_made(m: Mulligan) -> None:
    cell, seen = Cell(m), {"value": 0}

    @m.tool(effect=Effect.REVERSIBLE, before=lambda r: cell.value, undo=cell._put_back)
    async def invite(who: dict[str, Any], value: int) -> int:
        cell.value = value
        return value

    async def agent(turn: OpenTurn) -> str:
        for name in ("wrong", "right"):
            seen["value"] = name
            await invite(seen, 1)
        calls = [each.call.arguments["who"]["value"] for each in turn.attempt.list_executions()]
        return " ".join(calls)

    done = await m.act("Invite them", agent)

    assert done.reply == "wrong right"


async def test_an_undo_that_calls_a_tool_is_no_deed_of_the_turn(m: Mulligan) -> None:
    files: dict[str, str] = {}

    @m.tool(
        effect=Effect.REVERSIBLE, deletes=True, before=lambda r: files.get("a"),
        undo=lambda r: files.update(a=str(r.before)),
    )  # fmt: skip
    async def delete() -> None:
        files.pop("a")

    async def take_away(record: Record) -> None:
        await delete()

    @m.tool(effect=Effect.REVERSIBLE, read=lambda r: files.get("a"), undo=take_away)
    async def create(value: int) -> str:
        files["a"] = str(value)
        return "a"

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await create(WRONG)
        return "Done."

    await m.act("Make it", agent)
    await m.recover()

    assert files == {}
    assert list_states(m) == []


async def test_a_version_that_cannot_be_read_stops_no_other_undo(m: Mulligan) -> None:
    state, cell = {"etag": 1, "day": 0}, Cell(m)

    def put_back(record: Record) -> None:
        state.update(day=0, etag=state["etag"] + 1)

    @m.tool(
        effect=Effect.REVERSIBLE, before=lambda r: {"day": 0}, read=lambda r: dict(state),
        undo=put_back, version=lambda r: r.result["etag"],
        undoing=Undoing(same=lambda a, b: a["day"] == b["day"]),
    )  # fmt: skip
    async def move(value: int) -> dict[str, int]:
        state.update(day=value, etag=state["etag"] + 1)
        return dict(state)

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await cell.put(5)
            await move(WRONG)
        return "Done."

    await m.act("Move it", agent)

    assert (state["day"], cell.value) == (0, 0)
    assert list_states(m) == []


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
