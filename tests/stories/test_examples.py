"""Every example runs as it stands and does what it says; those of hosts are beside this file."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from mulligan import Mulligan
from mulligan.types.log import LogQuery
from mulligan_gateway.api import create_api
from mulligan_testing.radicale import radicale_server
from tests.gateway.web import serve_app
from tests.judge.endpoint import endpoint

pytestmark = pytest.mark.full

EXAMPLES = Path(__file__).parents[2] / "examples"
NODE = shutil.which("node") or ""
DINNER = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Mum//EN\r\nBEGIN:VEVENT\r\nUID:d1\r\n"
    "DTSTAMP:20261101T080000Z\r\nSUMMARY:Dinner\r\nDTSTART:20261118T170000Z\r\n"
    "DTEND:20261118T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def run_example(path: Path, *options: str, folder: Path, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path), *options],
        cwd=folder, env={**clean, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


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


def run_calendar(*options: str, folder: Path, **environment: str) -> str:
    return run_example(EXAMPLES / "family_calendar.py", *options, folder=folder, **environment)


def test_in_the_family_calendar_a_scripted_agent_is_corrected(tmp_path: Path) -> None:
    told = run_calendar(folder=tmp_path)

    assert "Saturday" in told
    assert "after 2 attempts" in told
    assert told.splitlines()[-1].split() == ["2026-11-20T18:00:00+01:00", "Dinner"]


def test_the_family_calendar_works_on_the_server_it_is_given(tmp_path: Path) -> None:
    with radicale_server() as server:
        calendar = server.calendar()
        server.put(calendar, DINNER, name="d1.ics")

        run_calendar("--url", calendar, "--store", f"sqlite:///{tmp_path}/f.db", folder=tmp_path)

        [dinner] = server.export(calendar).values()

    assert b"DTSTART:20261120T170000Z" in dinner


def test_any_model_can_be_the_agent_and_is_not_shown_what_mulligan_fills_in(tmp_path: Path) -> None:
    with endpoint() as server:
        server.play = one_day_too_far

        told = run_calendar(
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


def test_through_the_gateway_a_write_is_undone_and_a_message_is_asked_about(tmp_path: Path) -> None:
    # Another's umask may let others write there, which a file of declarations must not allow.
    shutil.copytree(EXAMPLES / "gateway", tmp_path / "gateway")
    (tmp_path / "gateway" / "declarations.toml").chmod(0o600)

    said = run_example(tmp_path / "gateway" / "client.py", folder=tmp_path)

    lines = said.splitlines()
    assert lines[0] == "update_note: wrote shopping"
    assert "undone" in lines[2]
    assert "milk, bread" in lines[3]
    assert "the person is asked" in said
    assert lines[-1] == "send_note: sent shopping to ann@example.com"


def strip_types(source: str) -> str:
    """TypeScript as Node 20 can run it; what it cannot strip so is a mistake in the example."""
    source = re.sub(r"(?ms)^interface \w+ \{.*?^\}\n", "", source)
    source = re.sub(r"(?m)^(?:type|declare) .*\n", "", source)
    return re.sub(r"(?m)^(\s*(?:export )?const \w+): .+? = ", r"\1 = ", source)


def find_principal(headers: Mapping[str, str]) -> Any:
    assert headers["authorization"] == "Bearer t"
    return "ann"


@pytest.mark.skipif(not NODE, reason="Node is not installed")
async def test_in_typescript_a_call_is_repaired_and_reported_over_http(tmp_path: Path) -> None:
    script = tmp_path / "mulligan.mjs"
    script.write_text(strip_types((EXAMPLES / "http_api" / "mulligan.ts").read_text()))
    async with Mulligan("memory:") as m:
        app = Starlette(routes=create_api(m, find_principal=find_principal))
        async with serve_app(app) as url:
            node = await asyncio.create_subprocess_exec(
                NODE, str(script), env={**os.environ, "MULLIGAN_URL": url, "MULLIGAN_TOKEN": "t"},
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            said, complained = await asyncio.wait_for(node.communicate(), 60)
        m.flush()
        rows = m.insights.log(LogQuery(oldest_first=True))

    assert complained.decode() == ""
    assert said.decode() == ('repair: {"order_id":"W17","limit":50} -> W17: pending (unchecked)\n')
    assert [row.outcome for row in rows] == ["failure", "success"]
