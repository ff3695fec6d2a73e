from __future__ import annotations

import io
import sys
import time

import pytest

from mulligan.cli import render, terminal
from mulligan.cli.terminal import make_progress, show_waiting


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
    until = time.monotonic() + 20
    while word not in screen.getvalue():
        assert time.monotonic() < until, screen.getvalue()
        time.sleep(0.01)


def test_a_bar_is_shown_while_nothing_is_said_and_then_goes(monkeypatch, capsys) -> None:
    screen = watch(monkeypatch)

    with show_waiting("doctor"):
        wait_for(screen, "doctor")
        render.make_console().print("Nothing needs you.")
        gone = len(screen.getvalue())
        time.sleep(0.2)

    assert len(screen.getvalue()) == gone, "nothing is drawn beside what was printed"
    assert "doctor" not in capsys.readouterr().out


def test_who_answers_at_once_shows_none(monkeypatch) -> None:
    screen = watch(monkeypatch)

    with show_waiting("doctor"):
        render.print_json({})
    time.sleep(0.15)

    assert "doctor" not in screen.getvalue()


def test_nobody_sits_at_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(terminal, "AFTER", 0.0)

    with show_waiting("doctor"):
        time.sleep(0.1)

    assert pipe.getvalue() == ""


def test_one_that_knows_how_much_there_is_takes_its_place(monkeypatch) -> None:
    screen = watch(monkeypatch)

    with show_waiting("evaluate"), make_progress() as progress:
        progress.update(progress.add_task("cases", total=2), completed=2)
        time.sleep(0.1)

    assert "100%" in screen.getvalue()
    assert "evaluate" not in screen.getvalue()
