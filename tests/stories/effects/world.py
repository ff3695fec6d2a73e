"""What these stories share: an application on its store, a strict reviewer, and the open list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from mulligan import Effect, Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import Done
from mulligan.types.action import Action
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from mulligan.types.limits import Backoff
from tests.stories.effects.remote import StoryRemote, name_conflicts, read_data, read_version

AT_ONCE = timedelta()
NO_WAIT = Backoff(first=timedelta(milliseconds=1), longest=timedelta(milliseconds=1))


def reject_any_call(attempted: Attempted) -> Iterator[Finding]:
    """Nothing that was called was wanted."""
    if attempted.executions:
        yield Finding(rule="story.unwanted", severity=Severity.ERROR, issue="Nobody wanted that.")


def open_app(store: str = "memory:", *, rejects: bool = False, **more: Any) -> Mulligan:
    """An application that recovers only when it is told to, and retries without waiting."""
    checks = [reject_any_call] if rejects else []
    settings: dict[str, Any] = {"checks": checks, "recover": False, "backoff": NO_WAIT}
    return Mulligan(store, **(settings | more))


def make_calendar(path: Path | None = None) -> StoryRemote:
    """A person's calendar: dinner and lunch, both on Monday."""
    made = StoryRemote(path)
    for event in ("dinner", "lunch"):
        made.create({"day": "Monday"}, name=event, by="person")
    return made


def list_open(m: Mulligan) -> list[Action]:
    return m.insights.open_list.actions()


class Told:
    """An agent that does one thing once, and what it was told afterwards."""

    def __init__(self, deed: Callable[[], Any]) -> None:
        self._deed = deed
        self.corrections: list[str] = []
        self.errors: list[Exception] = []
        self.results: list[object] = []

    async def __call__(self, turn: OpenTurn) -> str:
        if turn.correction is not None:
            self.corrections.append(turn.correction.text)
            return "I did nothing more."
        try:
            self.results.append(await self._deed())
        except Exception as error:
            self.errors.append(error)
            return "It did not work."
        return "It is done."

    @property
    def says_taken_back(self) -> bool:
        return any("Undone and verified" in text for text in self.corrections)


async def act(m: Mulligan, deed: Callable[[], Any]) -> tuple[Done, Told]:
    """One turn in which the agent does one thing."""
    agent = Told(deed)
    return await m.act("Please see to it", agent), agent


async def ask_and_approve(m: Mulligan, deed: Callable[[], Any]) -> None:
    """An agent asks for something that cannot be undone; a person approves, and it is run."""
    _, agent = await act(m, deed)
    held: Any = agent.results[0]
    m.insights.open_list.approve(held.hold.action, by="Ann")
    await m.recover()


async def leave_behind(m: Mulligan, deed: Callable[[], Any]) -> None:
    """A turn that is cancelled when it has done what it wanted."""

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # an agent that gets on with it
            await deed()
        raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):  # the agent stopped its own turn
        await m.act("Please see to it", agent)


def put_back(remote: StoryRemote) -> Callable[[Record], None]:
    """An undo that writes the snapshot, under the version of the call if it has one."""

    def undo(record: Record) -> None:
        before: Any = record.before
        with name_conflicts():
            remote.update(before["id"], read_data(before), if_version=record.version, by="undo")

    return undo


def declare_move(m: Mulligan, remote: StoryRemote, /, **more: Any) -> Callable[..., Any]:
    """`move(event_id, day)`: a well-declared update, taken back under its version."""

    def read(record: Record) -> object:
        return remote.get(str(record.arguments["event_id"]))

    declared: dict[str, Any] = {"before": read, "undo": put_back(remote), "version": read_version}

    @m.tool(effect=Effect.REVERSIBLE, **(declared | more))
    async def move(event_id: str, day: str) -> dict[str, Any]:
        return remote.update(event_id, {"day": day})

    return move


def declare_create(
    m: Mulligan, make: Callable[..., Any], remote: StoryRemote, /, **more: Any
) -> Any:
    """`create(title)`: made by `make`, found by its key, taken back under its version."""

    def read(record: Record) -> object:
        made = remote.find(record.key)
        return None if made is None else remote.get(made["id"])

    def remove(record: Record) -> None:
        with name_conflicts():
            made: Any = remote.find(record.key)
            remote.delete(made["id"], if_version=record.version, by="undo")

    declared: dict[str, Any] = {"read": read, "undo": remove, "version": read_version}

    @m.tool(effect=Effect.REVERSIBLE, key="key", **(declared | more))
    async def create(title: str, key: str | None = None) -> dict[str, Any]:
        return await make(title, str(key))

    return create
