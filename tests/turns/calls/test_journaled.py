"""A call inside an attempt, against a remote whose ledger says what really happened."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, Repeat, State
from mulligan.core.errors import ConfigurationError, ConflictError
from mulligan.core.finding import Finding, Severity
from mulligan.core.limits import Backoff
from mulligan.core.points import Point
from mulligan.core.record import Record
from mulligan.testing.faults import Deed, Faults, Strike
from mulligan.testing.remote import FakeRemote, Fault, Item, RemoteError
from mulligan.turns.turn.context import OpenTurn

SEED = {"day": "Monday"}
AT_ONCE = Backoff(first=timedelta(), longest=timedelta(), total=timedelta(seconds=1))


async def called(tool: Callable[..., object], *given: object) -> object:
    answer = tool(*given)
    return await answer if inspect.isawaitable(answer) else answer


def never_content(attempted: object) -> list[Finding]:
    return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="It was wrong.")]


@dataclass
class Application:
    """A calendar whose tools can tell everything about their calls."""

    m: Mulligan
    remote: FakeRemote

    def __post_init__(self) -> None:
        remote, m = self.remote, self.m

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["event_id"]))

        sure = {
            "effect": Effect.REVERSIBLE, "before": read, "undo": self.put_back, "key": "key",
            "probe": lambda record: remote.answer_to(record.key),
            "version": lambda record: record.result.version, "if_version": "if_version",
            "lands_within": timedelta(), "repeat": Repeat.KEYED,
        }  # fmt: skip

        @m.tool(**sure)
        def move_sync(
            event_id: str, day: str, key: str | None = None, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day}, key=key, if_version=if_version)

        @m.tool(**sure)
        async def move(
            event_id: str, day: str, key: str | None = None, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day}, key=key, if_version=if_version)

        @m.tool(**sure, deletes=True)
        async def remove(
            event_id: str, key: str | None = None, if_version: str | None = None
        ) -> None:
            remote.delete(event_id, key=key, if_version=if_version)

        self.move, self.move_sync, self.remove = move, move_sync, remove

    def put_back(self, record: Record) -> None:
        before = record.before
        try:
            if self.remote.list_items().get(before.id) is None:
                self.remote.create(before.data, id=before.id, by="undo")
            else:
                self.remote.update(before.id, before.data, if_version=record.version, by="undo")
        except RemoteError as error:
            raise ConflictError(str(error)) from error

    def day(self) -> object:
        item = self.remote.list_items().get("e1")
        return item.data["day"] if item else None

    def edit(self) -> None:
        self.remote.update("e1", {"day": "a person's"}, by="person")

    def states(self) -> list[State]:
        return [action.state for action in self.m._parts.store.journal.list_open_actions()]


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Application]:
    remote = FakeRemote(tmp_path / "remote")
    remote.create(SEED, id="e1", by="person")
    async with Mulligan("memory:", checks=[never_content], recover=False, backoff=AT_ONCE) as m:
        yield Application(m=m, remote=remote)


async def test_a_refusal_speaks_only_for_the_try_it_answered(app: Application) -> None:
    app.remote.plan(Fault.LOST_AFTER, Fault.FORBIDDEN)
    moved = []

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            with pytest.raises(RemoteError):
                await app.move("e1", "Friday")
            moved.append(app.day())
        return "Done."

    await app.m.act("Move dinner", agent)

    assert moved == ["Friday"]
    assert app.day() == "Monday"
    assert app.states() == []


async def test_a_delete_whose_answer_was_lost_is_brought_back(app: Application) -> None:
    app.remote.plan(Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.LOST_BEFORE)

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            await app.remove("e1")
        return "Done."

    await app.m.act("Cancel dinner", agent)

    assert app.states() == []
    assert app.day() == "Monday"


@pytest.mark.parametrize("point", [Point.IMAGED, Point.INTENDED])
@pytest.mark.parametrize("tool", ["move", "move_sync"])
async def test_an_edit_between_the_pre_image_and_the_call_survives(
    app: Application, point: Point, tool: str
) -> None:
    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            with pytest.raises(RemoteError, match="412"):
                await called(getattr(app, tool), "e1", "Friday")
        return "Done."

    with Faults(Strike(deed=Deed.EDIT, point=point), edit=app.edit):
        await app.m.act("Move dinner", agent)

    assert app.day() == "a person's"
    assert app.states() == []


async def test_a_key_given_by_position_is_the_key(app: Application) -> None:
    async def agent(turn: OpenTurn) -> str:
        await app.move("e1", "Friday", "my-key")
        return "Done."

    async with app.m.turn("Move dinner") as turn:
        await agent(turn)

    assert app.remote.ledger()[-1].key == "my-key"


def test_a_condition_without_a_pre_image_is_refused() -> None:
    m = Mulligan("memory:")

    with pytest.raises(ConfigurationError, match="if_version"):

        @m.tool(
            effect=Effect.REVERSIBLE, undo=lambda r: None, read=lambda r: None,
            if_version="if_version",
        )  # fmt: skip
        async def move(event_id: str, if_version: str | None = None) -> None: ...

    m.close()
