"""What the mail pack raises.

MailError               the server refused, or its answer makes no sense
└── MailNotTouchedError nothing was written or sent
    ├── NoSuchMailError     404: no mail has that id there
    ├── ChangedMailError    412: it was changed since it was read; also a `ConflictError`
    ├── BadMailError        422: an address or a header that makes no sense
    └── NotSentError        the server refused every recipient
"""

from __future__ import annotations

from mulligan.types.errors import ConflictError, MulliganError, NothingDone


class MailError(MulliganError):
    """The server refused, or its answer makes no sense."""

    status: int | None = None


class MailNotTouchedError(MailError, NothingDone):
    """Nothing was written or sent."""


class NoSuchMailError(MailNotTouchedError):
    """There is no such mail."""

    status = 404

    def __init__(self, mail_id: str, folder: str) -> None:
        super().__init__(
            f"There is no mail with the id {mail_id!r} in {folder!r}. List the folder, and use an "
            "id that comes back."
        )


class ChangedMailError(MailNotTouchedError, ConflictError):
    """It was changed meanwhile."""

    status = 412

    def __init__(self, mail_id: str) -> None:
        super().__init__(
            f"The mail {mail_id!r} has been changed since it was read, or there are two of it. "
            "Read it again."
        )


class BadMailError(MailNotTouchedError):
    """It could not be written down as a mail."""

    status = 422


class NotSentError(MailNotTouchedError):
    """The server refused it before it was taken."""
