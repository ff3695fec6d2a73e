"""A store that an application has really filled: holds, a failed undo, repairs, failures."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from mulligan import Effect, Mulligan
from mulligan.types.call import Record

MAIL = "We start at eight"


def run_apart(work: Coroutine[Any, Any, object]) -> None:
    """Run it on a thread of its own: that of the browser has a loop already."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


@dataclass
class Stage:
    """An application with a calendar and mail, and what really became of both."""

    m: Mulligan
    days: dict[str, str] = field(default_factory=lambda: {"dinner": "Friday"})
    sent: list[str] = field(default_factory=list)
    undo_works: bool = True
    refusals: int = 0
    """How many of the next searches find nobody there."""

    def __post_init__(self) -> None:
        m = self.m

        @m.tool(effect=Effect.READ)
        def find_events(limit: int) -> list[str]:
            if self.refusals:
                self.refusals -= 1
                raise ConnectionRefusedError("no calendar")
            return list(self.days)

        @m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: self.days[record.arguments["event"]],
            undo=self.put_back,
        )
        async def move_event(event: str, day: str) -> str:
            self.days[event] = day
            return day

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def send_mail(subject: str, text: str) -> None:
            self.sent.append(subject)

        @m.tool
        def share_file(name: str) -> None:
            raise PermissionError(f"not for {name}")

        @m.check("move_event")
        def day_as_asked(call: Any, turn: Any) -> str | None:
            return None if call.arguments["day"] in turn.message else "Nobody asked for that day."

        self.find_events, self.move_event = find_events, move_event
        self.send_mail, self.share_file = send_mail, share_file

    def put_back(self, record: Record) -> None:
        if not self.undo_works:
            raise OSError("the calendar is down")
        self.days[record.arguments["event"]] = str(record.before)

    async def hold(self, subject: str = "Picnic", *, text: str = MAIL) -> None:
        """Have a mail wait for a person."""
        async with self.m.turn(f"Tell them: {subject}", agent="planner", context="planning"):
            await self.send_mail(subject, text)

    async def fail_undo(self, day: str = "Sunday") -> None:
        """Leave an event on the wrong day, because its undo does not work."""
        self.undo_works = False

        async def agent(turn: Any) -> str:
            await self.move_event("dinner", day)
            return "Moved."

        await self.m.act("Move dinner to Thursday", agent, agent="planner")
        self.undo_works = True

    async def fail(self, *, repaired: int = 1) -> None:
        """Searches that find nobody there at first, and one call that is not permitted."""
        async with self.m.turn("What is on?", agent="helper", context="looking"):
            for _ in range(repaired):
                self.refusals = 1
                self.find_events(3)
            self.find_events(4)
            with contextlib.suppress(PermissionError):  # it is to be seen on a page
                self.share_file("Ben")

    async def fill(self) -> None:
        """Some of everything."""
        await self.hold()
        await self.hold("Lunch")
        await self.fail_undo()
        await self.fail()
        self.m.flush()

    def states(self) -> list[str]:
        return sorted(action.state.value for action in self.m.insights.open_list.actions())
