"""Thirty days of an invented office, lived through the real pipeline with a clock that is moved.

Each story is one turn: who is asked, what for, and what the agent does. It goes through `m.act`
like any other; what it leaves in the store is what the pipeline makes of it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.app.mulligan import Mulligan
from mulligan.loops.drafts import DraftRules
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Memory, Settings
from mulligan.types.action import State
from mulligan.types.lesson import LessonQuery, LessonState
from mulligan.types.limits import Backoff
from mulligan.types.notes import Refinement
from mulligan.types.reply import Critique, Draft
from mulligan.types.task import Experience, Reflect, Task
from mulligan_demo.office import (
    CHANNELS,
    CURRENCIES,
    CUSTOMERS,
    ROOMS,
    Office,
    OfficeTools,
    declare_tools,
)
from mulligan_testing.fakes import FixedClock

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
EVENTS = ("standup", "review", "dentist", "lunch", "interview", "retro")


class AgentShift(Struct, frozen=True, kw_only=True):
    """One agent at work: the tools, the office behind them, and how careful it is today."""

    m: Mulligan
    desk: OfficeTools
    office: Office
    chance: random.Random
    slips: float
    """The share of calls that it gets wrong where nothing tells it better."""
    edits: float = 0.12
    """The share of wrong moves that a person edits before they are undone."""

    def is_slip(self, tool: str, word: str = "") -> bool:
        """Whether it falls for a habit of a tool; less likely where its prompt warns of it."""
        warned = word and word in self.m.pitfalls(tool)
        return self.chance.random() < (self.slips * 0.15 if warned else self.slips)


Story = Callable[[AgentShift], Awaitable[None]]


async def ask_about_customer(shift: AgentShift) -> None:
    """A search, with more asked for than the remote gives."""
    name = shift.chance.choice(CUSTOMERS)

    async def act(turn: OpenTurn) -> str:
        limit = 100 if shift.is_slip("find_customers", "50") else 10
        try:
            found = await shift.desk.find_customers(name[:3], limit)
        except ValueError:
            found = await shift.desk.find_customers(name[:3], 50)
        return f"There is {len(found)} customer of that name: {name}."

    await _act(
        shift, "support", "looking customers up", f"Which customers are called {name[:3]}…?", act
    )


async def tell_the_channel(shift: AgentShift) -> None:
    """A message; the sign before a channel is easily left out."""
    channel = shift.chance.choice(CHANNELS)

    async def act(turn: OpenTurn) -> str:
        written = channel[1:] if shift.is_slip("post_message", "#") else channel
        try:
            await shift.desk.post_message(written, "The export is ready.")
        except ValueError:
            if shift.chance.random() < 0.75:
                await shift.desk.post_message(channel, "The export is ready.")
        return f"I told {channel}."

    await _act(
        shift, "support", "telling a channel", f"Tell {channel} that the export is ready", act
    )


async def write_invoice(shift: AgentShift) -> None:
    """An invoice whose currency is written in small letters now and then."""
    customer, currency = shift.chance.choice(CUSTOMERS), shift.chance.choice(CURRENCIES)
    amount = float(shift.chance.randrange(20, 900))

    async def act(turn: OpenTurn) -> str:
        written = currency.lower() if shift.is_slip("create_invoice", "EUR") else currency
        made = await shift.desk.create_invoice(customer, amount, written)
        return f"Invoice {made['invoice']} to {customer} over {amount:.0f} {currency} is written."

    await _act(shift, "billing", "billing", f"Bill {customer} {amount:.0f} {currency}", act)


async def move_meeting(shift: AgentShift) -> None:
    """A meeting moved to the wrong day, undone, and moved to the right one."""
    event, day = shift.chance.choice(EVENTS), shift.chance.choice(WEEKDAYS)
    shift.office.events.setdefault(event, ("Monday", 1))

    async def act(turn: OpenTurn) -> str:
        wrong = turn.correction is None and shift.is_slip("move_event")
        other = WEEKDAYS[(WEEKDAYS.index(day) + 1) % len(WEEKDAYS)]
        if turn.correction is None:
            room = "Lime" if shift.is_slip("find_events", "Linden") else ROOMS[0]
            with suppress(LookupError):  # it is what the story is about
                await shift.desk.find_events(room)
        await shift.desk.move_event(event, other if wrong else day)
        if wrong and shift.chance.random() < shift.edits:
            # Another person moves it before the review is done: their edit stays.
            shift.office.write_event(event, shift.chance.choice(WEEKDAYS))
        return f"The {event} is on {day}."

    await _act(shift, "planner", "planning meetings", f"Move the {event} to {day}", act)


async def close_ticket(shift: AgentShift) -> None:
    """A ticket whose state the agent calls by another word."""
    ticket = f"T-{shift.chance.randrange(100, 999)}"

    async def act(turn: OpenTurn) -> str:
        state = "closed" if shift.is_slip("update_ticket", "solved") else "solved"
        try:
            await shift.desk.update_ticket(ticket, state)
        except ValueError:
            await shift.desk.update_ticket(ticket, "solved")
        return f"{ticket} is solved."

    await _act(shift, "support", "closing tickets", f"Close {ticket}", act)


async def export_numbers(shift: AgentShift) -> None:
    """A report, in a form that there is not; in bad weeks it fails whatever it is asked."""

    async def act(turn: OpenTurn) -> str:
        form = "excel" if shift.is_slip("export_report", "xlsx") else "xlsx"
        try:
            return f"Here it is: {await shift.desk.export_report('quarter', form)}."
        except ValueError:
            return f"Here it is: {await shift.desk.export_report('quarter', 'xlsx')}."
        except RuntimeError:
            return "The export does not work today."

    await _act(shift, "analyst", "reporting", "Export the numbers of the quarter", act)


async def write_to_customer(shift: AgentShift) -> None:
    """A mail, which cannot be undone and awaits approval."""
    customer = shift.chance.choice(CUSTOMERS)

    async def act(turn: OpenTurn) -> str:
        await shift.desk.send_mail(
            f"{customer.lower()}@customer.test", "Your invoice", "It is attached."
        )
        return f"The mail to {customer} is ready and awaiting approval."

    await _act(shift, "billing", "writing to customers", f"Mail {customer} the invoice", act)


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
    shift: AgentShift, by: str, purpose: str, message: str, agent: Callable[[OpenTurn], Any]
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


GOOD = (
    "We deliver within three working days, and the parcel can be followed on our page. Returns "
    "are free for thirty days. If anything is missing, answer this mail and we send it at once."
)
SHORT = "Three days."
RATED = 0.3
"""The share of replies that get a rating."""
COMPLAINTS = ("Not what I asked.", "Too short to be of use.", "I had to ask twice.")
BAD = "Honestly, it is a no-brainer: we deliver within three working days, basically."


async def answer_question(m: Mulligan, *, slips: float, chance: random.Random) -> None:
    """A reply that is too short or too chatty at first, now and then to the end."""
    bad = chance.random() < slips
    stubborn = bad and chance.random() < 0.15
    written = iter([chance.choice([SHORT, BAD]) if bad else GOOD])

    async def write(*_: object) -> str:
        return next(written, SHORT if stubborn else GOOD)

    replied = await m.reply(write, query="How long does delivery take?", context=[GOOD])
    if chance.random() < RATED:
        down = chance.random() < (0.6 if bad else 0.1)
        m.rate(replied.id, up=not down, note=chance.choice(COMPLAINTS) if down else "")


async def write_draft(m: Mulligan, *, chance: random.Random) -> None:
    """A draft that gets better with each critique."""
    score = chance.choice([5, 6, 7, 8, 9])

    async def write(*_: object) -> str:
        return f"{GOOD} ({chance.randrange(1000)})"

    async def criticise(_: str, draft: Draft) -> Critique:
        reached = min(10, score + 2 * draft.number)
        return Critique(score=reached, issues=() if reached >= 8 else ("Say when.",))

    await m.draft(
        write, question="What do we tell about delivery?", rules=DraftRules(critics=[criticise])
    )


def build_task(chance: random.Random) -> Task:
    """The weekly report, whose instructions get better over runs."""

    def propose(experience: Experience) -> Refinement:
        return Refinement(
            suggestions=(
                "State the total first.",
                f"Name the three largest orders (seen after run {experience.runs}).",
            ),
            observations=("Runs without a total were sent back.",),
        )

    def score(output: object) -> float:
        base = 0.85 if "Total" in str(output) else 0.55
        return min(1.0, max(0.0, base + chance.gauss(0, 0.08)))

    return Task(
        id="weekly-report",
        description="Summarise this week's orders.",
        expected_output="One paragraph with the total.",
        reflect=Reflect(strategy=propose, score=score, every=8),
    )


async def run_report(m: Mulligan, task: Task) -> None:
    """One run of it: it states the total if the notes say so."""

    async def work(prompt: str) -> str:
        return "Total: 12 orders." if "State the total" in prompt else "There were 12 orders."

    await m.run_task(task, work)


DAYS = 30
TURNS = 900
"""Over all days."""
BROKEN = range(19, 22)
"""Days on which the reports are broken, and again at the end: it comes back."""
SEED = 16
CONTROL = 0.3
"""More than an application would leave alone, so that a month is enough to compare."""


class Lived(Struct, frozen=True, kw_only=True):
    """What the days came to."""

    days: int
    turns: int
    calls: int
    open_actions: int
    lessons: int


def live_days(
    store: str,
    *,
    turns: int = TURNS,
    on_day: Callable[[int], None] = lambda _: None,
) -> Lived:
    """Fill a store with a month of the office that ends now."""
    return asyncio.run(_live(store, turns=turns, now=datetime.now(UTC), on_day=on_day))


async def _live(store: str, *, turns: int, now: datetime, on_day: Callable[[int], None]) -> Lived:
    chance = random.Random(SEED)  # noqa: S311 - a story, and the same each time
    clock = FixedClock(now - timedelta(days=DAYS))
    quick = Backoff(first=timedelta(milliseconds=1), longest=timedelta(milliseconds=4))
    settings = Settings(
        store=store,
        recover=False,
        backoff=quick,
        hold_life=timedelta(hours=30),
        memory=Memory(control=CONTROL),
    )
    async with Mulligan(settings=settings, clock=clock) as m:
        office = Office(chance, let_pass=clock.move)
        desk, task = declare_tools(m, office), build_task(chance)
        month = _Month(m, office, clock, chance, now, desk, task)
        m.check("move_event")(_compare_day)
        for day in range(DAYS):
            on_day(day + 1)
            await month.live_day(day, turns=max(4, round(turns / DAYS * month.choose_load(day))))
        await month.end()
        m.flush()
        return Lived(
            days=DAYS,
            turns=month.turns,
            calls=round(m.insights.figures(timedelta(days=DAYS + 1)).all_calls.calls),
            open_actions=len(m.insights.open_list.actions()),
            lessons=len(m.insights.lesson_list.list_lessons(LessonQuery())),
        )


@dataclass(slots=True)
class _Month:
    """The days as they go by."""

    m: Mulligan
    office: Office
    clock: FixedClock
    chance: random.Random
    now: datetime
    desk: OfficeTools
    task: Task
    turns: int = 0

    def choose_load(self, day: int) -> float:
        """Weekends are quiet, and there is more to do each week."""
        at = self.now - timedelta(days=DAYS - day)
        return (0.35 if at.weekday() >= 5 else 1.2) * (0.8 + 0.4 * day / DAYS)

    async def live_day(self, day: int, *, turns: int) -> None:
        """A day's turns, in the order of its hours, and what is learned from it at night."""
        self.office.broken_export = day in BROKEN or day >= DAYS - 1
        self.office.trouble = 0.12 if day == 12 else 0.03
        begins = self.now - timedelta(days=DAYS - day)
        for minute in sorted(self.chance.uniform(0, 24 * 60 - 5) for _ in range(turns)):
            self._go_to(begins + timedelta(minutes=minute))
            (story,) = self.chance.choices(list(STORIES), list(STORIES.values()))
            await story(self._begin_shift(slips=max(0.08, 0.45 - 0.012 * day)))
            self.turns += 1
        for _ in range(max(2, turns // 8)):
            slips = 0.35 if day < 15 else 0.18
            await answer_question(self.m, slips=slips, chance=self.chance)
        await write_draft(self.m, chance=self.chance)
        for _ in range(3):
            await run_report(self.m, self.task)
        await self._close_day()

    async def end(self) -> None:
        """What is left in front of a person now."""
        self._go_to(self.now - timedelta(minutes=40))
        self.office.trouble = 0
        shift = self._begin_shift(slips=1.0)
        for _ in range(2):
            await write_to_customer(shift)
        for _ in range(2):
            await move_meeting(replace(shift, edits=1.0))
        # Whatever chance gave the month, its last days have one that was put right.
        await move_meeting(replace(shift, edits=0.0))

    def _begin_shift(self, *, slips: float) -> AgentShift:
        return AgentShift(
            m=self.m, desk=self.desk, office=self.office, chance=self.chance, slips=slips
        )

    async def _close_day(self) -> None:
        """A person goes through the open list, and the day's failures become lessons."""
        self.m.flush()
        listed = self.m.insights.open_list
        for action in listed.actions():
            if action.state is State.HELD:
                decide = listed.approve if self.chance.random() < 0.8 else listed.deny
                decide(action.id, by="Mara")
            elif self.chance.random() < 0.8:
                listed.settle(action.id, note="Theirs is right.")
        await self.m.recover()
        lessons = self.m.insights.lesson_list
        lessons.consolidate()
        for seen in lessons.list_lessons(LessonQuery(state=LessonState.CANDIDATE))[:1]:
            if self.chance.random() < 0.3:
                lessons.approve(seen.lesson.id, by="Mara", note="Looks right.")

    def _go_to(self, at: datetime) -> None:
        if at > self.clock.now:
            self.clock.move(at - self.clock.now)


def _compare_day(call: object, turn: object) -> str | None:
    asked = str(getattr(turn, "message", ""))
    day = str(getattr(call, "arguments", {}).get("day"))
    return None if day in asked else f"The person asked for another day than {day}."
