"""The demo's story, by what reached the calendar server and what that has in the end."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan.cli.main import main
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.log import LogQuery
from mulligan.types.values import from_us
from mulligan_demo import command
from mulligan_demo.history import DAYS
from mulligan_demo.story import find_program

pytestmark = [pytest.mark.promise(10), pytest.mark.full]

TIMEOUT = 120

STEPS = (
    "Without Mulligan",
    "Piano lesson         Tue Nov 17 16:00, 2x",
    "The same agent",
    "finding  update_calendar_event was given",
    "undo     back to Dinner, Wed Nov 18 18:00",
    "Fix: Use Friday 2026-11-20 for start. Undone and verified.",
    "update_calendar_event(dinner, 2026-11-20T18:00): OK",
    "confidence: medium",
    "): no answer",
    "person   Mum",
    "conflict",
    "mulligan approve",
    "kill -9",
    "intent → executed → pending_review → undoing → undone",
    "With Mulligan, the family finds",
    "Piano lesson         Tue Nov 17 16:00  ",
    "undone after the crash; ask again",
    "found 0 times",
    "Next (the store of this story is gone)",
    "mulligan replay --example",
)
"""What the terminal shows, in this order."""


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run it in a narrow terminal, and in a folder whose files are called like modules."""
    for module in ("calendar", "json", "radicale", "server"):
        (folder / f"{module}.py").write_text("raise SystemExit('not the module you wanted')\n")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    return subprocess.run(
        [sys.executable, "-P", "-W", "error", "-m", "mulligan", "demo", *options],
        cwd=folder, env={**clean, "COLUMNS": "80"},
        capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The story's facts."""
    done = demo(tmp_path_factory.mktemp("reader"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def writes(told: Mapping[str, Any], title: str) -> list[tuple[str, int]]:
    """What the agent's program ever had the server write of an event, and what that said."""
    return [(w["what"], w["status"]) for w in told["written"] if w["what"].startswith(title)]


def on_server(told: Mapping[str, Any], title: str) -> list[str]:
    return [event["start"][:10] for event in told["events"] if event["title"].startswith(title)]


def test_a_wrong_day_is_taken_back_before_the_right_one_is_written(told) -> None:
    wrong, back, right = (w for w in told["written"] if w["what"].startswith("Dinner, "))

    assert told["day"] == "2026-11-20"
    assert told["turns"][0]["attempts"] == 2
    assert [w["what"][8:18] for w in (wrong, back, right)] == [
        "Sat Nov 21", "Wed Nov 18", "Fri Nov 20",
    ]  # fmt: skip
    assert back["over"] == wrong["etag"]
    assert back["etag"] == wrong["over"] == right["over"]


def test_a_lost_answer_makes_no_second_event(told) -> None:
    tries = [row for row in told["rows"] if row["tool"] == "create_calendar_event"][:2]

    assert writes(told, "Piano") == [("Piano lesson, Tue Nov 17 16:00", s) for s in (201, 412)]
    assert on_server(told, "Piano") == ["2026-11-17"]
    assert told["turns"][1]["reply"] == "The piano lesson is in."
    assert [row["outcome"] for row in tries] == ["unknown", "success"]


def test_a_persons_edit_in_between_survives_and_is_put_before_a_person(told) -> None:
    [conflict] = told["open"]
    [dentist] = [event for event in told["events"] if event["id"] == "dentist"]
    [ours] = [w["etag"] for w in told["written"] if w["what"].startswith("Dentist")]

    assert (dentist["title"], dentist["start"][:10]) == ("Dentist, with Ben", "2026-11-18")
    assert (conflict["state"], conflict["tool"]) == ("conflict", "update_calendar_event")
    assert conflict["detail"]["left_at"] == ours
    assert conflict["detail"]["now_at"] == dentist["etag"]
    assert told["turns"][2]["confidence"] == "low"
    assert told["still_open"] == []


def test_an_invitation_is_written_once_and_only_after_a_person_said_so(told) -> None:
    assert writes(told, "Dinner with") == [("Dinner with Grandma, Fri Nov 20 18:00", 201)]
    assert told["hold"] == ["held", "approved", "intent", "executed", "unchecked"]


def test_what_a_killed_process_did_is_reviewed_and_undone_by_the_next(told) -> None:
    wrong, back = (w for w in told["written"] if w["what"].startswith("Swimming"))

    assert told["killed"] is True
    assert told["crash"][0] == "intent"
    assert told["crash"][-2:] == ["undoing", "undone"]
    assert on_server(told, "Swimming") == ["2026-11-19"]
    assert (back["over"], back["etag"]) == (wrong["etag"], wrong["over"])


def test_without_mulligan_the_same_agent_leaves_its_mistakes(told) -> None:
    left = [(event["title"], event["start"][:10]) for event in told["without"]]

    assert sorted(left) == [
        ("Dentist, with Ben", "2026-11-18"),
        ("Dinner", "2026-11-21"),
        ("Dinner with Grandma", "2026-11-20"),
        ("Piano lesson", "2026-11-17"),
        ("Piano lesson", "2026-11-17"),
        ("Swimming", "2026-11-17"),
    ]


def test_nothing_is_written_over_what_was_not_read(told) -> None:
    made = [w for w in told["written"] if not w["over"] and 200 <= w["status"] < 300]
    changed = [w["over"] for w in told["written"] if w["over"]]

    assert len(made) == 2
    assert {w["status"] for w in told["written"]} == {201, 204, 412}
    assert len(changed) == 6


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
    assert len(done.stdout.splitlines()) <= 60


def test_the_dashboards_link_is_whole_and_ctrl_d_ends_it_quietly(tmp_path: Path) -> None:
    screen, terminal = pty.openpty()
    story = subprocess.Popen(
        [sys.executable, "-P", "-m", "mulligan", "demo"],
        cwd=tmp_path, env={**os.environ, "COLUMNS": "80", "TMPDIR": str(tmp_path)},
        stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    while not (link := re.search(rb"http://127\.0\.0\.1:\d+/enter\S+\r\n", shown)):
        shown += os.read(screen, 4096)

    os.write(screen, b"\x04")

    assert story.wait(TIMEOUT) == 0
    assert len(link[0]) > 80
    assert b"Traceback" not in shown


def test_ctrl_c_ends_the_story_and_leaves_nothing_behind(tmp_path: Path) -> None:
    story = subprocess.Popen(
        [sys.executable, "-P", "-m", "mulligan", "demo"],
        cwd=tmp_path, env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while '1. "Move dinner' not in story.stdout.readline():
        assert story.poll() is None
    during = list(tmp_path.iterdir())

    story.send_signal(signal.SIGINT)
    _, complaint = story.communicate(timeout=TIMEOUT)

    assert (story.returncode, complaint) == (130, "")
    assert len(during) > 0
    assert list(tmp_path.iterdir()) == []


def test_the_next_steps_are_named_as_they_are_typed_in_a_checkout(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))

    assert find_program() == ".venv/bin/mulligan"


@pytest.mark.parametrize("module", ["caldav", "icalendar", "radicale"])
def test_what_is_missing_is_one_sentence(module: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == module else name)

    code = main(["demo"])

    assert code == 2
    assert capsys.readouterr().err == (
        'mulligan: The demo\'s calendar needs an extra: pip install "mulligan[demo]", or in a '
        "checkout make demo.\n"
    )


def test_a_month_of_the_office_is_lived_into_a_store_and_ends_now(
    capsys, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = f"sqlite:///{tmp_path}/office.db"

    code = main(["demo", "--history", "--turns", "60", "--store", store, "--json"])
    told = json.loads(capsys.readouterr().out)
    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(limit=5_000))
        shown = insights.figures(timedelta(days=DAYS + 1)).all_calls

    assert code == 0
    assert (told["store"], told["days"]) == (store, DAYS)
    assert shown.calls == told["calls"] > told["turns"] > 60
    assert len({from_us(row.at_us).date() for row in rows}) >= DAYS - 2
    assert max(from_us(row.at_us) for row in rows) <= datetime.now(UTC)
    assert told["open_actions"] >= 2
    assert shown.repaired
