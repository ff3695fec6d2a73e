"""`mulligan worker`, as a process of its own and once, and what it says of its health."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from importlib import import_module
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from mulligan.app.application import WorkerHealth
from mulligan.cli.main import main
from mulligan.cli.worker import build_response, parse_address, serve_health
from mulligan.types.errors import ConfigurationError

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "worked_app.py").write_text(textwrap.dedent(APPLICATION.format(folder=tmp_path)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def approve_one(folder: Path) -> None:
    app = import_module("worked_app")
    done = app.m.act_sync("Invite her", lambda _: app.invite("Grandma"))
    app.m.close()
    assert main(["approve", done.open_actions[0], "--store", f"sqlite:///{folder}/family.db"]) == 0
    sys.modules.pop("worked_app")


SYNC = """
m.act_sync("Invite her", lambda turn: invite("Grandma"))
"""
ASYNC = """
import asyncio

async def agent(turn):
    return invite("Grandma")

asyncio.run(m.act("Invite her", agent))
"""


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (SYNC, "Importing script runs its agent, so it was stopped there."),
        (ASYNC, "Importing script runs its agent, so it was stopped there."),
        ('with m.turn("Invite her"): invite("Grandma")', "runs its agent"),
        ('invite("Grandma")', "runs its agent"),
        ("m.close()", "Importing script closes 'script:m'."),
    ],
)
@pytest.mark.parametrize("command", [["worker", "--once"], ["undo", "01a1"]])
def test_a_script_that_acts_when_it_is_imported_does_nothing_again(
    folder, capsys, monkeypatch, command, ends, said
) -> None:
    url = f"sqlite:///{folder}/family.db"
    (folder / "script.py").write_text(f"{APPLICATION.format(folder=folder)}\n{ends}\n")
    assert main(["migrate", "--store", url]) == 0

    code = main([*command, "--app", "script:m"])

    told = capsys.readouterr().err
    assert code == 2
    assert said in told
    assert 'if __name__ == "__main__":' in told
    assert main(["actions", "--store", url]) == 0
    assert "No actions match." in capsys.readouterr().out


def test_a_module_that_is_not_here_is_told_to_be_looked_for_elsewhere(folder, capsys) -> None:
    assert main(["worker", "--app", "nowhere_at_all:m"]) == 2
    assert "Run this in the folder that has nowhere_at_all, or install it." in (
        capsys.readouterr().err
    )


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


AS_ON_WINDOWS = """
import runpy
from asyncio.unix_events import _UnixSelectorEventLoop as Loop

del Loop.add_signal_handler, Loop.remove_signal_handler
runpy.run_module("mulligan", run_name="__main__")
"""


@pytest.mark.parametrize("program", [["-m", "mulligan"], ["-c", AS_ON_WINDOWS]])
def test_a_worker_runs_until_it_is_told_to_stop(folder, program: list[str]) -> None:
    approve_one(folder)
    command = [sys.executable, *program, "worker", "--app", "worked_app:m", "--json"]
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


WELL = WorkerHealth(healthy=True, why="Fine.", passes=3, seconds_since_pass=0.5)

ILL = WorkerHealth(healthy=False, why="Away.", passes=3, seconds_since_pass=9.0)


@pytest.mark.parametrize(
    ("request_line", "health", "status"),
    [
        ("GET /health HTTP/1.1", WELL, 200),
        ("GET /health?verbose HTTP/1.1", ILL, 503),
        ("HEAD /health HTTP/1.1", ILL, 503),
        ("GET /live HTTP/1.1", ILL, 200),
        ("GET / HTTP/1.1", WELL, 404),
        ("POST /health HTTP/1.1", WELL, 405),
        ("nonsense", WELL, 405),
    ],
)
def test_a_request_is_answered_by_its_first_line(request_line, health, status) -> None:
    head, _, body = build_response(request_line, lambda: health).partition(b"\r\n\r\n")

    assert head.split()[1] == str(status).encode()
    assert (body == b"") is request_line.startswith("HEAD")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8391", ("127.0.0.1", 8391)),
        ("[::1]:80", ("::1", 80)),
        (":80", ("127.0.0.1", 80)),
        ("80", ("127.0.0.1", 80)),
    ],
)
def test_an_address_is_read(text, address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["here", "a:b", "a:99999", ""])
def test_what_is_no_address_is_refused(text) -> None:
    with pytest.raises(ConfigurationError, match="HOST:PORT"):
        parse_address(text)


async def test_a_port_that_is_taken_is_named() -> None:
    async with serve_health(("127.0.0.1", 0), lambda: WELL) as port:
        with pytest.raises(ConfigurationError, match=f"{port} cannot be listened on"):
            async with serve_health(("127.0.0.1", port), lambda: WELL):
                pass
