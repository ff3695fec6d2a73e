"""An application under test: a calendar's tools on a remote that keeps its own ledger."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from bench.crash.means import (
    LANDS_WITHIN,
    SETTLES_WITHIN,
    Means,
    read_event,
    read_version,
)
from bench.crash.pace import Pace
from bench.crash.rough_tools import RoughTools
from mulligan import Effect, Mulligan, Repeat
from mulligan.runtime.declaration import Remote, Review
from mulligan.types.effect import NoVerdict, ProbeBy, Release
from mulligan_testing.remote import FakeRemote, Item

EVENTS = ("e1", "e2", "e3")
"""What is in the calendar before anybody does anything."""

REVERSIBLE = Effect.REVERSIBLE

Midway = Callable[[str], Awaitable[None]]
"""Told when a tool has done a part of its work: a crash can come there too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The tools of one application, in one process."""

    m: Mulligan
    remote: FakeRemote
    midway: Midway
    pace: Pace = field(default_factory=Pace)
    lands_within: timedelta = LANDS_WITHIN
    looked: Callable[[], None] = lambda: None
    """Told when a probe has seen what there is, and its answer is on the way back."""

    @property
    def means(self) -> Means:
        """What its tools can do about their effects."""
        return Means(remote=self.remote, looked=self.looked, lands_within=self.lands_within)

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
        rough = RoughTools(m=self.m, means=self.means, midway=self.midway, pace=self.pace)
        return made | rough.declare(names)

    def _versioned(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        remote, sure = self.remote, self.means.be_sure()

        @self.m.tool(undo=self.means.remove_made, read=self.means.read_made, **sure)
        async def create(day: str, mark: str, key: str | None = None) -> Item:
            """Make an event."""
            return remote.create({"day": day, "mark": mark}, key=key)

        async def moved(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            """Move an event."""
            data = {"day": day, "mark": mark}
            return remote.update(event_id, data, key=key, if_version=if_version)

        async def remove(
            event_id: str,
            mark: str,  # noqa: ARG001
            key: str | None = None,
            if_version: str | None = None,
        ) -> None:
            remote.delete(event_id, key=key, if_version=if_version)

        sure |= {"about": read_event, "before": self.means.read, "if_version": "if_version"}
        moving = sure | {"undo": self.means.put_back}
        removing = sure | {"undo": self.means.bring_back, "deletes": True}
        return {
            "create": create,
            "move": self.m.tool(name="move", **moving)(moved),
            "move_keyed": self.m.tool(name="move_keyed", repeat=Repeat.KEYED, **moving)(moved),
            "move_if_reviewed": self.m.tool(
                name="move_if_reviewed", review=Review(on_no_verdict=NoVerdict.UNDO), **moving
            )(moved),
            "remove": self.m.tool(**removing)(remove),
        }

    def _less_sure(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        """Tools with versions that miss something: a probe, a condition, or a call for each."""
        remote = self.remote
        versioned: dict[str, Any] = {
            "effect": REVERSIBLE,
            "version": read_version,
            "about": read_event,
            "before": self.means.read,
            "undo": self.means.put_back,
        }
        behaves = Remote(lands_within=LANDS_WITHIN, settles_within=SETTLES_WITHIN)
        once = replace(behaves, requests=1)

        @self.m.tool(**versioned, remote=once, if_version="if_version")
        async def move_unprobed(
            event_id: str, day: str, mark: str, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, if_version=if_version)

        @self.m.tool(**versioned, remote=once, probe=self.means.find_landed, key="key")
        async def move_blindly(event_id: str, day: str, mark: str, key: str | None = None) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, key=key)

        @self.m.tool(
            **versioned,
            each="events",
            probe=self.means.find_element,
            probe_by=ProbeBy.CALL,
            remote=behaves,
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
        remote, sure = self.remote, self.means.be_sure() | {"before": self.means.read}

        @self.m.tool(**sure, undo=self.means.put_back, if_version="if_version")
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

        @self.m.tool(undo=self.means.remove_made, read=self.means.read_made, effect=REVERSIBLE)
        async def create_bare(day: str, mark: str) -> Item:
            return remote.create({"day": day, "mark": mark})

        @self.m.tool(before=self.means.read, undo=self.means.put_back, effect=REVERSIBLE)
        async def move_bare(event_id: str, day: str, mark: str) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark})

        return {"create_bare": create_bare, "move_bare": move_bare}

    def _irreversible(self) -> dict[str, Callable[..., Awaitable[Any]]]:
        remote = self.remote

        @self.m.tool(effect=Effect.IRREVERSIBLE)
        async def invite(whom: str, mark: str) -> Item:
            """Invite somebody."""
            return remote.create({"whom": whom, "mark": mark})

        @self.m.tool(
            effect=Effect.IRREVERSIBLE, repeat=Repeat.KEYED, key="key", probe=self.means.find_landed
        )
        async def pay(whom: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"whom": whom, "mark": mark}, key=key)

        @self.m.tool(
            effect=Effect.IRREVERSIBLE,
            review=Review(release=Release.CHECKS),
            probe=self.means.find_landed,
            key="key",
        )
        async def announce(whom: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"whom": whom, "mark": mark}, key=key)

        return {"invite": invite, "pay": pay, "announce": announce}
