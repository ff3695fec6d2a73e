"""The same stories in every host, in the real framework: its model follows a script.

What a host has no power for is told by its driver, with the reason, and is an expected failure.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hosts.drivers import Driver, list_installed, load_driver
from bench.hosts.world import FRIDAY, SATURDAY, WEDNESDAY, add_event, build_tools, move, open_app
from mulligan import Confidence, Mulligan, Standing
from mulligan.cli.main import main
from mulligan.types.adapter import Answer
from mulligan_testing.remote import FakeRemote

# The frameworks' own are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

ROOT = Path(__file__).parents[2]


IN_EVERY_TEST = {"fastmcp", "langchain", "openai-agents", "pydantic-ai"}
"""What the test environment has; the others have environments of their own: `make hosts`."""


def test_the_hosts_of_the_test_environment_are_there() -> None:
    assert set(list_installed()) >= IN_EVERY_TEST


@pytest.fixture(params=list_installed())
def host(request: pytest.FixtureRequest) -> str:
    driver, story = load_driver(request.param), request.function.__name__
    if story in driver.CANNOT:
        request.applymarker(pytest.mark.xfail(reason=driver.CANNOT[story], strict=True))
    return str(request.param)


@pytest.fixture
def driver(host: str) -> Driver:
    return load_driver(host)


@pytest.fixture
def remote(tmp_path: Path) -> FakeRemote:
    return FakeRemote(tmp_path / "remote")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def m(store: str, remote: FakeRemote) -> Iterator[Mulligan]:
    with open_app(store, remote) as app:
        yield app


def find_day(remote: FakeRemote, event: str) -> object:
    item = remote.get(event)
    assert item is not None
    return item.data["day"]


async def test_a_wrong_action_is_undone_corrected_and_done_right(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved.", move(event, FRIDAY), "Moved to Friday."]
    answers: list[Answer] = []

    ran = await driver.run(
        m, build_tools(remote), "Move dinner to Friday", script, on_answer=answers.append
    )

    days = [line.data.get("day") for line in remote.ledger()]
    assert days == [WEDNESDAY, SATURDAY, WEDNESDAY, FRIDAY]
    assert ran.reply == "Moved to Friday."
    assert f"It was to be on {FRIDAY}." in ran.shown[2]
    assert "Undone and verified:" in ran.shown[2]
    assert [answer.standing for answer in answers] == [Standing.ACCEPTED]
    assert answers[0].confidence in (Confidence.MEDIUM, Confidence.HIGH)
    assert m.insights.open_list.actions() == []


async def test_a_rejected_attempt_leaves_what_the_model_sees(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved, honestly.", move(event, FRIDAY), "Moved to Friday."]

    ran = await driver.run(m, build_tools(remote), "Move dinner to Friday", script)

    assert "Move dinner to Friday" in ran.shown[2]
    assert "Moved, honestly." not in ran.shown[2]
    assert "Moved, honestly." not in ran.shown[3]


async def test_a_failing_call_is_repaired_and_its_agent_told(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    script = [("find_room", {"size": "Large"}), "Room 4."]

    ran = await driver.run(m, build_tools(remote), "Find a large room", script)

    assert ran.reply == "Room 4."
    assert "room 4, large" in ran.shown[1]
    assert "[Mulligan: find_room failed as it was called." in ran.shown[1]


async def test_what_would_help_reaches_the_model_where_nothing_can_be_repaired(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    script = [("fetch_weather", {"city": "Atlantis"}), "I do not know."]

    ran = await driver.run(m, build_tools(remote), "What is the weather?", script)

    assert ran.reply == "I do not know."
    assert "unknown city 'Atlantis'" in ran.shown[1]
    assert "What to do:" in ran.shown[1]


async def test_a_bad_reply_is_written_again(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    script = ["Success is guaranteed.", "It should work."]

    ran = await driver.run(m, build_tools(remote), "Will it work?", script)

    assert ran.reply == "It should work."
    assert "guaranteed" in ran.shown[1]


async def test_what_cannot_be_undone_waits_in_the_host_and_runs_once(
    driver: Driver, m: Mulligan, remote: FakeRemote, store: str
) -> None:
    tools = build_tools(remote)
    script = [("send_invitation", {"to": "Ann"}), "Awaiting your approval."]

    ran = await driver.run(m, tools, "Invite Ann", script)
    [held] = m.insights.open_list.actions()
    before = remote.list_items()
    approved = main(["approve", held.id, "--store", store])
    later = await driver.go_on(m, tools, ran, ["Ann is invited."])

    assert (before, approved) == ({}, 0)
    assert [line.op for line in remote.ledger()] == ["create"]
    assert later.reply == "Ann is invited."
    assert "sent to Ann" in later.shown[0]
    assert m.insights.open_list.actions() == []


async def test_what_is_known_to_go_wrong_is_told_before_it_does(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    tools = build_tools(remote)
    script = [("fetch_weather", {"city": "Atlantis"}), "I do not know."]
    for _ in range(3):
        await driver.run(m, tools, "What is the weather?", script)
    m.flush()

    ran = await driver.run(m, tools, "What is the weather?", ["I cannot say."], pitfalls=True)

    assert ran.reply == "I cannot say."
    assert "unknown city" in ran.shown[0]


async def test_a_call_that_is_only_written_is_made(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    written = 'I look for one.\nAction: find_room\nAction Input: {"size": "large"}'
    script = [written, "Room 4."]

    ran = await driver.run(m, build_tools(remote), "Find a room", script, written_calls=True)

    assert ran.reply == "Room 4."
    assert "room 4, large" in ran.shown[1]


async def test_a_stream_shows_nothing_that_was_not_reviewed(
    driver: Driver, m: Mulligan, remote: FakeRemote
) -> None:
    event = add_event(remote)
    script = [move(event, SATURDAY), "Moved, honestly.", move(event, FRIDAY), "Moved to Friday."]

    streamed = await driver.stream(
        m, build_tools(remote), "Move dinner to Friday", script, hold_back=True
    )

    assert "".join(streamed) == "Moved to Friday."


async def test_a_run_that_is_killed_is_taken_up_by_another_process(
    host: str, remote: FakeRemote, store: str, tmp_path: Path
) -> None:
    event = add_event(remote)
    command = [sys.executable, "-m", "bench.hosts.killed", host, str(tmp_path), event]

    killed = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    async with open_app(store, remote) as m:
        for _ in range(100):
            await m.recover()
            if not (left := m.insights.open_list.actions()):
                break
            await asyncio.sleep(0.1)

    assert killed.returncode == 9, killed.stderr[-2000:]
    assert left == []
    assert [line.by for line in remote.ledger()] == ["person", "agent", "undo"]
    assert find_day(remote, event) == WEDNESDAY
