"""What the pack raises says that nothing was done, and reads as a conflict where it is one."""

from __future__ import annotations

from mulligan import ConflictError
from mulligan.types.errors import NothingDone
from mulligan_packs.sql import OutdatedRowError, VoidCallError


def test_an_outdated_row_is_a_conflict_in_which_nothing_was_done() -> None:
    error = OutdatedRowError("task 7")

    assert isinstance(error, ConflictError)
    assert isinstance(error, NothingDone)
    assert "task 7" in str(error)


def test_a_void_call_says_what_to_do() -> None:
    assert "Make it again" in str(VoidCallError())
