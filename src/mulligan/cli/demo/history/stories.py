"""What people ask of the office's agents, and the mistakes that those make at it.

Each story is one turn: who is asked, what for, and what the agent does. It goes through `m.act`
like any other; what it leaves in the store is what the pipeline makes of it.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from mulligan.app.mulligan import Mulligan
from mulligan.cli.demo.history.office import (
    CHANNELS,
    CURRENCIES,
    CUSTOMERS,
    ROOMS,
    Office,
    OfficeTools,
)
from mulligan.core.runtime.dataclass import dataclass
from mulligan.runtime.context import OpenTurn

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
EVENTS = ("standup", "review", "dentist", "lunch", "interview", "retro")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentShift:
    """One agent at work: the tools, the office behind them, and how careful it is today."""

    m: Mulligan
    desk: OfficeTools
    office: Office
    chance: random.Random
    slips: float
    """The share of calls that it gets wrong where nothing tells it better."""
    edits: float = 0.12
    """The share of wrong moves that a person has changed again before they are put back."""

    def is_slip(self, tool: str, word: str = "") -> bool:
        """Whether it falls for a habit of a tool; less likely where its prompt warns of it."""
        warned = word and word in self.m.pitfalls(tool)
        return self.chance.random() < (self.slips * 0.15 if warned else self.slips)


Story = Callable[[AgentShift], Awaitable[None]]


async def ask_about_customer(shift: AgentShift) -> None:
    """A search, with more asked for than the remote gives."""
    name = shift.chance.choice(CUSTOMERS)

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        limit = 100 if shift.is_slip("find_customers", "50") else 10
        try:
            found = await shift.desk.find_customers(name[:3], limit)
        except ValueError:
            found = await shift.desk.find_customers(name[:3], 50)
        return f"There is {len(found)} customer of that name: {name}."

    await _act(
        shift,
        f"Which customers are called {name[:3]}…?",
        act,
        by="support",
        purpose="looking customers up",
    )


async def tell_the_channel(shift: AgentShift) -> None:
    """A message; the sign before a channel is easily left out."""
    channel = shift.chance.choice(CHANNELS)

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        written = channel[1:] if shift.is_slip("post_message", "#") else channel
        try:
            await shift.desk.post_message(written, "The export is ready.")
        except ValueError:
            if shift.chance.random() < 0.75:
                await shift.desk.post_message(channel, "The export is ready.")
        return f"I told {channel}."

    await _act(
        shift,
        f"Tell {channel} that the export is ready",
        act,
        by="support",
        purpose="telling a channel",
    )


async def write_invoice(shift: AgentShift) -> None:
    """An invoice whose currency is written in small letters now and then."""
    customer, currency = shift.chance.choice(CUSTOMERS), shift.chance.choice(CURRENCIES)
    amount = float(shift.chance.randrange(20, 900))

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        written = currency.lower() if shift.is_slip("create_invoice", "EUR") else currency
        made = await shift.desk.create_invoice(customer, amount, written)
        return f"Invoice {made['invoice']} to {customer} over {amount:.0f} {currency} is written."

    await _act(
        shift, f"Bill {customer} {amount:.0f} {currency}", act, by="billing", purpose="billing"
    )


async def move_meeting(shift: AgentShift) -> None:
    """A meeting that goes to the wrong day, is put back, and goes to the right one."""
    event, day = shift.chance.choice(EVENTS), shift.chance.choice(DAYS)
    shift.office.events.setdefault(event, ("Monday", 1))

    async def act(turn: OpenTurn) -> str:
        wrong = turn.correction is None and shift.is_slip("move_event")
        other = DAYS[(DAYS.index(day) + 1) % len(DAYS)]
        if turn.correction is None:
            room = "Lime" if shift.is_slip("find_events", "Linden") else ROOMS[0]
            with suppress(LookupError):  # it is what the story is about
                await shift.desk.find_events(room)
        await shift.desk.move_event(event, other if wrong else day)
        if wrong and shift.chance.random() < shift.edits:
            # Somebody else moves it before the review is done: theirs stands.
            shift.office.write_event(event, shift.chance.choice(DAYS))
        return f"The {event} is on {day}."

    await _act(shift, f"Move the {event} to {day}", act, by="planner", purpose="planning meetings")


async def close_ticket(shift: AgentShift) -> None:
    """A ticket whose state the agent calls by another word."""
    ticket = f"T-{shift.chance.randrange(100, 999)}"

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        state = "closed" if shift.is_slip("update_ticket", "solved") else "solved"
        try:
            await shift.desk.update_ticket(ticket, state)
        except ValueError:
            await shift.desk.update_ticket(ticket, "solved")
        return f"{ticket} is solved."

    await _act(shift, f"Close {ticket}", act, by="support", purpose="closing tickets")


async def export_numbers(shift: AgentShift) -> None:
    """A report, in a form that there is not; in bad weeks it fails whatever it is asked."""

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        form = "excel" if shift.is_slip("export_report", "xlsx") else "xlsx"
        try:
            return f"Here it is: {await shift.desk.export_report('quarter', form)}."
        except ValueError:
            return f"Here it is: {await shift.desk.export_report('quarter', 'xlsx')}."
        except RuntimeError:
            return "The export does not work today."

    await _act(shift, "Export the numbers of the quarter", act, by="analyst", purpose="reporting")


async def write_to_customer(shift: AgentShift) -> None:
    """A mail, which cannot be taken back and waits for a person."""
    customer = shift.chance.choice(CUSTOMERS)

    async def act(turn: OpenTurn) -> str:  # noqa: ARG001
        await shift.desk.send_mail(
            f"{customer.lower()}@customer.test", "Your invoice", "It is attached."
        )
        return f"The mail to {customer} is written, and waits for your word."

    await _act(
        shift, f"Mail {customer} the invoice", act, by="billing", purpose="writing to customers"
    )


STORIES: dict[Story, int] = {
    ask_about_customer: 5,
    tell_the_channel: 4,
    write_invoice: 5,
    move_meeting: 5,
    close_ticket: 4,
    export_numbers: 2,
    write_to_customer: 1,
}
"""Each with how often it comes."""


async def _act(
    shift: AgentShift,
    message: str,
    agent: Callable[[OpenTurn], Awaitable[str]],
    *,
    by: str,
    purpose: str,
) -> None:
    """Most turns say what they are for; some agents forget to."""
    context = purpose if shift.chance.random() < 0.9 else ""

    async def attempt(turn: OpenTurn) -> Any:
        try:
            return await agent(turn)
        except (ValueError, LookupError):
            return "That did not work."
        except Exception as error:  # noqa: BLE001 - an agent says that it could not, whatever it was
            return f"That did not work: {type(error).__name__}."

    await shift.m.act(message, attempt, agent=by, context=context, now=shift.m.insights.clock())
