"""The office: what its remotes hold and refuse, and the tools that agents have for them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from msgspec import Struct

from mulligan.app.mulligan import Mulligan
from mulligan.runtime.declaration import Arguments
from mulligan.types.call import Record
from mulligan.types.effect import Effect, Mode, Repeat
from mulligan.types.errors import ConflictError

CUSTOMERS = ("Abel", "Brandt", "Costa", "Dahl", "Ekwueme", "Fischer", "Gomez", "Haas")
CURRENCIES = ("EUR", "USD", "GBP", "CHF")
CHANNELS = ("#general", "#billing", "#support", "#on-call")
ROOMS = ("Linden", "Ahorn", "Birke")


class RateLimitedError(Exception):
    """What the ticket desk says when too many ask."""

    status_code = 429


class UnavailableError(Exception):
    """What a remote says that is down for a moment."""

    status_code = 503


@dataclass(slots=True)
class Office:
    """The remotes, behind no network: what is in them, and how they are today."""

    chance: random.Random
    let_pass: Callable[[timedelta], None] = lambda _: None
    """Moves the clock on by what an answer takes."""
    events: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Day and version by event."""
    invoices: dict[str, tuple[str, float]] = field(default_factory=dict)
    mails: list[str] = field(default_factory=list)
    trouble: float = 0.05
    """The share of requests that meet with a remote that is down for a moment."""
    broken_export: bool = False
    """The report tool of these days fails, whatever it is asked."""

    async def answer(self, typical_ms: float) -> None:
        """Take as long as a remote does, and sometimes do not answer."""
        seconds = min(0.04, self.chance.lognormvariate(0, 0.6) * typical_ms / 1000)
        await asyncio.sleep(seconds)
        self.let_pass(timedelta(seconds=seconds))
        if self.chance.random() < self.trouble:
            raise UnavailableError("503 Service Unavailable: try again later")

    def write_event(self, event: str, day: str) -> dict[str, object]:
        """Put an event on a day, under a new version."""
        version = self.events.get(event, ("", 0))[1] + 1
        self.events[event] = (day, version)
        return {"event": event, "day": day, "version": str(version)}

    def read_event(self, record: Record) -> dict[str, object]:
        """What the calendar has now."""
        event = str(record.arguments["event"])
        day, version = self.events[event]
        return {"event": event, "day": day, "version": str(version)}

    def put_event_back(self, record: Record) -> None:
        """Undo a move, unless it was edited since."""
        before: Any = record.before
        _, version = self.events[before["event"]]
        if str(version) != record.version:
            raise ConflictError("it was moved since")
        self.events[before["event"]] = (before["day"], version + 1)

    def remove_invoice(self, record: Record) -> None:
        """Undo an invoice."""
        made: Any = record.result
        self.invoices.pop(made["invoice"], None)


AsyncTool = Callable[..., Awaitable[Any]]


class OfficeTools(Struct, frozen=True, kw_only=True):
    """The tools as an application has declared them."""

    find_customers: AsyncTool
    find_events: AsyncTool
    move_event: AsyncTool
    create_invoice: AsyncTool
    post_message: AsyncTool
    send_mail: AsyncTool
    update_ticket: AsyncTool
    export_report: AsyncTool


def declare_tools(m: Mulligan, office: Office) -> OfficeTools:
    """Declare every tool of the office."""
    tools = (*_declare_reads(m, office), *_declare_writes(m, office))
    return OfficeTools(**{tool.__name__: tool for tool in tools})


def _declare_reads(m: Mulligan, office: Office) -> tuple[AsyncTool, ...]:
    @m.tool(effect=Effect.READ, server="crm", arguments=Arguments(allow=("query",)))
    async def find_customers(query: str, limit: int = 10) -> list[str]:
        await office.answer(6)
        if limit > 50:
            raise ValueError(f"limit must be less than or equal to 50, got {limit}")
        return [name for name in CUSTOMERS if query.lower() in name.lower()][:limit]

    @m.tool(effect=Effect.READ, server="calendar")
    async def find_events(room: str) -> list[dict[str, str]]:
        await office.answer(3)
        if room not in ROOMS:
            raise LookupError(f"Room {room} does not exist; rooms are Linden, Ahorn, Birke")
        return [{"event": name, "day": day} for name, (day, _) in office.events.items()][:5]

    @m.tool(effect=Effect.READ, server="reports", arguments=Arguments(allow=("name",)))
    async def export_report(name: str, form: str = "csv") -> str:
        await office.answer(9)
        if office.broken_export:
            raise RuntimeError("Template 'quarter' has no column 'net_total'")
        if form not in ("csv", "xlsx"):
            raise ValueError(f"form must be one of 'csv', 'xlsx', got '{form}'")
        return f"{name}.{form}"

    return find_customers, find_events, export_report


def _declare_writes(m: Mulligan, office: Office) -> tuple[AsyncTool, ...]:
    @m.tool(
        effect=Effect.REVERSIBLE,
        server="calendar",
        before=office.read_event,
        undo=office.put_event_back,
        version=lambda record: str(_read_result(record)["version"]),
        about=lambda record: record.arguments["event"],
        arguments=Arguments(allow=("event", "day")),
    )
    async def move_event(event: str, day: str) -> dict[str, object]:
        await office.answer(4)
        return office.write_event(event, day)

    @m.tool(
        effect=Effect.REVERSIBLE,
        server="billing",
        mode=Mode.AUTO,
        undo=office.remove_invoice,
        read=lambda record: office.invoices.get(str(_read_result(record)["invoice"])),
    )
    async def create_invoice(customer: str, amount: float, currency: str) -> dict[str, object]:
        await office.answer(8)
        if currency not in CURRENCIES:
            raise ValueError(f"currency must be one of {', '.join(CURRENCIES)}, got {currency}")
        name = f"INV-{2000 + len(office.invoices)}"
        office.invoices[name] = (customer, amount)
        return {"invoice": name, "customer": customer}

    @m.tool(effect=Effect.READ, server="chat")
    async def post_message(channel: str, text: str) -> str:
        await office.answer(3)
        if not channel.startswith("#"):
            raise ValueError(f"Channel {channel} not found; write it as the list has it")
        return f"{channel}: {len(text)}"

    @m.tool(effect=Effect.IRREVERSIBLE, server="mail", describe="Mail {subject} to {to}")
    async def send_mail(to: str, subject: str, text: str) -> None:
        await office.answer(5)
        office.mails.append(f"{to}: {subject} ({len(text)})")

    @m.tool(
        effect=Effect.READ,
        repeat=Repeat.IDEMPOTENT,
        server="desk",
        arguments=Arguments(allow=("ticket",)),
    )
    async def update_ticket(ticket: str, state: str) -> str:
        await office.answer(4)
        if office.chance.random() < office.trouble:
            raise RateLimitedError("429 Too Many Requests")
        if state not in ("open", "waiting", "solved"):
            raise ValueError(f"state must be one of 'open', 'waiting', 'solved', got '{state}'")
        return f"{ticket}: {state}"

    return move_event, create_invoice, post_message, send_mail, update_ticket


def _read_result(record: Record) -> dict[str, object]:
    made: Any = record.result
    return dict(made)
