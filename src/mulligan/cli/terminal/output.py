"""Where a command writes: standard output is for programs alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

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
    """One line for programs to read; nothing where there is no standard output."""
    out = _kept[-1] if _kept else sys.stdout
    if out is not None:
        print(text, file=out, flush=bool(_kept))
