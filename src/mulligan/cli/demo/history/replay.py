"""Thirty days, hour by hour: the clock is moved, everything else is as always."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.cli.demo.history.office import Office, declare_desk
from mulligan.cli.demo.history.stories import STORIES, AgentShift, move_meeting, write_to_customer
from mulligan.cli.demo.history.texts import answer_question, build_task, run_report, write_draft
from mulligan.core.action import State
from mulligan.core.failures.lesson import LessonQuery, LessonState
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.waiting.limits import Backoff
from mulligan.testing.fakes import FixedClock

DAYS = 30
TURNS = 900
"""Over all days."""
BROKEN = range(19, 22)
"""Days on which the reports are broken, and again at the end: it comes back."""
SEED = 16
CONTROL = 0.3
"""More than an application would leave alone, so that a month is enough to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
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
    now: datetime | None = None,
    on_day: Callable[[int], None] = lambda _: None,
) -> Lived:
    """Fill a store with a month of the office that ends now."""
    return asyncio.run(_live(store, turns=turns, now=now or datetime.now(UTC), on_day=on_day))


async def _live(store: str, *, turns: int, now: datetime, on_day: Callable[[int], None]) -> Lived:
    chance = random.Random(SEED)  # noqa: S311 - a story, and the same each time
    clock = FixedClock(now - timedelta(days=DAYS))
    quick = Backoff(first=timedelta(milliseconds=1), longest=timedelta(milliseconds=4))
    settings = Settings(
        store=store, recover=False, backoff=quick, hold_life=timedelta(hours=30), control=CONTROL
    )
    async with Mulligan(settings=settings, clock=clock) as m:
        office = Office(chance, let_pass=clock.move)
        month = _Month(m=m, office=office, clock=clock, chance=chance, now=now)
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


class _Month:
    """The days as they go by."""

    def __init__(
        self,
        *,
        m: Mulligan,
        office: Office,
        clock: FixedClock,
        chance: random.Random,
        now: datetime,
    ) -> None:
        self._m = m
        self._office = office
        self._clock = clock
        self._chance = chance
        self._now = now
        self._desk = declare_desk(m, office)
        self._task = build_task(chance)
        self.turns = 0
        _add_check(m)

    def choose_load(self, day: int) -> float:
        """Weekends are quiet, and there is more to do each week."""
        at = self._now - timedelta(days=DAYS - day)
        return (0.35 if at.weekday() >= 5 else 1.2) * (0.8 + 0.4 * day / DAYS)

    async def live_day(self, day: int, *, turns: int) -> None:
        """A day's turns, in the order of its hours, and what is learned from it at night."""
        self._office.broken_export = day in BROKEN or day >= DAYS - 1
        self._office.trouble = 0.12 if day == 12 else 0.03
        begins = self._now - timedelta(days=DAYS - day)
        for minute in sorted(self._chance.uniform(0, 24 * 60 - 5) for _ in range(turns)):
            self._go_to(begins + timedelta(minutes=minute))
            await self._live_turn(day)
        for _ in range(max(2, turns // 8)):
            slips = 0.35 if day < 15 else 0.18
            await answer_question(self._m, slips=slips, chance=self._chance)
        await write_draft(self._m, chance=self._chance)
        for _ in range(3):
            await run_report(self._m, self._task)
        await self._close_day()

    async def end(self) -> None:
        """What is left in front of a person now."""
        self._go_to(self._now - timedelta(minutes=40))
        shift = self._begin_shift(slips=1.0)
        for _ in range(2):
            await write_to_customer(shift)
        for _ in range(2):
            await move_meeting(replace(shift, edits=1.0))
        await move_meeting(shift)

    async def _live_turn(self, day: int) -> None:
        slips = max(0.08, 0.45 - 0.012 * day)
        (story,) = self._chance.choices(list(STORIES), list(STORIES.values()))
        await story(self._begin_shift(slips=slips))
        self.turns += 1

    def _begin_shift(self, *, slips: float) -> AgentShift:
        return AgentShift(
            m=self._m, desk=self._desk, office=self._office, chance=self._chance, slips=slips
        )

    async def _close_day(self) -> None:
        """A person goes through the open list, and the day's failures become lessons."""
        self._m.flush()
        listed = self._m.insights.open_list
        for action in listed.actions():
            if action.state is State.HELD:
                decide = listed.approve if self._chance.random() < 0.8 else listed.deny
                decide(action.id, by="Mara")
            elif self._chance.random() < 0.8:
                listed.settle(action.id, note="Theirs is right.")
        await self._m.recover()
        lessons = self._m.insights.lesson_list
        lessons.consolidate()
        for seen in lessons.list_lessons(LessonQuery(state=LessonState.CANDIDATE))[:1]:
            if self._chance.random() < 0.3:
                lessons.approve(seen.lesson.id, by="Mara", note="Looks right.")

    def _go_to(self, at: datetime) -> None:
        if at > self._clock.now:
            self._clock.move(at - self._clock.now)


def _add_check(m: Mulligan) -> None:
    @m.check("move_event")
    def compare_day(call: object, turn: object) -> str | None:
        asked = str(getattr(turn, "message", ""))
        day = str(getattr(call, "arguments", {}).get("day"))
        return None if day in asked else f"The person asked for another day than {day}."
