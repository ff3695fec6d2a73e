"""An application under test: a calendar's tools on a remote that keeps its own ledger."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mulligan import Effect, Mulligan, Repeat
from mulligan.core.effect import NoVerdict, Release
from mulligan.core.errors import ConflictError
from mulligan.core.record import Record
from mulligan.testing.remote import FakeRemote, Item, RemoteError

EVENTS = ("e1", "e2", "e3")
"""What is in the calendar before anybody does anything."""

REVERSIBLE = Effect.REVERSIBLE
LANDS_WITHIN = timedelta(seconds=30)

Midway = Callable[[str], Awaitable[None]]
"""Told when a tool has done a part of its work: a crash can come there too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The tools of one application, in one process."""

    m: Mulligan
    remote: FakeRemote
    midway: Midway
    looked: Callable[[], None] = lambda: None
    """Told when a probe has seen what there is, and its answer is on the way back."""

    def tools(self, wanted: Iterable[str]) -> dict[str, Callable[..., Awaitable[Any]]]:
        """The wanted tools by name, declared, and others of their kind: declaring takes time."""
        kinds = {
            self._versioned: {"create", "move", "move_keyed", "move_if_reviewed", "remove"},
            self._less_sure: {"move_unprobed", "move_blindly", "move_all"},
            self._sync: {"move_plainly"},
            self._bare: {"create_bare", "move_bare"},
            self._irreversible: {"invite", "pay", "announce"},
        }
        names = set(wanted)
        made: dict[str, Callable[..., Awaitable[Any]]] = {}
        for declare, found in kinds.items():
            if found & names:
                made |= declare()
        return made

    def _versioned(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        remote, sure = self.remote, self._sure()

        @self.m.tool(undo=self._remove_made, read=self._read_made, **sure)
        async def create(day: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"day": day, "mark": mark}, key=key)

        async def moved(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            data = {"day": day, "mark": mark}
            return remote.update(event_id, data, key=key, if_version=if_version)

        async def remove(
            event_id: str,
            mark: str,  # noqa: ARG001
            key: str | None = None,
            if_version: str | None = None,
        ) -> None:
            remote.delete(event_id, key=key, if_version=if_version)

        sure |= {"before": self._read, "if_version": "if_version"}
        moving = sure | {"undo": self._put_back}
        removing = sure | {"undo": self._bring_back, "deletes": True}
        return {
            "create": create,
            "move": self.m.tool(name="move", **moving)(moved),
            "move_keyed": self.m.tool(name="move_keyed", repeat=Repeat.KEYED, **moving)(moved),
            "move_if_reviewed": self.m.tool(
                name="move_if_reviewed", on_no_verdict=NoVerdict.UNDO, **moving
            )(moved),
            "remove": self.m.tool(**removing)(remove),
        }

    def _less_sure(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        """Tools with versions that miss something: a probe, a condition, or a call for each."""
        remote = self.remote
        versioned: dict[str, Any] = {
            "effect": REVERSIBLE,
            "version": _version,
            "lands_within": LANDS_WITHIN,
        }
        versioned |= {"before": self._read, "undo": self._put_back}

        @self.m.tool(**versioned, if_version="if_version")
        async def move_unprobed(
            event_id: str, day: str, mark: str, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, if_version=if_version)

        @self.m.tool(**versioned, probe=self._landed, key="key")
        async def move_blindly(event_id: str, day: str, mark: str, key: str | None = None) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, key=key)

        @self.m.tool(
            **versioned,
            each="events",
            sequential=True,
            probe=self._element_landed,
            if_version="if_version",
        )
        async def move_all(
            events: list[str], day: str, mark: str, if_version: list[str] | None = None
        ) -> list[Item]:
            moved = []
            for event_id, version in zip(events, if_version or (), strict=True):
                data, key = {"day": day, "mark": mark}, f"{mark}:{event_id}"
                moved.append(remote.update(event_id, data, key=key, if_version=version))
                await self.midway("midway")
            return moved

        made = (move_unprobed, move_blindly, move_all)
        return {tool.__name__: tool for tool in made}

    def _sync(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        """A tool that is a plain function, called by an agent that is not."""
        remote, sure = self.remote, self._sure() | {"before": self._read}

        @self.m.tool(**sure, undo=self._put_back, if_version="if_version")
        def move_sync(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            data = {"day": day, "mark": mark}
            return remote.update(event_id, data, key=key, if_version=if_version)

        async def move_plainly(**given: Any) -> Item:
            return move_sync(**given)

        return {"move_plainly": move_plainly}

    def _bare(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        """Tools without versions, keys or probes, as plain APIs have them."""
        remote = self.remote

        @self.m.tool(undo=self._remove_made, read=self._read_made, effect=REVERSIBLE)
        async def create_bare(day: str, mark: str) -> Item:
            return remote.create({"day": day, "mark": mark})

        @self.m.tool(before=self._read, undo=self._put_back, effect=REVERSIBLE)
        async def move_bare(event_id: str, day: str, mark: str) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark})

        return {"create_bare": create_bare, "move_bare": move_bare}

    def _irreversible(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        remote = self.remote

        @self.m.tool(effect=Effect.IRREVERSIBLE)
        async def invite(whom: str, mark: str) -> Item:
            return remote.create({"whom": whom, "mark": mark})

        @self.m.tool(effect=Effect.IRREVERSIBLE, repeat=Repeat.KEYED, key="key", probe=self._landed)
        async def pay(whom: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"whom": whom, "mark": mark}, key=key)

        @self.m.tool(
            effect=Effect.IRREVERSIBLE, release=Release.CHECKS, probe=self._landed, key="key"
        )
        async def announce(whom: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"whom": whom, "mark": mark}, key=key)

        return {"invite": invite, "pay": pay, "announce": announce}

    def _sure(self) -> dict[str, Any]:
        """What a tool declares that can tell everything about its calls."""
        return {
            "effect": Effect.REVERSIBLE,
            "probe": self._landed,
            "key": "key",
            "version": _version,
            "lands_within": LANDS_WITHIN,
        }

    def _read(self, record: Record) -> Item | None:
        return self.remote.get(_event(record))

    def _read_made(self, record: Record) -> Item | None:
        return self.remote.get(record.result.id)  # type: ignore[attr-defined]

    def _landed(self, record: Record) -> Item | None:
        return self._answer_to(record.key)

    def _element_landed(self, record: Record) -> Item | None:
        return self._answer_to(f"{record.arguments['mark']}:{_event(record)}")

    def _answer_to(self, key: str) -> Item | None:
        found = self.remote.answer_to(key)
        self.looked()
        return found

    def _put_back(self, record: Record) -> None:
        before: Any = record.before
        with _conflicts():
            self.remote.update(before.id, before.data, if_version=record.version, by="undo")

    def _bring_back(self, record: Record) -> None:
        before: Any = record.before
        with _conflicts():
            self.remote.create(before.data, id=before.id, by="undo")

    def _remove_made(self, record: Record) -> None:
        made: Any = record.result
        with _conflicts():
            self.remote.delete(made.id, if_version=record.version, by="undo")


@contextmanager
def _conflicts() -> Iterator[None]:
    """Says in Mulligan's words that somebody else was there first."""
    try:
        yield
    except RemoteError as error:
        if error.status in (409, 412):
            raise ConflictError(str(error)) from error
        raise


def _event(record: Record) -> str:
    given = record.arguments
    return str(given.get("event_id") or given.get("events"))


def _version(record: Record) -> str:
    return str(record.result.version)  # type: ignore[attr-defined]
