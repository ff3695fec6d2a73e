"""A worker takes up what others leave, once, and stops after what it is at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.app.application import STALE, build_worker


def wait_until(so: Callable[[], bool], *, within: float = 60.0) -> bool:
    deadline = time.monotonic() + within
    while not so() and time.monotonic() < deadline:
        time.sleep(0.01)
    return so()


def make_application(url: str, sent: list[str], *, pause: float = 0.0) -> Mulligan:
    """One that looks after nothing by itself."""
    m = Mulligan(url, recover=False)

    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        await asyncio.sleep(pause)
        sent.append(to)
        return "sent"

    m.send = send  # type: ignore[attr-defined]
    return m


async def hold_one(m: Mulligan, to: str) -> str:
    done = await m.act(f"Write to {to}", lambda _: m.send(to=to))  # type: ignore[attr-defined]
    [action] = done.open_actions
    return action


def read_state(m: Mulligan, action: str) -> State:
    return m.insights.open_list.find(action).state


async def test_once_takes_up_what_is_due_and_says_what_is_left(url) -> None:
    sent: list[str] = []
    m = make_application(url, sent)
    approved, held = await hold_one(m, "Ann"), await hold_one(m, "Ben")
    m.insights.open_list.approve(approved, by="Cleo")

    done = await build_worker(m).run_once()
    again = await build_worker(m).run_once()
    m.close()

    assert (sent, done.recovered, done.open_actions) == (["Ann"], 1, 1)
    assert done.swept is not None
    assert done.lessons == 0
    # Shared: it was done within the hour.
    assert (again.swept, again.lessons, again.recovered) == (None, None, 0)
    with Mulligan(url, recover=False) as other:
        assert read_state(other, held) is State.HELD


@pytest.mark.full
async def test_of_two_workers_each_approval_is_carried_out_by_one(url) -> None:
    sent: list[str] = []
    asks, *workers = (make_application(url, sent) for _ in range(3))
    names = [f"person {number}" for number in range(6)]
    actions = [await hold_one(asks, name) for name in names]
    stop = asyncio.Event()
    running = [asyncio.create_task(build_worker(m).run(stop)) for m in workers]

    for action in actions:
        await asyncio.to_thread(asks.insights.open_list.approve, action, by="Cleo")
    await asyncio.to_thread(wait_until, lambda: len(sent) >= len(names))
    await asyncio.sleep(0.2)
    stop.set()
    await asyncio.gather(*running)
    for m in (asks, *workers):
        m.close()

    assert sorted(sent) == names


async def test_on_postgres_a_decision_is_carried_out_before_the_timer_would(postgres_url) -> None:
    sent: list[str] = []
    asks, works = make_application(postgres_url, sent), make_application(postgres_url, sent)
    works._parts.timer._every = 3_600
    action, stop, worker = await hold_one(asks, "Ann"), asyncio.Event(), build_worker(works)
    running = asyncio.create_task(worker.run(stop))
    await asyncio.to_thread(wait_until, lambda: worker.check_health().passes > 0)

    await asyncio.to_thread(asks.insights.open_list.approve, action, by="Cleo")
    carried_out = await asyncio.to_thread(wait_until, lambda: sent == ["Ann"])
    stop.set()
    await running
    for m in (asks, works):
        m.close()

    assert carried_out


async def test_stopped_in_the_middle_it_comes_to_the_end_of_what_it_is_at(tmp_path) -> None:
    sent: list[str] = []
    m = make_application(f"sqlite:///{tmp_path}/family.db", sent, pause=0.3)
    action, stop, worker = await hold_one(m, "Ann"), asyncio.Event(), build_worker(m)
    m.insights.open_list.approve(action, by="Cleo")
    running = asyncio.create_task(worker.run(stop, grace=20))
    await asyncio.to_thread(wait_until, lambda: read_state(m, action) is State.INTENT)

    stop.set()
    await running
    state = read_state(m, action)
    m.close()

    assert (sent, state) == (["Ann"], State.UNCHECKED)


async def test_its_health_says_whether_passes_end_well(tmp_path, monkeypatch) -> None:
    m = make_application(f"sqlite:///{tmp_path}/family.db", [])
    worker, tally = build_worker(m), m._parts.timer.tally

    fresh = worker.check_health()
    tally.add(failed=False)
    well = worker.check_health()
    tally.add(failed=True)
    ill = worker.check_health()
    tally.add(failed=False)
    tally.ended = time.monotonic() - STALE - 1
    stuck = worker.check_health()
    m.close()

    assert (fresh.healthy, fresh.seconds_since_pass) == (False, None)
    assert "yet" in fresh.why
    assert (well.healthy, well.passes) == (True, 1)
    assert (ill.healthy, "passes failed" in ill.why) == (False, True)
    assert (stuck.healthy, "No pass" in stuck.why) == (False, True)
