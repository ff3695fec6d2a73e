"""Clocks jump and machines pause: nothing is believed early, and nobody sends after their time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from mulligan import Effect, Mulligan, Remote, State
from mulligan.stores.opening import open_store
from mulligan.types.call import Record
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract.contract import make_next_entry
from tests.stories.effects.family import (
    Family,
    die_waiting_for_an_answer,
    pause_before_the_call,
    pause_between_two_tries,
    run_until_killed,
    start,
)
from tests.stories.effects.remote import StoryRemote, read_data, read_version
from tests.stories.effects.world import (
    act,
    declare_create,
    declare_move,
    leave_behind,
    list_open,
    make_calendar,
    open_app,
    put_back,
)

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
SHORT, LONG = timedelta(milliseconds=200), timedelta(seconds=30)
ABOUT: dict[str, Any] = {"about": lambda record: record.arguments["event_id"]}


@pytest.fixture
def calendar(tmp_path: Path) -> StoryRemote:
    return make_calendar(tmp_path / "ledger")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime.now(UTC))


def declare_late_create(m: Mulligan, remote: StoryRemote, late: list[tuple[str, str]]) -> Any:
    """`create(title)`: on its way for up to five minutes after its answer was given up."""

    async def create_late(title: str, key: str) -> dict[str, Any]:
        late.append((title, key))
        raise TimeoutError("no answer")

    return declare_create(
        m, create_late, remote, probe=lambda record: remote.find(record.key),
        remote=Remote(lands_within=timedelta(minutes=5)),
    )  # fmt: skip


async def test_a_clock_that_jumps_forward_does_not_make_a_late_call_absent(
    clock: FixedClock,
) -> None:
    """And a later look finds it: the wait is for the truth, not for a person."""
    remote, late = StoryRemote(), list[tuple[str, str]]()
    with open_app(clock=clock, rejects=True) as m:
        create = declare_late_create(m, remote, late)
        await act(m, lambda: create("dinner"))

        clock.jump(HOUR)
        await m.recover()
        (title, key), waiting = late[0], list_open(m)
        remote.create({"title": title}, key=key)
        for _ in range(3):
            clock.jump(HOUR)
            await m.recover()

        assert len(waiting) == 1
        assert remote.get(remote.find(key)["id"]) is None or list_open(m)


async def test_a_clock_that_jumps_forward_between_two_processes_does_not_make_it_absent(
    tmp_path: Path, calendar: StoryRemote
) -> None:
    key = run_until_killed(die_waiting_for_an_answer, tmp_path).split()[0]

    with Family(tmp_path, clock=FixedClock(datetime.now(UTC) + HOUR)).m as m:
        await m.recover()
        calendar.update("dinner", {"day": "Saturday"}, key=key)

        assert len(list_open(m)) == 1


async def test_a_clock_that_is_set_back_does_not_change_the_order_of_the_undos(
    calendar: StoryRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns
    with open_app(rejects=True) as m:
        move = declare_move(m, calendar, **ABOUT)

        async def move_twice() -> None:
            await move("dinner", "Saturday")
            monkeypatch.setattr(time, "time_ns", lambda: now() - 3_600 * 10**9)
            await move("dinner", "Sunday")

        await leave_behind(m, move_twice)
        await m.recover()

        assert calendar.get("dinner")["day"] == "Monday"
        assert list_open(m) == []


@contextmanager
def pause_host(
    folder: Path, lease: timedelta, story: Any = pause_before_the_call, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Another host that stands still, its intent on disk; it goes on and ends afterwards."""
    process = start(story, folder, FAMILY_LEASE=str(lease.total_seconds()), **environment)
    try:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), process.communicate()[1]
        if "FAMILY_STORE" in environment:
            end_open_transactions(environment["FAMILY_STORE"])
        yield process
    finally:
        process.kill()
        process.communicate()


def end_open_transactions(url: str) -> None:
    """As a server does that lets none be idle for long: a heartbeat may stand still in one."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and state like 'idle in transaction%'"
            )


def go_on(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGCONT)
    process.wait(timeout=120)


@pytest.mark.full
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_a_host_that_slept_past_its_lease_does_not_send_what_others_gave_up(
    tmp_path: Path, calendar: StoryRemote, store: str, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    if store == "postgres":
        url = request.getfixturevalue("postgres_url")
    with (
        pause_host(tmp_path, SHORT, FAMILY_STORE=url) as host,
        Family(tmp_path, store=url, lease=SHORT).m as m,
    ):
        await asyncio.sleep(0.25)
        await m.recover()
        await asyncio.to_thread(go_on, host)

        assert calendar.list_writes() == [] or list_open(m)


async def test_a_host_that_slept_shorter_than_its_lease_goes_on(
    tmp_path: Path, calendar: StoryRemote
) -> None:
    with pause_host(tmp_path, LONG) as host, Family(tmp_path, lease=LONG).m as m:
        await m.recover()
        await asyncio.to_thread(go_on, host)

        assert len(calendar.list_writes()) == 1
        assert list_open(m) == []


@pytest.mark.full
async def test_a_host_that_slept_past_its_lease_between_two_tries_does_not_make_the_second(
    tmp_path: Path, calendar: StoryRemote
) -> None:
    with (
        pause_host(tmp_path, SECOND, pause_between_two_tries) as host,
        Family(tmp_path, lease=SECOND).m as m,
    ):
        await asyncio.sleep(1.1)
        await m.recover()
        await asyncio.to_thread(go_on, host)

        assert calendar.list_writes() == []


async def test_a_call_that_was_told_of_late_may_land_that_much_later(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Others had looked for it before: that they have done so for long proves nothing then."""
    url = f"sqlite:///{tmp_path}/late.db"
    with open_app(url, clock=clock) as m:
        create = declare_late_create(m, StoryRemote(), [])
        await act(m, lambda: create("dinner"))
        await m.recover()
        clock.move(HOUR)
        [action] = list_open(m)
        told = make_next_entry(action.id, State.UNKNOWN, version=action.version + 1)
        other, stamp = open_store(url), {"given_up": list(clock.read_steady())}
        other.journal.submit([replace(told, detail=stamp)]).result()
        other.close()

        await m.recover()

        assert [each.state for each in list_open(m)] == [State.UNKNOWN]


@pytest.mark.parametrize("versioned", [True, False])
async def test_nothing_is_called_undone_while_a_try_may_still_land(
    calendar: StoryRemote, clock: FixedClock, versioned: bool
) -> None:
    tries: list[str] = []
    more = {"version": read_version, "about": lambda _: "dinner"} if versioned else {}

    with open_app(clock=clock, rejects=True) as m:

        @m.tool(
            effect=Effect.REVERSIBLE, repeat="idempotent", remote=Remote(lands_within=HOUR),
            before=lambda _: calendar.get("dinner"), undo=put_back(calendar), **more,
        )  # fmt: skip
        async def set_day(day: str) -> dict[str, Any] | None:
            tries.append(day)
            if len(tries) == 1:
                raise TimeoutError("no answer")
            moved = calendar.update("dinner", {"day": day})
            return moved if versioned else None

        _, agent = await act(m, lambda: set_day("Saturday"))
        early, told = list_open(m), agent.says_taken_back
        clock.move(2 * HOUR)
        await m.recover()

        assert [each.state for each in early] == [State.UNDO_FAILED]
        assert not told
        assert list_open(m) == []
        assert calendar.get("dinner")["day"] == "Monday"
        assert len(calendar.list_writes(by="undo")) == 1


@pytest.mark.parametrize("lands", [True, False])
async def test_an_undo_without_versions_that_could_not_be_read_back_is_read_later(
    calendar: StoryRemote, clock: FixedClock, lands: bool
) -> None:
    away: list[str] = []

    def read(_: Record) -> object:
        if away:
            raise ConnectionError("not now")
        return read_data(calendar.get("dinner"))

    def undo(record: Record) -> None:
        away.append("the reader")
        if lands:
            calendar.update("dinner", dict(record.before), by="undo")  # type: ignore[call-overload]

    with open_app(clock=clock, rejects=True) as m:

        @m.tool(effect=Effect.REVERSIBLE, undo=undo, before=read)
        async def set_day(day: str) -> None:
            calendar.update("dinner", {"day": day})

        await act(m, lambda: set_day("Saturday"))
        away.clear()
        clock.move(2 * HOUR)
        await m.recover()

        assert [each.state for each in list_open(m)] == [] if lands else [State.UNDO_FAILED]
        assert len(calendar.list_writes(by="undo")) == lands


@pytest.mark.parametrize("edited", [True, False])
async def test_what_a_person_called_ours_is_undone_only_as_it_was_then(
    calendar: StoryRemote, edited: bool
) -> None:
    def undo(record: Record) -> None:
        calendar.update("dinner", dict(record.before), by="undo")  # type: ignore[call-overload]

    with open_app() as m:

        @m.tool(
            effect=Effect.REVERSIBLE, before=lambda _: read_data(calendar.get("dinner")), undo=undo
        )
        async def set_day(day: str) -> None:
            calendar.update("dinner", {"day": day})
            raise TimeoutError("no answer")

        await act(m, lambda: set_day("Saturday"))
        [action] = list_open(m)
        m.insights.open_list.undo(action.id, by="Ann", ours=True)
        if edited:
            calendar.update("dinner", {"day": "Sunday"}, by="person")
        await m.recover()

        assert calendar.get("dinner")["day"] == ("Sunday" if edited else "Monday")
        assert [each.state for each in list_open(m)] == [State.CONFLICT] * edited


async def test_what_a_repeat_is_answered_with_is_ours_only_as_we_wrote_it() -> None:
    """The remote knows the key, and answers with what somebody made of it since."""
    remote, tries = StoryRemote(), []

    async def make(title: str, key: str) -> dict[str, Any]:
        tries.append(key)
        if len(tries) == 1:
            made = remote.create({"title": title}, key=key)
            remote.update(made["id"], {"title": "Ann's dinner"}, by="person")
            raise TimeoutError("no answer")
        return remote.get(remote.find(key)["id"])

    with open_app(rejects=True) as m:
        create = declare_create(m, make, remote, repeat="keyed")
        await act(m, lambda: create("dinner"))

        assert len(tries) == 2
        assert remote.get(remote.find(tries[0])["id"])["title"] == "Ann's dinner"
        assert len(list_open(m)) == 1
