"""A rejected attempt is rejected as a whole: also what comes back, lands or shows only later."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Remote, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from mulligan_testing.fakes import FixedClock
from tests.stories.effects.family import (
    Family,
    die_after_a_note,
    die_between_two_moves,
    run_until_killed,
)
from tests.stories.effects.world import list_open, make_calendar, open_app

BUS_ONLY = "Book a bus"


def reject_two(attempted: Attempted) -> Iterator[Finding]:
    """Each call on its own would be right: only both of them are wrong."""
    if len(attempted.executions) > 1:
        yield Finding(rule="story.two", severity=Severity.ERROR, issue="One thing was wanted.")


class Desk:
    """Bookings by their key; some come late, and some undos are slow."""

    def __init__(self, m: Mulligan, **declared: Any) -> None:
        self.booked: dict[str, str] = {}
        self.late: list[tuple[str, str]] = []
        self.gate = asyncio.Event()
        self.undoing = asyncio.Event()

        async def take_off(record: Record) -> None:
            self.undoing.set()
            await asyncio.sleep(0)
            self.booked.pop(record.key)

        def find(record: Record) -> str | None:
            return self.booked.get(record.key)

        told: dict[str, Any] = {
            "read": find, "probe": find, "undo": take_off, "key": "key",
            "about": lambda record: record.key, "remote": Remote(lands_within=timedelta(minutes=5)),
        }  # fmt: skip

        @m.tool(effect=Effect.REVERSIBLE, repeat="once", **(told | declared))
        async def book(what: str, key: str = "") -> str:
            if what == "lost":
                self.late.append((key, what))
                raise TimeoutError("no answer")
            if what == "slow":
                await self.gate.wait()
            self.booked[key] = what
            return what

        self.book = book

    def deliver(self) -> None:
        """What was on its way arrives."""
        self.booked.update(self.late)


async def recover_for_long(m: Mulligan, clock: FixedClock) -> None:
    for _ in range(3):
        clock.move(timedelta(minutes=10))
        await m.recover()


@pytest.mark.parametrize(("others", "booked"), [(["bus"], []), ([], ["lost"])])
async def test_a_call_that_lands_late_shares_the_fate_of_its_attempt(
    others: list[str], booked: list[str]
) -> None:
    clock = FixedClock(datetime.now(UTC))
    with open_app(checks=[reject_two], clock=clock) as m:
        desk = Desk(m)

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is not None:
                return "I leave it."
            with pytest.raises(TimeoutError):
                await desk.book("lost")
            for each in others:
                await desk.book(each)
            return "Booked."

        await m.act(BUS_ONLY, agent)
        desk.deliver()
        await recover_for_long(m, clock)

        assert list(desk.booked.values()) == booked
        assert list_open(m) == []


async def test_a_late_landing_is_put_before_a_person_where_an_undo_would_bring_back_another() -> (
    None
):
    """Its snapshot has what an earlier call left, which is not wanted either."""
    clock, held, late = FixedClock(datetime.now(UTC)), {"x": "before"}, list[str]()
    with open_app(checks=[reject_two], clock=clock) as m:

        def put_back(record: Record) -> None:
            held["x"] = str(record.before)

        @m.tool(
            effect=Effect.REVERSIBLE, before=lambda record: held["x"], undo=put_back,
            probe=lambda record: late[0] if held["x"] == "late" else None,
            about=lambda record: "x", key="key", remote=Remote(lands_within=timedelta(minutes=5)),
        )  # fmt: skip
        async def put(value: str, key: str = "") -> str:
            if value == "late":
                late.append(value)
                raise TimeoutError("no answer")
            held["x"] = value
            return value

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is None:
                await put("early")
                with pytest.raises(TimeoutError):
                    await put("late")
            return "Done."

        await m.act("Put it early", agent)
        held["x"] = "late"
        await recover_for_long(m, clock)

        assert held["x"] == "late"
        # The earlier one waits for it: undone before, it would be undone over.
        assert [action.state for action in list_open(m)] == [State.UNDO_FAILED, State.DISPUTED]


@pytest.mark.parametrize("when", ["after the turn", "in the next attempt", "during the undo"])
async def test_a_call_that_comes_back_late_is_taken_back_whenever_that_is(when: str) -> None:
    with open_app(checks=[reject_two]) as m:
        desk, tasks, told = Desk(m), list[asyncio.Task[str]](), list[str]()

        async def release_during_undo() -> None:
            await desk.undoing.wait()
            desk.gate.set()

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is not None:
                told.append(turn.correction.text)
                if when == "in the next attempt":
                    desk.gate.set()
                    await asyncio.gather(*tasks)
                return "I leave it."
            tasks.append(asyncio.create_task(desk.book("slow")))
            if when == "during the undo":
                tasks.append(asyncio.create_task(release_during_undo()))  # type: ignore[arg-type]
            await asyncio.sleep(0)
            await desk.book("bus")
            await desk.book("train")
            return "Booked."

        done = await m.act(BUS_ONLY, agent)
        desk.gate.set()
        await asyncio.gather(*tasks)
        for _ in range(2):
            await m.recover()

        assert desk.booked == {}
        assert list_open(m) == []
        assert "book(what=slow)" in told[0] if told else "Book (what: slow)" in str(done.reply)


class Office:
    """A booking that can be undone, and a charge that nobody declared."""

    def __init__(self, m: Mulligan) -> None:
        self.m = m
        self.desk = Desk(m)
        self.charged: list[int] = []

        @m.tool
        async def charge(amount: int) -> str:
            self.charged.append(amount)
            return "charged"

        self.charge = charge

    def list_charges(self) -> list[tuple[State, str]]:
        found = [action for action in list_open(self.m) if action.opening.tool == "charge"]
        stories = [self.m.insights.open_list.read_story(action.id) for action in found]
        return [(each.action.state, each.what) for each in stories]


async def end_unreviewed(office: Office) -> None:
    async with office.m.turn(BUS_ONLY):
        await office.desk.book("bus")
        await office.charge(50)


async def end_cancelled(office: Office) -> None:
    async def agent(turn: OpenTurn) -> str:
        await office.desk.book("bus")
        await office.charge(50)
        await asyncio.sleep(60)
        return "Done."

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(office.m.act(BUS_ONLY, agent), 0.2)


async def end_with_a_charge_first(office: Office) -> None:
    async with office.m.turn(BUS_ONLY):
        await office.charge(50)
        await office.desk.book("bus")


async def end_with_a_charge_inside(office: Office) -> None:
    async with office.m.turn(BUS_ONLY):
        await office.desk.book("bus")
        async with office.m.turn("Pay for it"):
            await office.charge(50)


async def end_beside_what_was_not_done(office: Office) -> None:
    """The charge went on record with a call that came to nothing."""
    async with office.m.turn(BUS_ONLY):
        await office.desk.book("bus")
        await office.charge(50)
        with pytest.raises(TypeError):
            await office.desk.book("train", unknown=1)


@pytest.mark.parametrize(
    "end",
    [end_unreviewed, end_cancelled, end_with_a_charge_first, end_with_a_charge_inside,
     end_beside_what_was_not_done],
)  # fmt: skip
async def test_an_undeclared_call_of_an_attempt_that_is_rejected_late_is_on_the_open_list(
    end: Any,
) -> None:
    with open_app(rejects=True) as m:
        office = Office(m)

        await end(office)
        for _ in range(3):
            await m.recover()

        assert office.charged == [50]
        assert office.list_charges() == [(State.DISPUTED, "Charge (amount: 50)")]


async def test_a_late_review_sees_undeclared_calls_and_accepts_them_with_their_attempt() -> None:
    seen: list[list[str]] = []

    def look(attempted: Attempted) -> list[Finding]:
        seen.append([execution.call.tool for execution in attempted.executions])
        return []

    with open_app(checks=[look]) as m:
        await end_unreviewed(Office(m))
        await m.recover()

        assert list_open(m) == []
    assert seen == [["book", "charge"]]


def reject_the_bus(attempted: Attempted) -> Iterator[Finding]:
    for execution in attempted.executions:
        if execution.call.arguments["what"] == "bus":
            yield Finding(rule="story.bus", severity=Severity.ERROR, issue="No bus.")


async def test_a_call_under_way_when_its_attempt_is_rejected_late_goes_the_same_way() -> None:
    with open_app(checks=[reject_the_bus]) as m:
        desk = Desk(m)
        async with m.turn(BUS_ONLY):
            slow = asyncio.create_task(desk.book("slow"))
            await asyncio.sleep(0)
            await desk.book("bus")
        await m.recover()
        desk.gate.set()
        await slow
        for _ in range(2):
            await m.recover()

        assert {action.state for action in list_open(m)} == {State.DISPUTED}
        assert len(list_open(m)) == 2


@pytest.mark.full
@pytest.mark.parametrize("story", [die_after_a_note, die_between_two_moves])
def test_an_undeclared_call_is_on_the_open_list_though_its_process_was_killed(
    tmp_path: Path, story: Any
) -> None:
    remote = make_calendar(tmp_path / "ledger")
    run_until_killed(story, tmp_path)

    family = Family(tmp_path, rejects=True)
    with family.m as m:
        for _ in range(3):
            m.recover_sync()
        left = [(action.opening.tool, action.state) for action in list_open(m)]

    assert left == [("_note", State.DISPUTED)]
    assert remote.get("dinner")["day"] == "Monday"
