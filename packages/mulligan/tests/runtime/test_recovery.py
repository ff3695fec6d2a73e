"""What a crash, a cancelled turn or a person left behind, and another process finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Arguments, Effect, Mulligan, Review, State
from mulligan.checks.dates import dates_as_said
from mulligan.process.fault_points import Point, watch_points
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.hold import Held
from mulligan.stores.opening import open_store
from mulligan.types.action import MOST_TRIES
from mulligan.types.errors import AlreadyDoneError
from mulligan.types.finding import Finding
from mulligan_testing.fakes import FixedClock
from mulligan_testing.faults import Deed, Faults, Strike
from mulligan_testing.remote import FakeRemote, Fault, Item
from tests.world import DAY, Calendar, World, Worlds, fill, moves

pytestmark = pytest.mark.promise(1, 2, 3)

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"
ABOUT = {"now": NOW, "timezone": "Europe/Berlin"}


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> AsyncIterator[World]:
    url = f"sqlite:///{tmp_path}/family.db"
    yield await worlds(url, checks=[dates_as_said()], about=ABOUT, promises=keyed)
    watch_points(None)


def keyed(calendar: Calendar) -> Mapping[str, Any]:
    return calendar.keyed


def cancel_at(wanted: Point) -> None:
    async def watcher(point: Point) -> None:
        if point is wanted:
            watch_points(None)
            raise asyncio.CancelledError

    watch_points(watcher)


@pytest.mark.parametrize(
    "point",
    [Point.INTENDED, Point.CALLED, Point.EXECUTED, Point.REVIEWED, Point.DOOMED, Point.LOOKED,
     Point.TAKEN_BACK, Point.PROVEN],
)  # fmt: skip
async def test_a_turn_that_was_cancelled_anywhere_ends_undone_or_not_done(
    world: World, point: Point
) -> None:
    cancel_at(point)

    with pytest.raises(asyncio.CancelledError):
        await world.act(moves(world, SATURDAY))
    for _ in range(3):
        await world.m.recover()

    assert world.states() == []
    assert world.day() == DAY
    assert world.undos() <= 1


@pytest.mark.full
async def test_right_work_of_a_cancelled_turn_stands(world: World) -> None:
    cancel_at(Point.CALLED)

    with pytest.raises(asyncio.CancelledError):
        await world.act(moves(world, FRIDAY))
    for _ in range(2):
        await world.m.recover()

    assert world.states() == []
    assert world.day() == FRIDAY


async def test_an_edit_after_the_crash_is_never_overwritten(world: World) -> None:
    cancel_at(Point.CALLED)
    with pytest.raises(asyncio.CancelledError):
        await world.act(moves(world, SATURDAY))
    world.remote.update("e1", {"day": "2026-12-24"}, by="person")

    for _ in range(3):
        await world.m.recover()

    assert world.states() == [State.CONFLICT]
    assert world.day() == "2026-12-24"


async def test_a_lost_answer_is_looked_up_and_adopted(world: World) -> None:
    world.remote.plan(Fault.LOST_AFTER)

    done = await world.act(moves(world, FRIDAY))

    assert done.reply == "Moved."
    assert world.states() == []
    assert len(world.remote.ledger()) == 2


@pytest.mark.full
async def test_an_irreversible_call_waits_for_a_person(world: World) -> None:
    answers = []

    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def invite(event_id: str, whom: str) -> Item:
        return world.remote.create({"event": event_id, "whom": whom})

    async def agent(turn: OpenTurn) -> str:
        answers.append(await invite("e1", "Grandma"))
        with pytest.raises(AlreadyDoneError):
            await invite("e1", "Grandma")
        return "I asked."

    await world.act(agent, "Invite Grandma")

    held = answers[0]
    assert isinstance(held, Held)
    assert held.hold.action in held
    assert world.states() == [State.HELD]
    assert len(world.remote.ledger()) == 1


async def test_the_agent_is_told_of_its_call_without_the_key_that_is_ours(world: World) -> None:
    done = await world.act(moves(world, SATURDAY, FRIDAY))

    told = done.attempts[1].correction.text
    assert "move(event_id=e1, day=2026-11-21)" in told
    assert "key" not in told


async def test_an_attempt_is_not_reviewed_while_one_of_its_calls_is_looked_for(
    worlds: Worlds,
) -> None:
    clock = FixedClock(datetime.now(UTC))
    world = await worlds(checks=[dates_as_said()], clock=clock, about=ABOUT, promises=keyed)

    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", SATURDAY)
        await world.move("e1", SATURDAY)
        return "Moved."

    with (
        Faults(Strike(deed=Deed.CANCEL, point=Point.CALLED, hit=2)),
        pytest.raises(asyncio.CancelledError),
    ):
        await world.act(agent)
    running = asyncio.all_tasks()
    with Faults(Strike(deed=Deed.CANCEL, point=Point.PROBED)):
        await world.m.recover()
    left_running = asyncio.all_tasks() - running
    await world.m.recover()
    before_the_pause = world.states()
    for _ in range(3):
        clock.move(timedelta(minutes=10))
        await world.m.recover()

    assert left_running == set()
    assert before_the_pause == [State.EXECUTED, State.UNKNOWN]
    assert world.states() == []
    assert world.day() == DAY


async def test_a_review_that_ended_its_process_is_made_again_also_after_a_long_outage(
    worlds: Worlds,
) -> None:
    clock, reviewer_is_down = FixedClock(NOW), True

    def check(attempted: object) -> list[Finding]:
        if reviewer_is_down:
            raise ConnectionError("no reviewer")
        return []

    async def an_hour_later() -> None:
        clock.move(timedelta(hours=1))
        await world.m.recover()

    world = await worlds(checks=[check], clock=clock, about=ABOUT, promises=keyed)
    await world.act(moves(world, FRIDAY))
    for _ in range(MOST_TRIES):
        await an_hour_later()
    cancel_at(Point.CLAIMED)
    await an_hour_later()

    reviewer_is_down = False
    await an_hour_later()

    assert world.states() == []


def test_a_sync_program_looks_after_what_an_earlier_turn_left(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/family.db")
    calendar = Calendar(fill(FakeRemote(tmp_path / "remote"), "e1"))
    checks = [dates_as_said()]
    with (
        Mulligan(store, checks=checks, recover=False) as first,
        Mulligan(store, checks=checks) as m,
    ):
        earlier = World(m=first, calendar=calendar, about=ABOUT, promises=calendar.keyed)
        cancel_at(Point.REVIEWED)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(earlier.act(moves(earlier, SATURDAY)))
        later = World(m=m, calendar=calendar, promises=calendar.keyed)

        seen = m.act_sync("When is dinner?", lambda _: later.day(), now=NOW).reply

        assert (seen, later.states()) == (DAY, [])


@pytest.mark.parametrize("insists", [False, True])
async def test_a_late_review_without_reviewers_verifies_nothing(
    worlds: Worlds, *, insists: bool
) -> None:
    promises = {"review": Review(on_no_verdict="undo")} if insists else {}
    world = await worlds(promises=lambda _: promises)

    async def break_off() -> None:
        async with world.m.turn("Move dinner to Friday"):
            await world.move("e1", "2026-11-20")
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await break_off()
    [action] = world.open()

    await world.m.recover()

    state = world.m.insights.open_list.find(action.id).state
    assert state is (State.UNDONE if insists else State.UNCHECKED)
    assert world.day() == ("2026-11-18" if insists else "2026-11-20")


@pytest.mark.parametrize(
    ("approved", "why"),
    [(True, "It was approved, and not run in time."), (False, "Not answered in time.")],
)
async def test_a_hold_that_has_expired_says_who_was_late(approved: bool, why: str) -> None:
    clock = FixedClock()
    m = Mulligan("memory:", recover=False, clock=clock)

    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> None:
        raise AssertionError

    done = await m.act("Write to Ann", lambda _: send("Ann"))
    [held] = done.open_actions
    if approved:
        m.insights.open_list.approve(held, by="Mum")
    clock.now += timedelta(hours=1)
    await m.recover()

    found = m.insights.open_list.find(held)
    assert (found.state, found.detail["why"]) == (State.EXPIRED, why)
    m.close()


async def test_what_recovery_cannot_do_is_said_in_our_own_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path}/family.db"

    def declare(m: Mulligan) -> Any:
        @m.tool(
            effect=Effect.IRREVERSIBLE, arguments=Arguments(leave_out=("session",)), name="send"
        )
        async def send(session: object, to: str) -> None:
            raise AssertionError

        return send

    with Mulligan(url, recover=False) as first:
        send = declare(first)
        done = await first.act("Write to Ann", lambda _: send(object(), "Ann"))
    with Mulligan(url, recover=False) as second:
        declare(second)
        second.insights.open_list.approve(done.open_actions[0], by="Mum")
        await second.recover()

    assert "Declare Arguments(provide=…) to have it made anew" in caplog.text


async def test_a_clock_that_was_set_back_keeps_nobody_from_looking_again(worlds: Worlds) -> None:
    clock = FixedClock(datetime.now(UTC))
    world = await worlds(clock=clock, about=ABOUT, promises=keyed)
    with (
        Faults(Strike(deed=Deed.CANCEL, point=Point.CALLED)),
        pytest.raises(asyncio.CancelledError),
    ):
        await world.act(moves(world, FRIDAY))
    with Faults(Strike(deed=Deed.CANCEL, point=Point.PROBED)):
        await world.m.recover()

    clock.jump(timedelta(days=-1))
    await world.m.recover()
    too_soon = world.states()
    clock.move(timedelta(minutes=1))
    for _ in range(2):
        await world.m.recover()

    assert too_soon == [State.UNKNOWN]
    assert world.states() == []


@pytest.mark.parametrize("hours", [-24, 24])
async def test_a_hold_ends_in_its_time_whatever_the_clock_is_set_to(
    worlds: Worlds, hours: int
) -> None:
    clock = FixedClock(datetime.now(UTC))
    world = await worlds(clock=clock, about=ABOUT)
    pay = declare_payment(world, [])

    async def agent(turn: OpenTurn) -> str:
        await pay("rent")
        return "It waits."

    await world.act(agent, "Pay the rent")
    await world.m.recover()
    clock.jump(timedelta(hours=hours))
    clock.move(timedelta(minutes=16))
    await world.m.recover()

    assert world.states() == []


def declare_payment(world: World, paid: list[str]) -> Any:
    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def pay(what: str) -> str:
        paid.append(what)
        return what

    return pay


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
async def test_what_a_person_approved_is_run_in_the_order_it_was_approved_in(
    worlds: Worlds, order: tuple[int, ...]
) -> None:
    clock, paid = FixedClock(datetime.now(UTC)), list[str]()
    world = await worlds(clock=clock, about=ABOUT)
    pay = declare_payment(world, paid)

    async def agent(turn: OpenTurn) -> str:
        for what in ("deposit", "rent", "power"):
            await pay(what)
        return "They wait."

    done = await world.act(agent, "Pay the deposit, the rent and the power")
    for each in order:
        clock.move(timedelta(seconds=1))
        world.m.insights.open_list.approve(done.open_actions[each], by="Mum")
    await world.m.recover()

    assert paid == [("deposit", "rent", "power")[each] for each in order]


async def test_a_pass_leaves_alone_what_a_turn_was_at_work_on_when_it_looked(world: World) -> None:
    book = world.m._parts.recovery.book
    journal, taken_up = book.journal, []

    class Hasty:
        """A journal with which the turn lets go of all that it did while a pass looks at it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(journal, name)

        def identify_writer(self) -> str:
            book.live.clear()
            return journal.identify_writer()

    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", FRIDAY)
        book.journal = Hasty()
        taken_up.append(await world.m.recover())
        book.journal = journal
        return "Moved."

    done = await world.act(agent)

    assert (taken_up, done.finished, world.states()) == ([0], True, [])
