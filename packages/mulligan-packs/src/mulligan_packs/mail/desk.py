"""What the mail tools do, and what each needs to be probed and undone."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from mulligan.types.interfaces import Clock
from mulligan_packs.mail.errors import BadMailError, ChangedMailError, MailError, NotSentError
from mulligan_packs.mail.mailbox import FoundMail, Mailbox, MailSession
from mulligan_packs.mail.message import (
    MailText,
    WantedMail,
    has_said,
    is_as_written,
    read_mail,
    rewrite_mail,
    to_send,
    write_mail,
)
from mulligan_packs.typed_dict import TypedDict

DRAFTS, SENT = "\\Drafts", "\\Sent"
PENDING = "$SubmitPending"
"""The flag (RFC 5550) of a mail that is being handed over: from then on it may have been sent."""
ABSENT = "absent"


class WrittenDraft(TypedDict):
    """What a tool says of the draft that it has written."""

    mail_id: str
    at: str
    """The version it left."""


class MovedMail(TypedDict):
    """What a tool says of the mail that it has moved."""

    mail_id: str
    folder: str
    at: str


class SentMail(TypedDict):
    """The result of sending a mail."""

    mail_id: str
    refused: list[str]
    """Recipients that the server did not take it for."""


class MailDesk:
    """The tools of one mailbox."""

    def __init__(self, mailbox: Mailbox, clock: Clock) -> None:
        self.mailbox, self._clock = mailbox, clock

    def list_folders(self) -> list[str]:
        """The names of all folders."""
        with self.mailbox.open() as session:
            return session.list_folders()

    def list_mails(self, folder: str = "INBOX") -> list[MailText]:
        """The newest mails of a folder, without their texts; the last one last."""
        with self.mailbox.open() as session:
            found = session.list_mails(folder)
        return [MailText(**{**read_mail(each.content), "body": ""}) for each in found]

    def list_drafts(self) -> list[MailText]:
        """The drafts that wait to be finished or sent, without their texts."""
        with self.mailbox.open() as session:
            return self.list_mails(session.find_folder(DRAFTS))

    def read_mail(self, mail_id: str, folder: str = "INBOX") -> MailText:
        """One mail with its text, by the id that a list has of it."""
        with self.mailbox.open() as session:
            return read_mail(session.get(folder, mail_id).content)

    def read_draft(self, mail_id: str) -> MailText:
        """One draft with its text."""
        with self.mailbox.open() as session:
            return read_mail(session.get(session.find_folder(DRAFTS), mail_id).content)

    def create_draft(
        self,
        to: list[str],
        subject: str,
        *,
        body: str,
        cc: list[str] | None = None,
        bcc: list[str] | None = None,
        key: str = "",
    ) -> WrittenDraft:
        """Write a draft. It is not sent: a person, or `send_draft`, does that."""
        given = {"to": to, "subject": subject, "body": body, "cc": cc, "bcc": bcc}
        with self._create(given, key=key) as (_, made):
            return WrittenDraft(mail_id=self.build_id(key), at=made.at)

    @contextmanager
    def _create(
        self, given: Mapping[str, Any], *, key: str
    ) -> Iterator[tuple[MailSession, FoundMail]]:
        """A new draft, and the session in which it was written."""
        mail_id, sender = self.build_id(key), self.mailbox.sender
        content = write_mail(
            read_wanted(given), mail_id=mail_id, sender=sender, call=key, clock=self._clock
        )
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            # Under one key there is one draft, however often it is asked for.
            there = session.find(folder, mail_id)
            if there and not self.is_created(there, given, key=key):
                raise MailError("It was written before, and changed since.")
            made = there[0] if there else session.add(folder, content, flags="\\Draft \\Seen")
            yield session, made

    def is_created(self, found: Sequence[FoundMail], given: Mapping[str, Any], *, key: str) -> bool:
        """Whether a draft is there once, and in everything as a call has written it."""
        wanted, mail_id, sender = read_wanted(given), self.build_id(key), self.mailbox.sender
        return len(found) == 1 and is_as_written(
            found[0].content, wanted, mail_id=mail_id, sender=sender, call=key
        )

    def update_draft(
        self,
        mail_id: str,
        *,
        to: list[str] | None = None,
        subject: str | None = None,
        body: str | None = None,
        cc: list[str] | None = None,
        key: str = "",
        if_match: str | None = None,
    ) -> WrittenDraft:
        """Change a draft; what is left out stays as it is."""
        wanted = read_wanted({"to": to, "subject": subject, "body": body, "cc": cc})
        with self.mailbox.open() as session:
            folder, found = self._require_draft(session, mail_id, if_match=if_match)
            content = rewrite_mail(found.content, wanted, call=key)
            made = session.replace(folder, found, content=content, like=found)
        return WrittenDraft(mail_id=mail_id, at=made.at)

    def delete_draft(self, mail_id: str, *, if_match: str | None = None) -> WrittenDraft:
        """Throw a draft away."""
        with self.mailbox.open() as session:
            folder, found = self._require_draft(session, mail_id, if_match=if_match)
            session.remove(folder, found)
        return WrittenDraft(mail_id=mail_id, at=ABSENT)

    def move_mail(
        self, mail_id: str, to: str, *, folder: str = "INBOX", if_match: str | None = None
    ) -> MovedMail:
        """Move a mail to another folder, such as an archive."""
        with self.mailbox.open() as session:
            found = session.get(folder, mail_id)
            if if_match is not None and if_match != f"{folder}:{found.at}":
                raise ChangedMailError(mail_id)
            if session.find(to, mail_id):
                raise BadMailError(f"The mail is in {to!r} already.")
            session.move(folder, found, to=to)
        return MovedMail(mail_id=mail_id, folder=to, at=f"{to}:{found.at}")

    def send_draft(self, mail_id: str, to: list[str], *, subject: str, at: str) -> SentMail:
        """Send a draft: it must still be at the version `at`, to these, about this."""
        with self.mailbox.open() as session:
            folder, found = self._require_draft(session, mail_id, if_match=at)
            if not has_said(found.content, WantedMail(to=to, subject=subject)):
                raise ChangedMailError(mail_id)
            return self._send(session, folder, found)

    def send_mail(
        self,
        to: list[str],
        subject: str,
        *,
        body: str,
        cc: list[str] | None = None,
        bcc: list[str] | None = None,
        key: str = "",
    ) -> SentMail:
        """Write a mail and send it."""
        given = {"to": to, "subject": subject, "body": body, "cc": cc, "bcc": bcc}
        with self._create(given, key=key) as (session, found):
            if PENDING in found.flags.split():
                raise MailError("It was handed over before, and the result is unknown.")
            return self._send(session, session.find_folder(DRAFTS), found)

    def _send(self, session: MailSession, folder: str, found: FoundMail) -> SentMail:
        """Hand a draft over: marked before, so that it is not handed over again."""
        content, everybody = to_send(found.content)
        session.mark(folder, found, flag=PENDING)
        try:
            with self.mailbox.connect_sender() as sender:
                refused = sender.sendmail(self.mailbox.sender, everybody, content)
        except REFUSED as error:
            session.mark(folder, found, flag=PENDING, on=False)
            raise NotSentError(f"The mail server did not take it: {error}") from error
        sent = read_mail(found.content)["mail_id"]
        session.add(session.find_folder(SENT), content, flags="\\Seen")
        session.remove(folder, found)
        return SentMail(mail_id=sent, refused=sorted(refused))

    def _require_draft(
        self, session: MailSession, mail_id: str, *, if_match: str | None
    ) -> tuple[str, FoundMail]:
        folder = session.find_folder(DRAFTS)
        found = session.get(folder, mail_id)
        if if_match is not None and found.at != if_match:
            raise ChangedMailError(mail_id)
        return folder, found

    def build_id(self, key: str) -> str:
        """The id of the mail that a call makes."""
        return f"<{key}@{self.mailbox.sender.rpartition('@')[2]}>"


REFUSED = (
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPSenderRefused,
    smtplib.SMTPDataError,
    smtplib.SMTPAuthenticationError,
    smtplib.SMTPHeloError,
    smtplib.SMTPConnectError,
    ConnectionRefusedError,
)
"""By these a server says that it has taken nothing."""


def read_wanted(given: Mapping[str, Any]) -> WantedMail:
    """What a call says of a mail; what it leaves out is left as it is."""
    names = WantedMail.__annotations__
    return cast("WantedMail", {n: v for n, v in given.items() if n in names and v is not None})
