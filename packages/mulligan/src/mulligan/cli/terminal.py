"""Where a command writes: standard output is for programs alone.

A bar for what takes more than a second is on standard error, and gone before anything is said.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress


_STDOUT, _STDERR = 1, 2
_kept: list[TextIO | None] = []


@contextmanager
def keep_stdout() -> Iterator[None]:
    """Standard output is for what we print, and what others print meanwhile goes to standard error.

    Applications, writers and judges print what they like, and so do processes that they start; a
    program that reads JSON here must not find it.
    """
    out = _move_stdout()
    _kept.append(out or sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _kept.pop()
        if out is not None:
            os.dup2(out.fileno(), _STDOUT)
            out.close()


def _move_stdout() -> TextIO | None:
    """The process's own standard output under another number; `None` where ours is not that."""
    try:
        if sys.stdout is None or sys.stdout.fileno() != _STDOUT:
            return None
        sys.stdout.flush()
        moved = os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)
    except OSError:
        return None  # one of them is closed
    return os.fdopen(moved, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)


def print_line(text: str) -> None:
    """One line of JSON for programs; nothing where there is no standard output."""
    out = _kept[-1] if _kept else sys.stdout
    if out is not None:
        try:
            text.encode(out.encoding or "utf-8")
        except UnicodeEncodeError:  # what is not ASCII stands in strings, where JSON has escapes
            text = re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
        print(text, file=out, flush=bool(_kept))


def allow_any_character() -> None:
    """Let an output of few characters, such as cp1252, have `?` for the others, and no error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


# Most commands answer before a bar is shown, and then need nothing that draws one.

AFTER = 1.0
"""Seconds in which a command may answer without one."""


class PulsingBar:
    """A pulsing bar, from the first second of silence to the next output."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
        console = Console(stderr=True)
        self._shown = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._shown.add_task(what, total=None)
        self._lock, self._over = threading.Lock(), False
        self._timer = threading.Timer(AFTER, self._start)
        self._timer.daemon = True
        self._timer.start()

    def _start(self) -> None:
        with self._lock:
            if not self._over:
                self._shown.start()

    def end(self) -> None:
        """Take it away, or have it never be shown."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            self._shown.stop()


_current: list[PulsingBar] = []


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """A progress bar while a command runs silently in a terminal."""
    if sys.stderr.isatty():
        _current.append(PulsingBar(what))
    try:
        yield
    finally:
        end_waiting()


def end_waiting() -> None:
    """Something is about to be printed, or another bar to be shown."""
    while _current:
        _current.pop().end()


def sits_a_person(options: argparse.Namespace) -> bool:
    """Whether somebody can be asked: they read what is printed, and type; not with --yes."""
    ends = (sys.stdin, sys.stdout)
    return not (options.json or options.yes) and all(
        each is not None and each.isatty() for each in ends
    )


def agrees(question: str) -> bool:
    """The person's answer; whoever says nothing does not agree."""
    end_waiting()
    try:
        return input(f"{question} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


def make_progress() -> Progress:
    """A bar for what knows how much there is to do."""
    from rich.console import Console
    from rich.progress import Progress

    end_waiting()
    return Progress(console=Console(stderr=True), disable=not sys.stderr.isatty())
