"""What the pack raises tells its class by a status, and that nothing was done."""

from __future__ import annotations

from mulligan import ConflictError
from mulligan.types.errors import NothingDone
from mulligan_packs.files.errors import ChangedFileError, NoSuchFileError


def test_an_edit_in_between_is_a_conflict_in_which_nothing_was_done() -> None:
    error = ChangedFileError("a.txt")

    assert isinstance(error, ConflictError)
    assert isinstance(error, NothingDone)
    assert error.status == 412
    assert "a.txt" in str(error)


def test_what_is_not_there_is_a_404() -> None:
    assert NoSuchFileError("x").status == 404
