"""The family's application: its tools on the calendar, and what each can do about its own calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from rich.console import Console

from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.checks.dates import dates_as_said
from mulligan.cli.demo.calendar import Calendar, in_words
from mulligan.cli.demo.telling import Teller
from mulligan.core.effect import Effect
from mulligan.core.errors import ConflictError
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.record import Record
from mulligan.loops.actions import Attempted
from mulligan.testing.remote import Item, RemoteError

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"
OTHER_VERSION = 412
"""What the calendar answers when an event is not at the version that was asked for."""

Tool = Callable[[str, str], Awaitable[Item]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A `Mulligan` and its tools. Every process of the story declares the same ones."""

    m: Mulligan
    calendar: Calendar
    tell: Teller
    move_event: Tool
    add_event: Tool
    mail_invitation: Callable[[str, str], Awaitable[object]]


@asynccontextmanager
async def open_family(
    store: str, calendar: Calendar, *, tell: Teller | None = None
) -> AsyncIterator[Family]:
    """The application on a store. It recovers when the story says so, not on a timer."""
    tell = tell or Teller(Console(quiet=True))
    checks = [_aloud(dates_as_said(), tell)]
    settings = Settings(store=store, recover=False)
    async with Mulligan(checks=checks, settings=settings) as m:
        yield Family(
            m=m,
            calendar=calendar,
            tell=tell,
            move_event=_moving(m, calendar, tell),
            add_event=_adding(m, calendar, tell),
            mail_invitation=_mailing(m, calendar, tell),
        )


def _moving(m: Mulligan, calendar: Calendar, tell: Teller) -> Tool:
    async def get_event(record: Record) -> Item | None:
        return await calendar.get(str(record.arguments["event_id"]))

    async def put_back(record: Record) -> None:
        before = cast("Item", record.before)
        tell.undo(f"back to {in_words(before.data)}, if it is still at {record.version}")
        async with _conflicts_named():
            await calendar.update(before.id, before.data, if_version=record.version, by="undo")

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=get_event,
        undo=put_back,
        version=_version,
        probe=_looking(calendar, tell),
        key="key",
        allow=["event_id", "day"],
    )
    async def move_event(event_id: str, day: str, key: str | None = None) -> Item:
        title = event_id.capitalize()
        moved = await calendar.update(event_id, {"title": title, "day": day}, key=key)
        tell.call("move_event", event_id, day, came=f"200 OK, now at {moved.version}")
        return moved

    return move_event


def _adding(m: Mulligan, calendar: Calendar, tell: Teller) -> Tool:
    async def get_event(record: Record) -> Item | None:
        return await calendar.get(record.key)

    async def remove(record: Record) -> None:
        tell.undo(f"remove it, if it is still at {record.version}")
        async with _conflicts_named():
            await calendar.delete(record.key, if_version=record.version, by="undo")

    @m.tool(
        effect=Effect.REVERSIBLE,
        read=get_event,
        undo=remove,
        version=_version,
        probe=_looking(calendar, tell),
        key="key",
        allow=["day"],
    )
    async def add_event(title: str, day: str, key: str = "") -> Item:
        try:
            added = await calendar.create({"title": title, "day": day}, id=key, key=key)
        except ConnectionError as error:
            tell.call("add_event", title, day, came=str(error))
            raise
        tell.call("add_event", title, day, came=f"200 OK, now at {added.version}")
        return added

    return add_event


def _mailing(
    m: Mulligan, calendar: Calendar, tell: Teller
) -> Callable[[str, str], Awaitable[object]]:
    @m.tool(effect=Effect.IRREVERSIBLE)
    async def mail_invitation(whom: str, day: str) -> Item:
        mail = {"title": f"Mail to {whom}", "day": day}
        sent = await calendar.create(mail, id=f"mail to {whom}")
        tell.call("mail_invitation", whom, day, came="sent")
        return sent

    return mail_invitation


def _looking(calendar: Calendar, tell: Teller) -> Callable[[Record], Awaitable[Item | None]]:
    """Did a call land that gave no answer? The calendar remembers keys."""

    async def look_for(record: Record) -> Item | None:
        found = await calendar.answer_to(record.key)
        tell.look(f"by its key: {in_words(found.data)} is there" if found else "it is not there")
        return found

    return look_for


def _version(record: Record) -> str:
    return cast("Item", record.result).version


@asynccontextmanager
async def _conflicts_named() -> AsyncIterator[None]:
    """The calendar's own word for a conflict, in Mulligan's."""
    try:
        yield
    except RemoteError as error:
        if error.status == OTHER_VERSION:
            raise ConflictError(str(error)) from error
        raise


def _aloud(check: Check[Attempted], tell: Teller) -> Check[Attempted]:
    """A check whose findings are heard at once."""

    def aloud(attempted: Attempted) -> Iterator[Finding]:
        for finding in check(attempted):
            tell.finding(finding.issue)
            yield finding

    return aloud
