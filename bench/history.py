"""The past of a busy application: its executions, how failures ended, and what was learned.

Three agents use four tools each, evenly over the last day. One call in twenty fails, in one of the
few ways that its tool has. Of these, half are made again, and most of those tries succeed. Every
failure is an episode; there is a lesson for each thousand executions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from mulligan.learning.fingerprint import recognize
from mulligan.types.call import LogRow
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.interfaces import Store
from mulligan.types.lesson import (
    Ending,
    Episode,
    Group,
    How,
    Kind,
    Lesson,
    LessonState,
    Offer,
    Origin,
    Pattern,
    Remedy,
    Transformation,
)
from mulligan.types.log import Batch, roll_up
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us

AGENTS, TOOLS_EACH, WAYS = 3, 4, 8
TENANT = "home"
MOST_LESSONS = 1_000
LEFT_ALONE = 4
"""One failure in so many is in the control group."""
AT_A_TIME = 4_096
REMEDY = Remedy(changes=(Transformation(argument="place", how=How.PREFIX, given={"text": "#"}),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a suggestion is looked up by."""

    tool: str
    fingerprint: str
    template: str


def fill(
    store: Store,
    *,
    rows: int,
    until: datetime,
    step: Callable[[], None],
    span: timedelta = timedelta(days=1),
    at_a_time: int = AT_A_TIME,
    most_episodes: int | None = None,
    tenant: str = TENANT,
    offering: bool = False,
) -> list[Known]:
    """Put a past into a store, through the store's own doors. Gives what there are lessons for.

    `most_episodes`: of how many failures of a batch there is an episode, else of all: each is
    written alone, and who asks only for counts need not wait for the others. `tenant`: as the
    store knows it, where turns of that tenant are to find it. `offering`: for failures of a tool
    its lessons were offered, each as often as the others.
    """
    known = lessons_of(rows) if offering else 0
    for some in _batches(rows, until=until, span=span, at_a_time=at_a_time, tenant=tenant):
        failed = {row.id: recognize(row) for row in some if row.outcome == "failure"}
        store.log.write(Batch(rows=some, rollups=roll_up(some), patterns=failed))
        chosen = [row for row in some if row.id in failed][:most_episodes]
        store.failures.record([build_episode(row, failed[row.id], lessons=known) for row in chosen])
        step()
    lessons = [_lesson(number, at=until, tenant=tenant) for number in range(lessons_of(rows))]
    store.failures.append(lessons)
    return [
        Known(tool=each.tool, fingerprint=each.fingerprint, template=each.when) for each in lessons
    ]


def lessons_of(rows: int) -> int:
    """How many lessons are drawn from so many executions."""
    return min(MOST_LESSONS, max(1, rows // 1_000))


def batches_of(rows: int, *, at_a_time: int = AT_A_TIME) -> int:
    """How many steps it takes to fill in so many executions."""
    return -(-rows // at_a_time)


def _batches(
    rows: int, *, until: datetime, span: timedelta, at_a_time: int, tenant: str
) -> Iterator[list[LogRow]]:
    chance = random.Random(f"history of {rows}")
    span_us = span // timedelta(microseconds=1)
    first_us = to_us(until, name="until") - span_us
    for start in range(0, rows, at_a_time):
        numbers = range(start, min(start + at_a_time, rows))
        made: list[LogRow] = []
        for number in numbers:
            at_us = first_us + number * span_us // rows
            before = made[-1] if made else None
            again = before if before and before.outcome == "failure" else None
            if again and again.try_number == 1 and chance.random() < 0.5:
                failed = chance.random() < 0.3
                made.append(build_row(chance, at_us, failed=failed, first=again, tenant=tenant))
            else:
                failed = chance.random() < 0.05
                made.append(build_row(chance, at_us, failed=failed, tenant=tenant))
        yield made


def build_row(
    chance: random.Random,
    at_us: int,
    *,
    failed: bool,
    first: LogRow | None = None,
    tenant: str = TENANT,
) -> LogRow:
    """One execution, as the log has it; `first`: the try that it is made after."""
    agent = chance.randrange(AGENTS)
    tool = _tool(agent * TOOLS_EACH + chance.randrange(TOOLS_EACH))
    return LogRow(
        id=make_uuid7(at_us, chance.getrandbits(RANDOM_BITS)),
        at_us=at_us,
        tenant=tenant,
        agent=first.agent if first else f"agent {agent}",
        server="desk",
        tool=first.tool if first else tool,
        parameters='{"place":"<text 9 1c0e77aa>","day":"2026-11-20","limit":10}',
        context="planning the week",
        outcome="failure" if failed else "success",
        duration_us=int(20_000 * chance.lognormvariate(0, 0.7)),
        error_class="validation" if failed else None,
        error_type="RefusedError" if failed else None,
        error_message=_message(chance.randrange(WAYS), chance) if failed else None,
        error_code="422" if failed else None,
        error_at="desk.py:42" if failed else None,
        result=None if failed else '{"id":"<text 12 9f2c41aa>","ok":true}',
        try_number=2 if first else 1,
        parent=first.id if first else None,
        turn=None,
        weight=1.0,
    )


def _tool(number: int) -> str:
    return f"desk_tool_{number}"


def _message(way: int, chance: random.Random) -> str:
    reasons = ("unknown", "closed", "full", "ambiguous", "too far", "too late", "private", "odd")
    return f"place {chance.randrange(10**6)} is {reasons[way % WAYS]}: give another"


def build_episode(row: LogRow, pattern: Pattern, *, lessons: int = 0) -> Episode:
    """How a failure ended: well, by a repair. `lessons`: of how many one was offered."""
    offer = _offer(row, lessons=lessons)
    left_alone = int(row.id[-1], 16) % LEFT_ALONE == 0
    return Episode(
        id=row.id,
        at=from_us(row.at_us),
        tool=row.tool,
        server=row.server,
        fingerprint=pattern.fingerprint,
        error_class=pattern.error_class,
        template=pattern.template,
        tenant=row.tenant,
        agent=row.agent,
        context=row.context,
        ending=Ending.REPAIRED,
        decision=Decision.REPAIR,
        remedies=(REMEDY,),
        offer=offer,
        group=None if offer is None else (Group.CONTROL if left_alone else Group.TREATED),
        calls=1,
    )


def _offer(row: LogRow, *, lessons: int) -> Offer | None:
    """Of as many lessons, one that is about the row's tool."""
    fitting = range(int(row.tool.rpartition("_")[2]), lessons, AGENTS * TOOLS_EACH)
    if not fitting:
        return None
    number = fitting[int(row.id[-6:-1], 16) % len(fitting)]
    return Offer(
        source=Origin.MEMORY,
        kinds=(Kind.REFORMAT,),
        probability=0.7,
        n=9,
        lesson=f"lesson {number}",
        taken=True,
        helped=True,
    )


def _lesson(number: int, *, at: datetime, tenant: str) -> Lesson:
    tool = _tool(number % (AGENTS * TOOLS_EACH))
    said = f"place <number> is refused for reason {number}"
    return Lesson(
        id=f"lesson {number}",
        version=1,
        tool=tool,
        tenant=tenant,
        fingerprint=f"1:{number:016x}",
        error_class=ErrorClass.VALIDATION,
        when=said,
        statement=f"The place begins with a number sign where reason {number} is given.",
        mistake="the sign is left out",
        correction="put it in front",
        example=('{"place": "<text>"}', '{"place": "#<text>"}'),
        remedy=REMEDY,
        state=LessonState.ACTIVE,
        by="a person",
        learned_at=at,
    )
