"""Children that really die: forked from a warm parent, and heard of through a pipe."""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TIMEOUT = 1_800
"""Seconds after which a child counts as hung: far more than any needs on a loaded machine."""

A_LONG_TIME = 6 * 3_600
"""Seconds for a child that has children of its own."""


class ChildError(Exception):
    """A child ended in a way that nobody planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a child ended."""

    killed: bool
    said: Any = None
    """What its work returned, where it lived long enough."""


def in_child(work: Callable[[], object]) -> Ended:
    """Do some work in a process of its own, which may be killed on its way."""
    return start_child(work)()


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """Some work under way in a process of its own; call it to wait for its end."""

    pid: int
    reading: int

    def __call__(self) -> Ended:
        """How it ended."""
        return _ended(self.pid, self.reading)


def start_child(work: Callable[[], object], *, timeout: int = TIMEOUT) -> Child:
    """Begin some work in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work_and_exit(work, writing, timeout)
    os.close(writing)
    return Child(pid=child, reading=reading)


def _ended(child: int, reading: int) -> Ended:
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGKILL:
            return Ended(killed=True)
        raise ChildError(f"A child ended by signal {os.WTERMSIG(status)}: it hung, or crashed.")
    said = json.loads(text)
    if "trouble" in said:
        raise ChildError(said["trouble"])
    return Ended(killed=False, said=said["answer"])


class Gate:
    """Where a child waits, in the middle of its work, until its parent lets it go on."""

    def __init__(self) -> None:
        self._arrived, self._arrive = os.pipe()
        self._opened, self._open = os.pipe()

    def wait(self) -> None:
        """In the child: say that it is here, and wait."""
        os.write(self._arrive, b".")
        os.read(self._opened, 1)

    def reached(self) -> bool:
        """In the parent: wait until the child is there, or has ended without coming by."""
        os.close(self._arrive)
        return os.read(self._arrived, 1) == b"."

    def open(self) -> None:
        """Let the child go on."""
        os.write(self._open, b".")

    def close(self) -> None:
        """Nobody will come by any more."""
        for end in (self._arrived, self._opened, self._open):
            os.close(end)


def _work_and_exit(work: Callable[[], object], writing: int, timeout: int) -> None:
    """Never comes back: what the parent would do at its end is not the child's to do."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(timeout)
    try:
        said: dict[str, object] = {"answer": work()}
    except BaseException:
        said = {"trouble": traceback.format_exc()}
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(json.dumps(said).encode())
    os._exit(0)
