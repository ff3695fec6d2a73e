"""The example runs as it stands: on a server of its own, and on somebody else's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from mulligan_testing.radicale import radicale_server
from tests.judge.endpoint import endpoint

EXAMPLE = Path(__file__).parents[2] / "examples" / "family_calendar.py"
DINNER = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Mum//EN\r\nBEGIN:VEVENT\r\nUID:d1\r\n"
    "DTSTAMP:20261101T080000Z\r\nSUMMARY:Dinner\r\nDTSTART:20261118T170000Z\r\n"
    "DTEND:20261118T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def one_day_too_far(asked: dict) -> tuple[str, dict] | str:
    """What a model does that looks the event up, errs, and heeds what it is told."""
    said = asked["messages"]
    done = [call["function"]["name"] for each in said for call in each.get("tool_calls") or ()]
    if "get_calendar_events" not in done:
        return "get_calendar_events", {"start": "2026-11-15", "end": "2026-11-22"}
    if "update_calendar_event" not in done:
        [found] = [each["content"] for each in said if each["role"] == "tool"]
        day = 20 if "Fix: Use Friday 2026-11-20" in json.dumps(said) else 21
        move = {"event_id": json.loads(found)[0]["id"], "start": f"2026-11-{day}T18:00"}
        return "update_calendar_event", move
    return "Dinner is on Friday, as the model says."


def run_example(*options: str, folder: Path, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE), *options],
        cwd=folder,
        env={**clean, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_scripted_agent_is_corrected_on_a_server_of_its_own(tmp_path: Path) -> None:
    told = run_example(folder=tmp_path)

    assert "Saturday" in told
    assert "after 2 attempts" in told
    assert told.splitlines()[-1].split() == ["2026-11-20T18:00:00+01:00", "Dinner"]


def test_it_works_on_the_calendar_it_is_given(tmp_path: Path) -> None:
    with radicale_server() as server:
        calendar = server.calendar()
        server.put(calendar, DINNER, name="d1.ics")

        run_example("--url", calendar, "--store", f"sqlite:///{tmp_path}/f.db", folder=tmp_path)

        [dinner] = server.export(calendar).values()

    assert b"DTSTART:20261120T170000Z" in dinner


def test_any_model_can_be_the_agent_and_is_not_shown_what_mulligan_fills_in(tmp_path: Path) -> None:
    with endpoint() as server:
        server.play = one_day_too_far

        told = run_example(
            "--model", "openai-chat:any", folder=tmp_path,
            OPENAI_BASE_URL=server.url, OPENAI_API_KEY="a key nobody checks",
        )  # fmt: skip

    tools = {tool["function"]["name"]: tool["function"] for tool in server.asked[0]["tools"]}
    shown = {name for tool in tools.values() for name in tool["parameters"]["properties"]}
    assert "as the model says" in told
    assert "after 2 attempts" in told
    assert told.splitlines()[-1].split() == ["2026-11-20T18:00:00+01:00", "Dinner"]
    assert len(tools) == 8
    assert shown.isdisjoint({"uid", "if_match", "if_absent"})
