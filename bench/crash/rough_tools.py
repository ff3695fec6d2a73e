"""Tools as real ones are: two requests in one, naive probes, shared parents, plain dictionaries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from bench.crash.means import (
    LANDS_WITHIN,
    SETTLES_WITHIN,
    Means,
    read_event,
    read_made_id,
    read_version,
    say,
    tell_conflicts,
)
from bench.crash.pace import Pace
from mulligan import Effect, Mulligan, Repeat
from mulligan.core.errors import ConflictError
from mulligan.core.record import Record
from mulligan.testing.remote import Item

SECOND = "second"
"""Whose requests are the second ones of calls that make two."""
CALENDAR = "c1"
"""The parent that events share."""

Tools = dict[str, Callable[..., Awaitable[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoughTools:
    """The rougher tools of one application, in one process."""

    m: Mulligan
    means: Means
    midway: Callable[[str], Awaitable[None]]
    pace: Pace

    def declare(self, names: set[str]) -> Tools:
        """Those kinds of tools that have a wanted one among them."""
        kinds: dict[Callable[[], Tools], set[str]] = {
            self._marked: {"create_marked", "create_all"},
            self._composite: {"book", "pay_and_tell"},
            self._shared: {"move_shared", "move_unsaid"},
            self._plain: {"create_dict", "move_dict"},
            self._conditional: {"put"},
            self._shown: {"move_naive", "move_slowly"},
            self._compared: {"move_compared"},
            self._booked: {"transfer"},
            self._weak: {"refund"},
        }
        made: Tools = {}
        for declare, found in kinds.items():
            if found & names:
                made |= declare()
        return made

    def _marked(self) -> Tools:
        """Calls that are known by a mark on what they made, and by no key."""
        remote, means = self.means.remote, self.means
        made: dict[str, Any] = {
            "effect": Effect.REVERSIBLE,
            "undo": means.remove_made,
            "read": means.read_made,
            "version": read_version,
            "lands_within": LANDS_WITHIN,
        }
        made |= say(settles_within=SETTLES_WITHIN, about=read_made_id, probe_by="call")

        def find_marked(record: Record) -> Item | None:
            return remote.find(mark=record.arguments["mark"])

        def find_part(record: Record) -> Item | None:
            return remote.find(mark=f"{record.arguments['mark']}:{record.arguments['days']}")

        @self.m.tool(probe=find_marked, **made)
        async def create_marked(day: str, mark: str) -> Item:
            return remote.create({"day": day, "mark": mark})

        @self.m.tool(probe=find_part, each="days", **made)
        async def create_all(days: list[str], mark: str) -> list[Item]:
            created = []
            for day in days:
                created.append(remote.create({"day": day, "mark": f"{mark}:{day}"}))
                await self.midway("midway")
            return created

        return {"create_marked": create_marked, "create_all": create_all}

    def _composite(self) -> Tools:
        """Calls that make two requests: a refusal of the second says nothing of the first."""
        remote, means = self.means.remote, self.means
        sure = means.be_sure() | say(requests=0)

        @self.m.tool(undo=means.remove_made, read=means.read_made, **sure)
        async def book(day: str, mark: str, key: str | None = None) -> Item:
            made = remote.create({"day": day, "mark": mark}, key=key)
            await self.midway("midway")
            remote.create({"note": mark}, by=SECOND)
            return made

        @self.m.tool(effect=Effect.IRREVERSIBLE)
        async def pay_and_tell(whom: str, mark: str) -> Item:
            paid = remote.create({"whom": whom, "mark": mark})
            remote.create({"note": mark}, by=SECOND)
            return paid

        return {"book": book, "pay_and_tell": pay_and_tell}

    def _shared(self) -> Tools:
        """Events of one calendar, which their arguments and their results name."""
        remote, means = self.means.remote, self.means

        async def moved(
            event_id: str,
            day: str,
            mark: str,
            calendar_id: str = CALENDAR,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            data = {"day": day, "mark": mark, "calendar_id": calendar_id}
            return remote.update(event_id, data, key=key, if_version=if_version)

        moving = means.be_sure() | {
            "before": means.read, "undo": means.put_back, "if_version": "if_version",
        }  # fmt: skip
        unsaid = {name: said for name, said in moving.items() if name != "about"}
        return {
            "move_shared": self.m.tool(
                name="move_shared", **moving | say(about=read_event)
            )(moved),
            "move_unsaid": self.m.tool(name="move_unsaid", **unsaid)(moved),
        }  # fmt: skip

    def _plain(self) -> Tools:
        """Calls that take and return dictionaries, which anybody may change."""
        remote, means = self.means.remote, self.means

        @self.m.tool(undo=means.remove_made, read=means.read_made, **means.be_sure())
        async def create_dict(
            details: dict[str, Any], mark: str, key: str | None = None
        ) -> dict[str, Any]:
            return asdict(remote.create(details | {"mark": mark}, key=key))

        @self.m.tool(
            before=means.read,
            undo=means.put_back,
            if_version="if_version",
            **means.be_sure() | say(about=read_event),
        )
        async def move_dict(
            event_id: str,
            details: dict[str, Any],
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> dict[str, Any]:
            data = details | {"mark": mark}
            return asdict(remote.update(event_id, data, key=key, if_version=if_version))

        return {"create_dict": create_dict, "move_dict": move_dict}

    def _conditional(self) -> Tools:
        """A call bound to what was there, if only to nothing."""
        remote, means = self.means.remote, self.means
        sure = means.be_sure() | {"before": means.read, "if_version": "if_version"}
        sure |= say(about=read_event)

        def take_away(record: Record) -> None:
            if record.before is not None:
                means.put_back(record)
                return
            with tell_conflicts():
                remote.delete(read_event(record), if_version=record.version, by="undo")

        @self.m.tool(undo=take_away, **sure | say(if_absent="if_absent"))
        async def put(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
            if_absent: bool = False,  # noqa: FBT001, FBT002 - by name, as its declaration says
        ) -> Item:
            data = {"day": day, "mark": mark}
            return remote.put(
                event_id, data, key=key, if_version=if_version, if_absent=if_absent
            )  # fmt: skip

        return {"put": put}

    def _shown(self) -> Tools:
        """Calls whose probe shows only what is there; and one that takes its time."""
        remote, means = self.means.remote, self.means
        sure = means.be_sure() | {"before": means.read, "if_version": "if_version"}
        sure |= say(about=read_event)
        naive = {name: said for name, said in sure.items() if name not in ("key", "probe")}

        @self.m.tool(undo=means.put_back, probe=means.read, **naive | say(probe_by="state"))
        async def move_naive(
            event_id: str, day: str, mark: str, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, if_version=if_version)

        @self.m.tool(undo=means.put_back, **sure)
        async def move_slowly(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            self.pace.started.set()
            await self.pace.may_return.wait()
            data = {"day": day, "mark": mark}
            return remote.update(event_id, data, key=key, if_version=if_version)

        return {"move_naive": move_naive, "move_slowly": move_slowly}

    def _compared(self) -> Tools:
        """A call whose probe needs to know what was there before it."""
        remote, means = self.means.remote, self.means
        sure = means.be_sure() | {"before": means.read, "undo": means.put_back}
        sure = {name: said for name, said in sure.items() if name != "key"}
        sure |= say(about=read_event, probe_by="call")

        def find_since(record: Record) -> Item | None:
            now = remote.get(read_event(record))
            if now is None or record.before is None:
                # Where nothing was, what is there is what the call made.
                return now
            if now == record.before:
                return None
            if now.data.get("mark") != record.arguments["mark"]:
                raise ConflictError("somebody has changed it since")
            return now

        @self.m.tool(**sure | {"probe": find_since}, if_version="if_version")
        async def move_compared(
            event_id: str, day: str, mark: str, if_version: str | None = None
        ) -> Item:
            return remote.update(event_id, {"day": day, "mark": mark}, if_version=if_version)

        return {"move_compared": move_compared}

    def _booked(self) -> Tools:
        """A call that another one takes back, which adds to it and has no version either."""
        remote, means = self.means.remote, self.means

        def counter(record: Record) -> None:
            remote.create({"of": read_made_id(record)}, by="undo")

        def read_standing(record: Record) -> Item | None:
            made = read_made_id(record)
            return None if remote.find(of=made) else remote.get(made)

        sure = {name: said for name, said in means.be_sure().items() if name != "version"}

        @self.m.tool(undo=counter, read=read_standing, **sure)
        async def transfer(day: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"day": day, "mark": mark}, key=key)

        return {"transfer": transfer}

    def _weak(self) -> Tools:
        """A booking and its counter-booking: neither has a version, and each adds to the other."""
        remote, means = self.means.remote, self.means

        def counter(record: Record) -> None:
            remote.delete(read_made_id(record), by="undo")

        @self.m.tool(
            effect=Effect.REVERSIBLE,
            repeat=Repeat.ONCE,
            undo=counter,
            read=means.read_made,
            lands_within=LANDS_WITHIN,
            **say(about=read_made_id),
        )
        async def refund(day: str, mark: str) -> Item:
            return remote.create({"day": day, "mark": mark})

        return {"refund": refund}
