"""The world of a turn: a remote with a ledger of its own, a calendar's tools on it, an application.

`Calendar` is the part without an application. `World` adds one, and says what became of both; a
test with tools of its own declares them on `world.m`, with the calendar's ways to undo.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from mulligan import ConflictError, Effect, Mulligan, Remote, State
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import Done
from mulligan.types.action import Action
from mulligan.types.call import Record
from mulligan.types.interfaces import Store
from mulligan_testing.fakes import FixedClock
from mulligan_testing.remote import FakeRemote, Item, RemoteError

EVENT = "e1"
DAY = "2026-11-18"
"""The one event that there is unless a test says otherwise, and when it is."""

Agent = Callable[[OpenTurn], Awaitable[object]]


@contextmanager
def conflicts_named() -> Iterator[None]:
    """What the remote refuses because of somebody else's change, as an undo has to say it."""
    try:
        yield
    except RemoteError as error:
        if error.status in (409, 412):
            raise ConflictError(str(error)) from error
        raise


def name_event(record: Record) -> str:
    return str(record.arguments["event_id"])


def read_version(record: Record) -> str:
    made: Any = record.result
    return made.version


@dataclass
class Calendar:
    """Events on a remote, what can be done to them, and all that undoing it needs."""

    remote: FakeRemote
    """Another one may take its place: the tools look here."""

    async def move(
        self, event_id: str, day: str, key: str | None = None, if_version: str | None = None
    ) -> Item:
        return self.remote.update(event_id, {"day": day}, key=key, if_version=if_version)

    async def create(self, event_id: str, day: str) -> Item:
        return self.remote.create({"day": day}, id=event_id)

    async def delete(
        self, event_id: str, key: str | None = None, if_version: str | None = None
    ) -> None:
        self.remote.delete(event_id, key=key, if_version=if_version)

    def read(self, record: Record) -> Item | None:
        return self.remote.get(str(record.arguments["event_id"]))

    def landed(self, record: Record) -> Item | None:
        return self.remote.answer_to(str(record.key))

    def put_back(self, record: Record) -> None:
        before: Any = record.before
        with conflicts_named():
            self.remote.update(before.id, before.data, if_version=record.version, by="undo")

    def remove(self, record: Record) -> None:
        event = str(record.arguments["event_id"])
        with conflicts_named():
            self.remote.delete(event, if_version=record.version, by="undo")

    def bring_back(self, record: Record) -> None:
        before: Any = record.before
        with conflicts_named():
            self.remote.create(before.data, id=before.id, by="undo")

    @property
    def changing(self) -> dict[str, Any]:
        """How a tool is declared that changes an event."""
        return {
            "effect": Effect.REVERSIBLE, "before": self.read, "undo": self.put_back,
            "version": read_version, "about": name_event,
        }  # fmt: skip

    @property
    def creating(self) -> dict[str, Any]:
        """How a tool is declared that makes an event."""
        return {
            "effect": Effect.REVERSIBLE, "read": self.read, "undo": self.remove,
            "version": read_version, "about": name_event,
        }  # fmt: skip

    @property
    def deleting(self) -> dict[str, Any]:
        """How a tool is declared that deletes an event."""
        return {
            "effect": Effect.REVERSIBLE, "before": self.read, "undo": self.bring_back,
            "deletes": True, "about": name_event,
        }  # fmt: skip

    @property
    def keyed(self) -> dict[str, Any]:
        """What a tool adds that can be asked whether a call of its came through."""
        return {"key": "key", "probe": self.landed, "remote": Remote(lands_within=timedelta())}


@dataclass(kw_only=True)
class World:
    """An application with a calendar, and what really happened to that calendar."""

    m: Mulligan
    calendar: Calendar
    clock: FixedClock | None = None
    """Where the application has its time from, if not from the machine."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What every turn is told: the time, the zone."""
    promises: Mapping[str, Any] = field(default_factory=dict)
    """What moves and deletes promise beyond their undo."""

    def __post_init__(self) -> None:
        calendar, tool = self.calendar, self.m.tool
        self.move = tool(**{**calendar.changing, **self.promises})(calendar.move)
        self.create = tool(**calendar.creating)(calendar.create)
        self.delete = tool(**{**calendar.deleting, **self.promises})(calendar.delete)

    @property
    def remote(self) -> FakeRemote:
        return self.calendar.remote

    async def act(self, agent: Agent, said: str = "Move dinner to Friday") -> Done:
        return await self.m.act(said, agent, **self.about)

    def open(self) -> list[Action]:
        return self.m.insights.open_list.actions()

    def states(self) -> list[State]:
        return [action.state for action in self.open()]

    def days(self) -> dict[str, object]:
        return {name: item.data["day"] for name, item in self.remote.list_items().items()}

    def day(self, event: str = EVENT) -> object:
        return self.days().get(event)

    def undos(self) -> int:
        return sum(line.by == "undo" for line in self.remote.ledger())


def moves(world: World, *days: str, event: str = EVENT) -> Agent:
    """An agent that moves an event to the next of some days at each attempt.

    Its `told` is what it was told each time, or `None`.
    """
    left = iter(days)

    async def agent(turn: OpenTurn) -> str:
        agent.told.append(turn.correction)
        await world.move(event, next(left))
        return "Moved."

    agent.told = []
    return agent


def fill(remote: FakeRemote, *events: str, day: str = DAY) -> FakeRemote:
    """Events that a person made."""
    for event in events:
        remote.create({"day": day}, id=event, by="person")
    return remote


@dataclass
class Worlds:
    """Opens worlds, and closes them when the test is over."""

    folder: Path
    stack: AsyncExitStack

    async def __call__(
        self, store: str | Store = "memory:", *, remote: FakeRemote | None = None,
        clock: FixedClock | None = None, about: Mapping[str, Any] | None = None,
        promises: Callable[[Calendar], Mapping[str, Any]] = lambda _: {}, **settings: Any,
    ) -> World:  # fmt: skip
        """A world with one event of a person's, or with what is on the given remote."""
        calendar = Calendar(remote or fill(FakeRemote(self.folder / "ledger"), EVENT))
        timed = {"clock": clock} if clock else {}
        m = Mulligan(store, **{"recover": False, **timed, **settings})
        await self.stack.enter_async_context(m)
        return World(m=m, calendar=calendar, clock=clock, about=about or {},
                     promises=promises(calendar))  # fmt: skip
