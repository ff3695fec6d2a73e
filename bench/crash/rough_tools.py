"""Tools as real ones are: two requests in one, naive probes, shared parents, plain dictionaries."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from msgspec.structs import replace

from bench.crash.means import (
    LANDS_WITHIN,
    SETTLES_WITHIN,
    Means,
    read_event,
    read_made_id,
    read_version,
    tell_conflicts,
)
from bench.crash.pace import Pace
from mulligan import Effect, Mulligan, Repeat
from mulligan.runtime.declaration import Remote
from mulligan.types.call import Record
from mulligan.types.effect import ProbeBy
from mulligan.types.errors import ConflictError
from mulligan_testing.remote import Item

SECOND = "second"
"""Whose requests are the second ones of calls that make two."""
NO_DAY = "never"
"""What a tool that checks its arguments refuses."""
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
            self._checked: {"move_checked", "move_unsure"},
            self._nested: {"arrange"},
            self._lazy: {"create_lazily"},
            self._connected: {"move_connected"},
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
            "about": read_made_id,
            "probe_by": ProbeBy.CALL,
            "remote": Remote(lands_within=LANDS_WITHIN, settles_within=SETTLES_WITHIN),
        }

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
        sure = means.be_sure()
        sure["remote"] = replace(sure["remote"], requests=0)

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
                name="move_shared", **moving | {"about": read_event}
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
            **means.be_sure() | {"about": read_event},
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
        sure |= {"about": read_event}

        def take_away(record: Record) -> None:
            if record.before is not None:
                means.put_back(record)
                return
            with tell_conflicts():
                remote.delete(read_event(record), if_version=record.version, by="undo")

        @self.m.tool(undo=take_away, **sure | {"if_absent": "if_absent"})
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
        sure |= {"about": read_event}
        naive = {name: said for name, said in sure.items() if name not in ("key", "probe")}

        @self.m.tool(undo=means.put_back, probe=means.read, **naive | {"probe_by": ProbeBy.STATE})
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
        sure |= {"about": read_event, "probe_by": ProbeBy.CALL}

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
        """A call that another one undoes, which adds to it and has no version either."""
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
            remote=Remote(lands_within=LANDS_WITHIN),
            about=read_made_id,
        )
        async def refund(day: str, mark: str) -> Item:
            return remote.create({"day": day, "mark": mark})

        return {"refund": refund}

    def _checked(self) -> Tools:
        """Calls that refuse what they are given before they do anything, and do not declare it."""
        remote, means = self.means.remote, self.means
        moving: dict[str, Any] = {
            "effect": Effect.REVERSIBLE, "before": means.read, "undo": means.put_back,
        }  # fmt: skip
        behaves = Remote(lands_within=LANDS_WITHIN, settles_within=SETTLES_WITHIN)

        def require_day(day: str) -> None:
            if day == NO_DAY:
                raise ValueError(f"{day} is no day")

        @self.m.tool(
            **moving,
            about=read_event,
            version=read_version,
            if_version="if_version",
            remote=behaves,
        )
        async def move_checked(
            event_id: str, day: str, mark: str, if_version: str | None = None
        ) -> Item:
            require_day(day)
            return remote.update(event_id, {"day": day, "mark": mark}, if_version=if_version)

        @self.m.tool(**moving)
        async def move_unsure(event_id: str, day: str, mark: str) -> Item:
            require_day(day)
            return remote.update(event_id, {"day": day, "mark": mark})

        return {"move_checked": move_checked, "move_unsure": move_unsure}

    def _nested(self) -> Tools:
        """A call that makes another one, and gives no answer after that."""
        remote, means = self.means.remote, self.means

        @self.m.tool(undo=means.remove_made, read=means.read_made, **means.be_sure())
        async def create_within(day: str, mark: str, key: str | None = None) -> Item:
            return remote.create({"day": day, "mark": mark}, key=key)

        @self.m.tool(effect=Effect.READ)
        async def arrange(day: str, mark: str) -> Item:
            await create_within(day=day, mark=mark)
            await self.midway("midway")
            raise ConnectionResetError("no answer")

        return {"arrange": arrange}

    def _lazy(self) -> Tools:
        """A call that has done nothing when it returns: what it does, its answer does."""
        remote, means = self.means.remote, self.means

        def of_first(ability: Callable[[Record], Any]) -> Callable[[Record], Any]:
            def told(record: Record) -> Any:
                made: Any = record.result
                return ability(replace(record, result=made[0] if isinstance(made, list) else made))

            return told

        sure = means.be_sure() | {"about": of_first(read_made_id)}
        sure |= {"version": of_first(read_version), "undo": of_first(means.remove_made)}

        @self.m.tool(read=of_first(means.read_made), **sure)
        async def create_lazily(
            day: str, mark: str, key: str | None = None
        ) -> Iterator[dict[str, Any]]:
            return (asdict(remote.create({"day": d, "mark": mark}, key=key)) for d in (day,))

        return {"create_lazily": create_lazily}

    def _connected(self) -> Tools:
        """A call through a client that is another object in every process."""
        remote, means, session = self.means.remote, self.means, uuid.uuid4().hex
        sure = means.be_sure() | {"before": means.read, "if_version": "if_version"}

        @self.m.tool(undo=means.put_back, **sure | {"about": read_event})
        async def move_connected(
            event_id: str,
            day: str,
            mark: str,
            key: str | None = None,
            if_version: str | None = None,
        ) -> Item:
            assert session
            data = {"day": day, "mark": mark}
            return remote.update(event_id, data, key=key, if_version=if_version)

        return {"move_connected": move_connected}
