"""What an error says: nothing is there, somebody refuses, or nobody has answered."""

from __future__ import annotations

import errno
from types import SimpleNamespace

import pytest

from mulligan.runtime.assessment import is_refusal, is_silence, lacks_room, says_gone


class Answered(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class AnsweredInside(Exception):
    """As clients put it that carry the whole response."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.response = SimpleNamespace(status_code=status)


@pytest.mark.parametrize("make", [Answered, AnsweredInside])
@pytest.mark.parametrize(
    ("status", "gone", "refused", "silent"),
    [
        (403, False, True, False),
        (404, True, True, False),
        (410, True, False, False),
        (412, False, False, False),
        (503, False, False, True),
    ],
)
def test_a_status_says_what_it_says_wherever_it_stands(
    make: type[Exception], status: int, gone: bool, refused: bool, silent: bool
) -> None:
    error = make(status)

    assert (says_gone(error), is_refusal(error), is_silence(error)) == (gone, refused, silent)


@pytest.mark.parametrize(
    ("error", "refused", "silent"),
    [
        (TimeoutError(), False, True),
        (ConnectionResetError(), False, True),
        (PermissionError(), True, False),
        (RuntimeError("404"), False, False),
    ],
)
def test_without_a_status_only_the_kind_of_error_speaks(
    error: Exception, refused: bool, silent: bool
) -> None:
    assert not says_gone(error)
    assert (is_refusal(error), is_silence(error)) == (refused, silent)


def test_want_of_room_is_seen_wherever_it_is_said() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    wrapped, database = RuntimeError("it failed"), RuntimeError("(sqlite3.OperationalError)")
    wrapped.__cause__ = full
    database.orig = SimpleNamespace(sqlite_errorcode=13)  # type: ignore[attr-defined]

    assert all(map(lacks_room, (full, wrapped, database, Answered(507))))
    assert not any(map(lacks_room, (OSError(errno.EACCES, "no"), Answered(503), None)))
