"""A tool that refuses before it writes leaves nothing that a person has to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Failures, Mulligan, State
from mulligan.types.errors import AlreadyDoneError
from mulligan_testing.remote import FakeRemote, Item


class Office:
    """Tasks with versions, in an application of their own."""

    def __init__(self, m: Mulligan, folder: Path) -> None:
        self.m = m
        self.remote = FakeRemote(folder / "remote")
        self.remote.create({"title": "Tax"}, id="t1", by="person")
        self.states: list[str] = []

    def declare(self, **more: Any) -> Any:
        def put_back(record):
            self.remote.update("t1", record.before.data, if_version=record.version, by="undo")

        @self.m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: self.remote.get(record.arguments["task"]),
            undo=put_back,
            version=lambda record: record.result.version,
            about=lambda record: record.arguments["task"],
            **more,
        )
        async def rename(task: str, title: str, if_version: str | None = None) -> Item:
            if len(title) > 20:
                raise ValueError("The title is too long.")
            return self.remote.update(task, {"title": title}, if_version=if_version)

        return rename

    async def act(self, rename: Any, *, edit: str = "") -> list[State]:
        """An agent that is refused, reads why, and makes the right call; a person may edit."""
        async with self.m.turn("Call it Income tax") as turn:
            with pytest.raises(ValueError, match="too long"):
                await rename("t1", "Income tax of the whole family")
            if edit:
                self.remote.update("t1", {"title": edit}, by="person")
            await rename("t1", "Income tax")
            return [action.state for action in turn.list_actions() if action.state is not None]


@pytest.fixture
async def office(tmp_path: Path):
    async with Mulligan("memory:", recover=False) as m:
        yield Office(m, tmp_path)


@pytest.mark.parametrize(
    "said",
    [
        {"refuses": ValueError},
        {"refuses": (KeyError, ValueError)},
        {"failures": {"error_rules": [{"says": "^ValueError: .*too long", "nothing_done": True}]}},
    ],
)
async def test_what_the_tools_author_says_settles_it_at_once(
    office: Office, said: dict[str, Any]
) -> None:
    assert await office.act(office.declare(**said)) == [State.NOT_EXECUTED, State.EXECUTED]


async def test_a_class_of_errors_is_no_proof_by_itself(office: Office) -> None:
    rules = [{"says": "too long", "error_class": "validation"}]

    states = await office.act(office.declare(failures=Failures(error_rules=rules)))

    assert states == [State.UNKNOWN, State.EXECUTED]


@pytest.mark.parametrize(("edit", "settled"), [("", State.NOT_EXECUTED), ("Mine", State.UNKNOWN)])
async def test_a_later_call_under_the_same_version_settles_the_one_that_was_refused(
    office: Office, edit: str, settled: State
) -> None:
    states = await office.act(office.declare(if_version="if_version"), edit=edit)

    assert states == [settled, State.EXECUTED]


async def test_a_type_error_from_inside_a_tool_proves_nothing(office: Office) -> None:
    m = office.m

    @m.tool(
        effect=Effect.REVERSIBLE,
        undo=lambda record: None,
        read=lambda record: None,
        about=lambda record: record.key,
    )
    async def create(title: str) -> Item:
        made = office.remote.create({"title": title})
        return made + 1  # type: ignore[operator, no-any-return]

    async with m.turn("Make one") as turn:
        with pytest.raises(TypeError):
            await create("New")
        with pytest.raises(AlreadyDoneError):
            await create("New")

        assert [a.state for a in turn.list_actions()] == [State.NEEDS_HUMAN]


async def test_a_failure_that_is_returned_can_be_ruled_harmless_too(office: Office) -> None:
    m = office.m
    rules = [{"says": "too long", "nothing_done": True}]

    @m.tool(
        effect=Effect.REVERSIBLE, undo=lambda record: None, read=lambda record: None,
        about=lambda record: record.key, failures=Failures(error_rules=rules),
    )  # fmt: skip
    async def create(title: str) -> dict[str, str]:
        return {"error": "The title is too long."}

    async with m.turn("Make one") as turn:
        await create("New")

        assert [a.state for a in turn.list_actions()] == [State.NOT_EXECUTED]
