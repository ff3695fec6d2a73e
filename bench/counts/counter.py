"""Lines of our own package that ran, and statements that its stores gave to SQLite."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import apsw

import mulligan
import mulligan_dates
import mulligan_gateway

PACKAGES = tuple(each.__path__[0] for each in (mulligan, mulligan_dates, mulligan_gateway))
"""What libraries do is not counted, as another version of one would change the count."""


class Lines:
    """How many lines of the package have run so far."""

    def __init__(self) -> None:
        self.n = 0

    def on_call(self, frame: FrameType, _event: str, _argument: object) -> Any:
        """Follow a function of ours, and no other."""
        return self._on_line if frame.f_code.co_filename.startswith(PACKAGES) else None

    def _on_line(self, _frame: FrameType, event: str, _argument: object) -> Any:
        self.n += event == "line"
        return self._on_line


def count_lines(work: Callable[[], object]) -> int:
    """The lines that a piece of work runs on this thread."""
    lines, before = Lines(), sys.gettrace()
    sys.settrace(lines.on_call)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines.n


@contextmanager
def count_threads() -> Iterator[Lines]:
    """The lines that threads run which are started in here."""
    lines, before = Lines(), threading.gettrace()
    threading.settrace(lines.on_call)
    try:
        yield lines
    finally:
        threading.settrace(before)


@contextmanager
def count_statements() -> Iterator[list[str]]:
    """Every statement of connections that are opened in here, in order."""
    statements: list[str] = []

    def on_statement(_cursor: object, sql: str, _values: object) -> bool:
        statements.append(sql)
        return True

    def on_connection(connection: apsw.Connection) -> None:
        connection.exec_trace = on_statement

    apsw.connection_hooks.append(on_connection)
    try:
        yield statements
    finally:
        apsw.connection_hooks.remove(on_connection)
