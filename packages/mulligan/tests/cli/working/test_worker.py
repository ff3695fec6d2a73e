"""`mulligan worker`, as a process of its own and once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from mulligan.cli.main import main

APPLICATION = """
from pathlib import Path
from mulligan import Effect, Mulligan

m = Mulligan("sqlite:///{folder}/family.db", recover=False)

@m.tool(effect=Effect.IRREVERSIBLE)
def invite(name: str) -> str:
    with Path("{folder}/sent").open("a") as sent:
        sent.write(name + "\\n")
    return "sent"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "worked_app.py").write_text(textwrap.dedent(APPLICATION.format(folder=tmp_path)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("worked_app", None)


def approve_one(folder: Path) -> None:
    app = import_module("worked_app")
    done = app.m.act_sync("Invite her", lambda _: app.invite("Grandma"))
    app.m.close()
    assert main(["approve", done.open_actions[0], "--store", f"sqlite:///{folder}/family.db"]) == 0
    sys.modules.pop("worked_app")


def ask_health(port: int) -> dict[str, object]:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health") as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            return json.load(error)


def test_once_carries_out_what_was_approved_and_says_so(folder, capsys) -> None:
    approve_one(folder)
    capsys.readouterr()

    code = main(["worker", "--app", "worked_app:m", "--once", "--json"])

    said = json.loads(capsys.readouterr().out)
    assert (code, said["recovered"] > 0, said["open_actions"]) == (0, True, 0)
    assert (folder / "sent").read_text() == "Grandma\n"


def test_a_worker_runs_until_it_is_told_to_stop(folder) -> None:
    approve_one(folder)
    command = [sys.executable, "-m", "mulligan", "worker", "--app", "worked_app:m", "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [*command, "--health", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout is not None
        started = json.loads(process.stdout.readline())
        deadline = time.monotonic() + 60
        health: dict[str, object] = {}
        while not health.get("healthy") and time.monotonic() < deadline:
            time.sleep(0.02)
            health = ask_health(started["port"])
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)
    finally:
        process.kill()

    assert (folder / "sent").read_text() == "Grandma\n"
    assert (started["event"], started["tools"]) == ("started", ["invite"])
    assert health["healthy"]
    assert json.loads(rest)["event"] == "stopped"
    assert process.returncode == 0


def test_without_an_application_there_is_nothing_it_could_do(folder, capsys) -> None:
    assert main(["worker"]) == 2
    assert "--app MODULE:NAME" in capsys.readouterr().err


@pytest.mark.parametrize("grace", ["-1", "soon", "1e9"])
def test_a_grace_is_a_number_of_seconds(grace, capsys) -> None:
    with pytest.raises(SystemExit):
        main(["worker", "--grace", grace])
    assert "number of seconds" in capsys.readouterr().err
