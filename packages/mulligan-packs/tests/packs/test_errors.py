"""What the packs raise tells programs its class, and whether something may have been done."""

from __future__ import annotations

import pytest

from mulligan import ConflictError
from mulligan.types.errors import NothingDone
from mulligan_packs.calendar import errors as calendar
from mulligan_packs.files import errors as files
from mulligan_packs.mail import errors as mail
from mulligan_packs.sql import errors as sql


@pytest.mark.parametrize(
    ("error", "kinds", "status", "says"),
    [
        (calendar.NoSuchEventError("e1"), set(), 404, "Look the event up"),
        (calendar.ChangedSinceError("e1"), {ConflictError}, 412, "Read it again"),
        (calendar.BadEventError("no"), set(), 422, "no"),
        (files.NoSuchFileError("a.txt"), {NothingDone}, 404, "a.txt"),
        (files.ChangedFileError("a.txt"), {NothingDone, ConflictError}, 412, "a.txt"),
        (mail.NoSuchMailError("<a@b>", "Drafts"), {NothingDone}, 404, "List the folder"),
        (mail.ChangedMailError("<a@b>"), {NothingDone, ConflictError}, 412, "Read it again"),
        (mail.NotSentError("no"), {NothingDone}, None, "no"),
        (mail.MailError("the line was cut"), set(), None, "the line was cut"),
        (sql.OutdatedRowError("task 7"), {NothingDone, ConflictError}, 412, "task 7"),
        (sql.VoidCallError(), {NothingDone}, None, "Make it again"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_error_tells_its_class_and_whether_nothing_was_done(
    error: Exception, kinds: set[type], status: int | None, says: str
) -> None:
    assert {kind for kind in (NothingDone, ConflictError) if isinstance(error, kind)} == kinds
    assert getattr(error, "status", None) == status
    assert says in str(error)
