"""What is refused before anything was done says so by its class."""

from __future__ import annotations

from mulligan.types.errors import ConflictError, NothingDone
from mulligan_packs.mail.errors import ChangedMailError, MailError, NoSuchMailError, NotSentError


def test_only_what_touched_nothing_says_that_nothing_was_done() -> None:
    assert isinstance(NoSuchMailError("<a@b>", "Drafts"), NothingDone)
    assert isinstance(NotSentError("no"), NothingDone)
    assert isinstance(ChangedMailError("<a@b>"), ConflictError)
    assert not isinstance(MailError("the line was cut"), NothingDone)
