"""What a command prints: it fits a terminal, and for programs it is JSON and nothing else."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from mulligan.cli import render, terminal
from mulligan.cli.main import main
from mulligan.cli.render import (
    build_block,
    escape_text,
    format_log_line,
    print_json,
    print_log,
    shorten_ids,
)
from mulligan.cli.terminal import show_waiting
from mulligan.types.action import State
from mulligan.types.call import Outcome
from tests.telemetry.rows import a_row


def test_text_of_a_tool_gives_a_terminal_no_orders() -> None:
    assert escape_text("a\x1b[31mb\u200d\n") == "a\\x1b[31mb\\u200d\\x0a"
    assert escape_text("\x9b2J \u202e \u3164 \ufe0f") == "\\x9b2J \\u202e \\u3164 \\ufe0f"
    assert "\x1b" not in format_log_line(a_row(result="\x1b]0;owned\x07")).plain


def test_json_gives_a_terminal_no_orders_either(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"note": "\x9b31m\x85\u202egnp.exe\u2069"}

    print_json(value)

    shown = capsys.readouterr().out
    assert shown.isascii()
    assert json.loads(shown) == value


def test_json_has_iso_times_seconds_and_whole_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    at = datetime(2026, 11, 16, 9, tzinfo=UTC)
    value = {"at": at, "lease": timedelta(seconds=30), "calls": 12.0, "share": 0.5, "tools": {"a"}}

    print_json({**value, "path": Path("a.db"), "state": State.HELD, "open": True, "none": None})

    assert json.loads(capsys.readouterr().out) == {
        "at": "2026-11-16T09:00:00+00:00",
        "lease": 30,
        "calls": 12,
        "share": 0.5,
        "tools": ["a"],
        "path": "a.db",
        "state": "held",
        "open": True,
        "none": None,
    }


@pytest.mark.parametrize(("width", "table"), [(119, False), (120, True)])
def test_rows_are_a_table_where_there_is_room_for_one(
    width: int, table: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = a_row(outcome=Outcome.FAILURE)

    print_log(Console(width=width), [failed], became={failed.id: State.UNDONE})

    shown = capsys.readouterr().out
    assert "undone" in shown, "what became of its effect"
    assert failed.id[:8] in shown
    assert ("\u2503" in shown) is table
    assert "answer" in shown


def test_a_failure_is_shown_with_where_it_was_raised_and_called_from() -> None:
    failed = a_row(outcome=Outcome.FAILURE)._replace(error_at="shop/desk.py:42 < shop/tool.py:7")

    shown = format_log_line(failed).plain

    assert shown.endswith("[shop/desk.py:42 < shop/tool.py:7]")
    assert "[" not in format_log_line(a_row(result="fine")).plain.rpartition("fine")[2]


def test_long_values_are_cut_where_people_read() -> None:
    shown = format_log_line(a_row(result="x" * 1_000)).plain

    assert "x" * 239 + "\u2026" in shown
    assert "x" * 240 not in shown


def test_ids_are_shown_by_as_much_as_tells_them_apart() -> None:
    ids = ["01a1e302e53c7000aaaa00ff", "01a1e302e53c7000aabb00ff", "ff00ff00ff00ff00ff00ff00"]

    names = shorten_ids(ids)

    assert [sum(each.startswith(name) for each in ids) for name in names.values()] == [1, 1, 1]
    assert sorted(map(len, names.values())) == [16, 20, 20]


def test_a_text_of_several_lines_is_shown_as_such_and_none_looks_like_ours() -> None:
    shown = build_block("one\nThere is nothing open.\x1b[2J").plain

    assert shown == "    one\n    There is nothing open.\\x1b[2J"


NOISY = """
import os, subprocess, sys
from mulligan.cli.terminal import keep_stdout, print_line
with keep_stdout():
    print("python")
    os.write(1, b"descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('process')"], check=True)
    print_line("{}")
print("afterwards")
"""


def test_what_their_processes_print_does_too() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", NOISY], capture_output=True, text=True, check=True, timeout=60
    )

    assert ran.stdout == "{}\nafterwards\n"
    assert sorted(ran.stderr.split()) == ["descriptor", "process", "python"]


APPLICATION = """
from mulligan import Mulligan

print("the application says hello")
m = Mulligan("memory:")
"""


@pytest.mark.parametrize("command", [["worker", "--once"], ["evaluate", "--limit", "2"]])
def test_an_application_that_prints_leaves_json_alone(
    command: list[str], tmp_path: Path, monkeypatch, capsys
) -> None:
    name = f"noisy_{command[0]}"
    (tmp_path / f"{name}.py").write_text(APPLICATION)
    monkeypatch.chdir(tmp_path)

    main([*command, "--app", f"{name}:m", "--json"])

    said = capsys.readouterr()
    assert json.loads(said.out) is not None
    assert "the application says hello" in said.err


class Screen(io.StringIO):
    """A terminal, as far as anybody asks."""

    def isatty(self) -> bool:
        return True


def watch(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Sit in front of it. Called by the tests: pytest itself sets it anew before each of them."""
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(terminal, "AFTER", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    return made


def wait_for(screen: Screen, word: str) -> None:
    until = time.monotonic() + 60
    while word not in screen.getvalue():
        assert time.monotonic() < until, screen.getvalue()
        time.sleep(0.01)


def test_a_bar_is_shown_while_nothing_is_said_and_then_goes(monkeypatch, capsys) -> None:
    screen = watch(monkeypatch)

    with show_waiting("doctor"):
        wait_for(screen, "doctor")
        render.make_console().print("Nothing needs attention.")
        gone = len(screen.getvalue())
        time.sleep(0.2)

    assert len(screen.getvalue()) == gone, "nothing is drawn beside what was printed"
    assert "doctor" not in capsys.readouterr().out


def test_nobody_sits_at_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(terminal, "AFTER", 0.0)

    with show_waiting("doctor"):
        time.sleep(0.1)

    assert pipe.getvalue() == ""
