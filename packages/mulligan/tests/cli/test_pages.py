"""The dashboard's commands: serve it, print a page, the overview, and one file of all views."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from mulligan import Mulligan
from mulligan.cli.commands import COMMANDS, EXTRAS, VIEWS
from mulligan_dashboard.sections import SECTIONS
from tests.cli.running import run


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--host", "0.0.0.0", "--no-token"), "ssh -L"),
        (("--host", "0.0.0.0"), "--name dashboard.example.com"),
    ],
)
def test_it_refuses_to_be_where_strangers_could_come_in(store, capsys, options, says) -> None:
    code, _, error = run(capsys, "dashboard", "--store", store, *options)

    assert code == 2
    assert says in error


@pytest.fixture
def serve(store) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start it in a process of its own, which ends on Ctrl-C."""
    command = [sys.executable, "-m", "mulligan", "dashboard", "--store", store, "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
    begun: list[subprocess.Popen[str]] = []

    def start(*options: str) -> subprocess.Popen[str]:
        served = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, text=True, env=environment
        )
        begun.append(served)
        return served

    yield start
    for served in begun:
        served.send_signal(signal.SIGINT)
        code = served.wait(60)
        served.stdout.close()
        assert code in (0, 130, -signal.SIGINT)


def visit(link: str) -> str:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link, timeout=60) as page:
        return page.read().decode()


@pytest.mark.full
def test_it_prints_links_serves_and_ends_on_ctrl_c(serve) -> None:
    served = serve()

    lines = [served.stdout.readline() for _ in range(4)]
    links = re.findall(r"http://127\.0\.0\.1:\d+/enter\?token=\S+", "".join(lines))

    assert len(links) == 3
    assert "<h1>Overview</h1>" in visit(links[0])


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "says", "role"),
    [
        ((), "to change lessons, tasks and rules", "admin"),
        (("--role", "decide"), "to look and decide", "decide"),
        (("--role", "look"), "to look", "look"),
    ],
)
def test_without_tokens_it_says_what_everybody_may_do_and_lets_them_do_no_more(
    serve, options, says, role
) -> None:
    served = serve("--no-token", *options)

    head, link = served.stdout.readline(), served.stdout.readline()

    assert "every user and program of this machine is let in" in head
    assert re.fullmatch(rf"  {says} +(http://127\.0\.0\.1:\d+/)\n", link)
    assert f"· {role}</p>" in visit(link.split()[-1])


@pytest.mark.full
@pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)
def test_every_page_is_a_command_too(store, capsys, section) -> None:
    code, out, _ = run(capsys, "view", section.name, "--store", store)

    assert code == 0
    assert section.rows in ("", *json.loads(out))


def test_who_types_a_page_is_told_its_command() -> None:
    commands = {*COMMANDS, *EXTRAS}

    assert {*VIEWS} == {each.name for each in SECTIONS} - commands


def test_its_table_is_for_a_spreadsheet(store, capsys) -> None:
    _, out, _ = run(capsys, "view", "tools", "--csv", "--store", store)
    nothing = run(capsys, "view", "tools", "--csv", "--agent", "nobody there", "--store", store)

    rows = list(csv.DictReader(out.splitlines()))
    assert rows
    assert {"name", "excess"} <= set(rows[0])
    assert nothing[1].strip() == ""


def test_one_thing_has_an_id(store, capsys) -> None:
    _, out, _ = run(capsys, "view", "turns", "--store", store)
    turn = json.loads(out)["rows"][0]["turn"]

    _, one, _ = run(capsys, "view", "turns", turn, "--store", store)
    code, _, err = run(capsys, "view", "tools", "x", "--store", store)

    assert json.loads(one)["row"]["turn"] == turn
    assert (code, "has no single items" in err) == (2, True)


def test_a_turn_is_listed_by_its_request_and_shows_what_its_calls_were_given(
    tmp_path, capsys
) -> None:
    url, days = f"sqlite:///{tmp_path}/app.db", {"dinner": "2026-11-18"}
    with Mulligan(url) as m:

        @m.tool(
            effect="reversible",
            before=lambda record: days[record.arguments["event"]],
            undo=lambda record: days.update({record.arguments["event"]: record.before}),
        )
        def move_event(event: str, day: str) -> None:
            days[event] = day

        m.act_sync("Move dinner to Friday", lambda turn: move_event("dinner", "2026-11-20"))

    [row] = json.loads(run(capsys, "view", "turns", "--store", url)[1])["rows"]
    page = json.loads(run(capsys, "view", "turns", row["turn"], "--store", url)[1])
    run(capsys, "report", "--store", url, "-o", str(tmp_path / "all.html"))

    assert row["request"] == "Move dinner to Friday"
    assert page["calls"][0]["arguments"] == {"event": "dinner", "day": "2026-11-20"}
    whole = (tmp_path / "all.html").read_text()
    assert "Move dinner to Friday" in whole
    assert "derived: " not in whole
