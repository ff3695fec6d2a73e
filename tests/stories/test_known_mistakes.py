"""Mistakes that reviewing loops before this one made, each by name, on the remote's own ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from mulligan import Mulligan, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.runtime.context import OpenTurn
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Happened, RemarkDropped
from mulligan.types.finding import Severity
from mulligan_testing.fakes import ScriptedJudge
from mulligan_testing.remote import FakeRemote, Fault
from tests.world import World, Worlds, fill

MONDAY = datetime(2025, 10, 20, 9, 0, tzinfo=UTC)
ZONE = "America/New_York"
WEDNESDAY, FRIDAY, SATURDAY = "2025-10-22", "2025-10-24", "2025-10-25"
CONTENT = Opinion(findings=(), confirmed=True)
SHOWCASE = Opinion(
    findings=(
        Remark(
            area=Area.DATE,
            severity=Severity.ERROR,
            call=1,
            issue="User asked for 'next Friday' but the date 2025-10-24 is actually a Thursday",
            correction="Change the date to 2025-10-25 which is the actual Friday",
        ),
    ),
    confirmed=False,
)


Open = Callable[..., Awaitable[World]]


@pytest.fixture
def opened(worlds: Worlds, tmp_path: Path) -> Open:
    """A family's calendar with two events, and the reviewers that a test wants."""
    remote = fill(FakeRemote(tmp_path / "family"), "dinner", "dentist", day=WEDNESDAY)
    return partial(worlds, remote=remote, about={"now": MONDAY, "timezone": ZONE})


@contextmanager
def heard(m: Mulligan) -> Iterator[list[Happened]]:
    events: list[Happened] = []
    m.subscribe(events.append)
    yield events
    m.flush()


async def test_the_showcase_that_calls_a_friday_a_thursday_takes_nothing_back(opened: Open) -> None:
    family = await opened(judge=ScriptedJudge([SHOWCASE]))

    async def agent(turn: OpenTurn) -> str:
        await family.move("dinner", FRIDAY)
        return "Moved."

    with heard(family.m) as events:
        done = await family.act(agent, "Move dinner to next Friday")

    dropped = [(e.part, e.why) for e in events if isinstance(e, RemarkDropped)]
    assert (done.standing, len(done.attempts)) == (Standing.ACCEPTED, 1)
    assert dropped == [("finding", "date.weekday")]
    assert family.days()["dinner"] == FRIDAY
    assert family.undos() == 0


async def test_restored_is_not_said_of_an_undo_that_failed(opened: Open) -> None:
    family = await opened(checks=[dates_as_said()])
    family.remote.plan(*[Fault.FORBIDDEN] * 9, by="undo")

    async def agent(turn: OpenTurn) -> str:
        assert turn.correction is None
        await family.move("dinner", SATURDAY)
        return "Moved."

    done = await family.act(agent, "Move dinner to Friday")

    assert "Still in effect:\n- Move (event id: dinner" in str(done.reply)
    assert "taken back" not in str(done.reply)
    assert family.states() == [State.UNDO_FAILED]
    assert family.days()["dinner"] == SATURDAY


async def test_a_delete_has_an_undo(opened: Open) -> None:
    family = await opened(checks=[dates_as_said()])

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await family.delete("dentist")
            await family.move("dinner", SATURDAY)
        return "Done."

    await family.act(agent, "Move dinner to Friday")

    assert family.days() == {"dinner": WEDNESDAY, "dentist": WEDNESDAY}
    assert family.states() == []


async def test_a_second_update_of_one_event_keeps_the_first_pre_image(opened: Open) -> None:
    family = await opened(checks=[dates_as_said()])

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await family.move("dinner", "2025-10-23")
            await family.move("dinner", SATURDAY)
        return "Done."

    await family.act(agent, "Move dinner to Friday")

    assert family.days()["dinner"] == WEDNESDAY
    assert family.undos() == 2


async def test_turns_of_one_family_at_once_share_no_state(opened: Open) -> None:
    family = await opened(checks=[dates_as_said()])
    both = asyncio.Barrier(2)

    def moving(event: str, day: str) -> Callable[[OpenTurn], object]:
        async def agent(turn: OpenTurn) -> str:
            if turn.correction is None:
                await family.move(event, day)
                await both.wait()
            return "Done."

        return agent

    about = {"now": MONDAY, "timezone": ZONE, "tenant": "one family"}
    wrong, right = await asyncio.gather(
        family.m.act("Move dinner to Friday", moving("dinner", SATURDAY), **about),
        family.m.act("Move the dentist to Friday", moving("dentist", FRIDAY), **about),
    )

    assert (len(wrong.attempts), len(right.attempts)) == (2, 1)
    assert family.days() == {"dinner": WEDNESDAY, "dentist": FRIDAY}
    assert family.undos() == 1


async def test_an_unknown_zone_is_no_city_and_gives_no_fact(opened: Open) -> None:
    judge = ScriptedJudge([CONTENT])
    family = await opened(judge=judge, checks=[dates_as_said()])

    async def agent(turn: OpenTurn) -> str:
        await family.move("dinner", SATURDAY)
        return "Moved."

    done = await family.m.act("Move dinner to Friday", agent, now=MONDAY)

    [asked] = judge.questions
    assert asked.values["now"].endswith("(UTC; where the person is, is not known)")
    assert "Friday" not in asked.values["facts"]
    assert (done.findings, family.undos()) == ((), 0)
    with pytest.raises(ConfigurationError, match="Nobody knows the time zone 'Mars/Phobos'"):
        await family.m.act("Move dinner to Friday", agent, now=MONDAY, timezone="Mars/Phobos")


async def test_an_outage_does_not_mean_valid(opened: Open) -> None:
    family = await opened(judge=ScriptedJudge([None, CONTENT]))

    async def agent(turn: OpenTurn) -> str:
        await family.move("dinner", FRIDAY)
        return "Moved."

    done = await family.act(agent, "Move dinner to Friday")
    left = family.states()
    await family.m.recover()

    assert (done.standing, done.confidence) == (Standing.UNREVIEWED, None)
    assert left == [State.PENDING_REVIEW]
    assert family.states() == []
