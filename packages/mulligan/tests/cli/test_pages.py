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

import pytest

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


@pytest.mark.full
def test_it_prints_links_serves_and_ends_on_ctrl_c(store) -> None:
    command = [sys.executable, "-m", "mulligan", "dashboard", "--store", store, "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        lines = [served.stdout.readline() for _ in range(4)]
        links = re.findall(r"http://127\.0\.0\.1:\d+/enter\?token=\S+", "".join(lines))
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(links[0], timeout=60) as page:
            shown = page.read().decode()
    finally:
        served.send_signal(signal.SIGINT)
        code = served.wait(60)
        served.stdout.close()
    assert len(links) == 3
    assert "<h1>Overview</h1>" in shown
    assert code in (0, 130, -signal.SIGINT)


@pytest.mark.full
@pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)
def test_every_page_is_a_command_too(store, capsys, section) -> None:
    code, out, _ = run(capsys, "view", section.name, "--store", store)

    assert code == 0
    assert section.rows in ("", *json.loads(out))


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
