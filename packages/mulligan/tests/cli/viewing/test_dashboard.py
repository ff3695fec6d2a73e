"""`mulligan dashboard`, as far as it goes without serving."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

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


def test_it_prints_links_serves_and_ends_on_ctrl_c(store) -> None:
    command = [sys.executable, "-m", "mulligan", "dashboard", "--store", store, "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        lines = [served.stdout.readline() for _ in range(4)]
        links = re.findall(r"http://127\.0\.0\.1:\d+/enter\?token=\S+", "".join(lines))
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(links[0], timeout=10) as page:
            shown = page.read().decode()
    finally:
        served.send_signal(signal.SIGINT)
        code = served.wait(15)
        served.stdout.close()
    assert len(links) == 3
    assert "<h1>Overview</h1>" in shown
    assert code in (0, 130, -signal.SIGINT)
