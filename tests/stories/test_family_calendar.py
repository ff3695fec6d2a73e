"""The example runs as it stands: on a server of its own, and on somebody else's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mulligan.testing.radicale import radicale_server

EXAMPLE = Path(__file__).parents[2] / "examples" / "family_calendar.py"
DINNER = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Mum//EN\r\nBEGIN:VEVENT\r\nUID:d1\r\n"
    "DTSTAMP:20261101T080000Z\r\nSUMMARY:Dinner\r\nDTSTART:20261118T170000Z\r\n"
    "DTEND:20261118T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def run_example(*options: str, folder: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE), *options],
        cwd=folder,
        env=clean,
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
