"""What a crash, a cancelled turn or a person left behind, and another process finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.checks.dates import dates_as_said
from mulligan.core.action import Action
from mulligan.core.errors import AlreadyDoneError, ConflictError
from mulligan.core.finding import Finding
from mulligan.core.points import Point, watch_points
from mulligan.core.record import Record
from mulligan.stores.opening import open_store
from mulligan.testing.fakes import FixedClock
from mulligan.testing.faults import Deed, Faults, Strike
from mulligan.testing.remote import FakeRemote, Fault, Item, RemoteError
from mulligan.turns.journal.hold import Held
from mulligan.turns.recovery.recovery import MOST_TRIES
from mulligan.turns.turn.context import OpenTurn

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"
AT_ONCE = timedelta()


@dataclass
class Application:
    """An application with a calendar; several of them can share a store and a remote."""

    m: Mulligan
    remote: FakeRemote

    def __post_init__(self) -> None:
        remote, m = self.remote, self.m

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["event_id"]))

        def put_back(record: Record) -> None:
            before = record.before
            try:
                remote.update(before.id, before.data, if_version=record.version, by="undo")
            except RemoteError as error:
                if error.status == 412:
                    raise ConflictError(str(error)) from error
                raise

        def landed(record: Record) -> Item | None:
            return remote.answer_to(record.key)

        @m.tool(
            effect=Effect.REVERSIBLE, before=read, undo=put_back, probe=landed, key="key",
            version=lambda record: record.result.version, lands_within=AT_ONCE,
        )  # fmt: skip
        async def move(event_id: str, day: str, key: str | None = None) -> Item:
            return remote.update(event_id, {"day": day}, key=key)

        @m.tool(effect=Effect.IRREVERSIBLE)
        async def invite(event_id: str, whom: str) -> Item:
            return remote.create({"event": event_id, "whom": whom}, by="agent")

        self.move, self.invite = move, invite

    async def act(self, *days: str) -> object:
        left = iter(days)

        async def agent(turn: OpenTurn) -> str:
            await self.move("e1", next(left))
            return "Moved."

        return await self.m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin")

    def open(self) -> list[Action]:
        return self.m._parts.store.journal.list_open_actions()

    def states(self) -> list[State]:
        return [action.state for action in self.open()]

    def day(self) -> object:
        item = self.remote.get("e1")
        return item.data["day"] if item else None


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Application]:
    remote = FakeRemote(tmp_path / "remote")
    remote.create({"day": "2026-11-18"}, id="e1", by="person")
    url = f"sqlite:///{tmp_path}/family.db"
    async with Mulligan(url, checks=[dates_as_said()], recover=False) as m:
        yield Application(m=m, remote=remote)
    watch_points(None)


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
    app: Application, point: Point
) -> None:
    cancel_at(point)

    with pytest.raises(asyncio.CancelledError):
        await app.act(SATURDAY)
    for _ in range(3):
        await app.m.recover()

    assert app.states() == []
    assert app.day() == "2026-11-18"
    assert sum(line.by == "undo" for line in app.remote.ledger()) <= 1


async def test_right_work_of_a_cancelled_turn_stands(app: Application) -> None:
    cancel_at(Point.CALLED)

    with pytest.raises(asyncio.CancelledError):
        await app.act(FRIDAY)
    for _ in range(2):
        await app.m.recover()

    assert app.states() == []
    assert app.day() == FRIDAY


async def test_an_edit_after_the_crash_is_never_overwritten(app: Application) -> None:
    cancel_at(Point.CALLED)
    with pytest.raises(asyncio.CancelledError):
        await app.act(SATURDAY)
    app.remote.update("e1", {"day": "2026-12-24"}, by="person")

    for _ in range(3):
        await app.m.recover()

    assert app.states() == [State.CONFLICT]
    assert app.day() == "2026-12-24"


async def test_a_lost_answer_is_looked_up_and_adopted(app: Application) -> None:
    app.remote.plan(Fault.LOST_AFTER)

    done = await app.act(FRIDAY)

    assert done.reply == "Moved."
    assert app.states() == []
    assert len(app.remote.ledger()) == 2


async def test_an_irreversible_call_waits_for_a_person(app: Application) -> None:
    answers = []

    async def agent(turn: OpenTurn) -> str:
        answers.append(await app.invite("e1", "Grandma"))
        with pytest.raises(AlreadyDoneError):
            await app.invite("e1", "Grandma")
        return "I asked."

    await app.m.act("Invite Grandma", agent, now=NOW)

    held = answers[0]
    assert isinstance(held, Held)
    assert held.hold.action in held
    assert app.states() == [State.HELD]
    assert len(app.remote.ledger()) == 1


async def test_the_agent_is_told_of_its_call_without_the_key_that_is_ours(app: Application) -> None:
    done = await app.act(SATURDAY, FRIDAY)

    told = done.attempts[1].correction.text
    assert "move(event_id=e1, day=2026-11-21)" in told
    assert "key" not in told


async def test_an_attempt_is_not_reviewed_while_one_of_its_calls_is_looked_for(
    tmp_path: Path,
) -> None:
    remote, clock = FakeRemote(tmp_path / "remote"), FixedClock(datetime.now(UTC))
    remote.create({"day": "2026-11-18"}, id="e1", by="person")
    async with Mulligan("memory:", checks=[dates_as_said()], recover=False, clock=clock) as m:
        app = Application(m=m, remote=remote)

        async def agent(turn: OpenTurn) -> str:
            await app.move("e1", SATURDAY)
            await app.move("e1", SATURDAY)
            return "Moved."

        with (
            Faults(Strike(deed=Deed.CANCEL, point=Point.CALLED, hit=2)),
            pytest.raises(asyncio.CancelledError),
        ):
            await m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin")
        with (
            Faults(Strike(deed=Deed.CANCEL, point=Point.PROBED)),
            pytest.raises(asyncio.CancelledError),
        ):
            await m.recover()
        await m.recover()
        before_the_pause = app.states()
        for _ in range(3):
            clock.move(timedelta(minutes=10))
            await m.recover()

        assert before_the_pause == [State.EXECUTED, State.UNKNOWN]
        assert app.states() == []
        assert app.day() == "2026-11-18"


async def test_a_review_that_ended_its_process_is_made_again_also_after_a_long_outage(
    app: Application,
) -> None:
    clock, reviewer_is_down = FixedClock(NOW), True

    def check(attempted: object) -> list[Finding]:
        if reviewer_is_down:
            raise ConnectionError("no reviewer")
        return []

    async def an_hour_later() -> None:
        clock.move(timedelta(hours=1))
        await m.recover()

    m = Mulligan("memory:", checks=[check], clock=clock, recover=False)
    other = Application(m=m, remote=app.remote)
    await other.act(FRIDAY)
    for _ in range(MOST_TRIES):
        await an_hour_later()
    cancel_at(Point.CLAIMED)
    with pytest.raises(asyncio.CancelledError):
        await an_hour_later()

    reviewer_is_down = False
    await an_hour_later()

    assert other.states() == []
    m.close()


def test_a_sync_program_looks_after_what_an_earlier_turn_left(tmp_path: Path) -> None:
    store, remote = open_store(f"sqlite:///{tmp_path}/family.db"), FakeRemote(tmp_path / "remote")
    remote.create({"day": "2026-11-18"}, id="e1", by="person")
    checks = [dates_as_said()]
    with (
        Mulligan(store, checks=checks, recover=False) as first,
        Mulligan(store, checks=checks) as m,
    ):
        cancel_at(Point.REVIEWED)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(Application(m=first, remote=remote).act(SATURDAY))
        later = Application(m=m, remote=remote)

        seen = m.act_sync("When is dinner?", lambda _: later.day(), now=NOW).reply

        assert (seen, later.states()) == ("2026-11-18", [])
