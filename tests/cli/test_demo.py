"""The demo's story, by what the calendar's own ledger says happened."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mulligan.cli.demo.children import running_calendar
from mulligan.cli.demo.server import HOST
from mulligan.testing.remote import RemoteError

PATIENCE = 120

STEPS = (
    "finding  move_event was given day='2026-11-21'",
    "undo     back to",
    "Taken back, and read back to be sure",
    "move_event(dinner, 2026-11-20): 200 OK",
    "confidence: medium",
    "look     by its key",
    "the agent's, v8",
    "Mum's, v9",
    "mulligan approve",
    "kill -9",
    "mulligan log",
    "mulligan open",
    "found 0 times",
)
"""What the terminal shows, in this order."""


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run it in a narrow terminal, and in a folder whose files are called like modules."""
    for module in ("calendar", "json", "server"):
        (folder / f"{module}.py").write_text("raise SystemExit('not the module you wanted')\n")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    return subprocess.run(
        [sys.executable, "-P", "-W", "error", "-m", "mulligan", "demo", *options],
        cwd=folder, env={**clean, "COLUMNS": "80"},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The story's facts."""
    done = demo(tmp_path_factory.mktemp("reader"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def effects(told: Mapping[str, Any], title: str) -> list[tuple[str, str, str]]:
    """What ever happened to an event: who, what, and the day it was on then."""
    ids = {line["id"] for line in told["ledger"] if line["data"].get("title", "") == title}
    return [
        (line["by"], line["op"], line["data"]["day"])
        for line in told["ledger"]
        if line["id"] in ids
    ]


def test_a_wrong_day_is_taken_back_before_the_right_one_is_written(told) -> None:
    assert told["day"] == "2026-11-20"
    assert told["turns"][0]["attempts"] == 2
    assert effects(told, "Dinner") == [
        ("person", "create", "2026-11-18"),
        ("agent", "update", "2026-11-21"),
        ("undo", "update", "2026-11-18"),
        ("agent", "update", "2026-11-20"),
    ]


def test_a_lost_answer_makes_no_second_event(told) -> None:
    assert effects(told, "Piano lesson") == [("agent", "create", "2026-11-17")]
    assert told["turns"][1]["reply"] == "The piano lesson is in."
    assert [row["outcome"] for row in told["rows"] if row["tool"] == "add_event"] == ["unknown"]


def test_a_persons_edit_in_between_survives_and_is_put_before_a_person(told) -> None:
    [conflict] = told["open"]

    assert effects(told, "Dentist")[-1] == ("person", "update", "2026-11-18")
    assert (conflict["state"], conflict["tool"]) == ("conflict", "move_event")
    assert "it is at v9, we left it at v8" in conflict["detail"]["why"]
    assert told["turns"][2]["confidence"] == "low"
    assert told["still_open"] == []


def test_mail_is_sent_once_and_only_after_a_person_said_so(told) -> None:
    assert effects(told, "Mail to Grandma") == [("agent", "create", "2026-11-20")]
    assert told["hold"] == ["held", "approved", "intent", "executed", "verified"]


def test_what_a_killed_process_did_is_reviewed_and_undone_by_the_next(told) -> None:
    assert told["killed"] is True
    assert told["crash"][0] == "intent"
    assert told["crash"][-2:] == ["undoing", "undone"]
    assert effects(told, "Swimming") == [
        ("person", "create", "2026-11-19"),
        ("agent", "update", "2026-11-17"),
        ("undo", "update", "2026-11-19"),
    ]


def test_nothing_happens_twice(told) -> None:
    keys = [line["key"] for line in told["ledger"] if line["key"]]
    undone = [line["before"] for line in told["ledger"] if line["by"] == "undo"]

    assert len(keys) == len(set(keys)) == 5
    assert len(undone) == len(set(undone)) == 2


def test_failing_calls_are_repeated_only_where_that_is_harmless(told) -> None:
    tools = ("find_events", "quote_cake", "share_calendar")
    rows = [(r["tool"], r["outcome"]) for r in told["rows"] if r["tool"] in tools]

    assert rows == [
        ("find_events", "unknown"),
        ("find_events", "success"),
        ("quote_cake", "success"),
        ("share_calendar", "unknown"),
    ]


def test_no_secret_is_on_the_disk(told) -> None:
    assert len(told["found_on_disk"]) == 4
    assert set(told["found_on_disk"].values()) == {0}


def test_the_story_is_told_step_by_step_and_fits_a_narrow_terminal(tmp_path: Path) -> None:
    done = demo(tmp_path, "--no-serve")

    places = [done.stdout.find(step) for step in STEPS]
    assert done.returncode == 0
    assert -1 not in places
    assert places == sorted(places)
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []


async def test_the_calendar_is_a_process_that_ends_with_its_reader(tmp_path: Path) -> None:
    with running_calendar(tmp_path / "ledger") as calendar:
        made = await calendar.create({"title": "Dinner", "day": "2026-11-18"}, id="e", by="person")
        with pytest.raises(RemoteError) as refused:
            await calendar.delete("e", if_version="v7", by="undo")
        left = [line.after for line in await calendar.ledger()]

    assert made.version == "v1"
    assert refused.value.status == 412
    assert left == ["v1"]
    with pytest.raises(ConnectionRefusedError):
        await calendar.get("e")


async def test_an_answer_that_is_lost_leaves_the_effect(tmp_path: Path) -> None:
    with running_calendar(tmp_path / "ledger") as calendar:
        await calendar.lose_next_answer()
        with pytest.raises(ConnectionResetError):
            await calendar.create({"title": "Dinner", "day": "2026-11-18"}, id="e", key="k")
        found = await calendar.answer_to("k")

    assert found is not None
    assert found.id == "e"


async def test_a_reader_that_hangs_up_before_asking_disturbs_nobody(tmp_path: Path, capfd) -> None:
    with running_calendar(tmp_path / "ledger") as calendar:
        socket.create_connection((HOST, calendar.port)).close()
        left = await calendar.ledger()

    assert left == []
    assert capfd.readouterr().err == ""


def test_the_calendar_goes_when_the_story_was_killed(tmp_path: Path) -> None:
    server = [sys.executable, "-m", "mulligan.cli.demo.server", str(tmp_path / "ledger")]
    running = subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    listening = running.stdout.readline()

    running.communicate(timeout=PATIENCE)

    assert int(listening) > 0
    assert running.returncode == 0
