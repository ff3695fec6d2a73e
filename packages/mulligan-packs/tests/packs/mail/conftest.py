"""One Dovecot for each test process, a user of their own for each test, and a real SMTP server."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from bench.packs.mail_server import find_free_port, serve_dovecot
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.desk import MailDesk


@pytest.fixture(scope="session")
def imap_url() -> Iterator[str]:
    if shutil.which("dovecot", path="/usr/sbin:/usr/bin:/usr/local/sbin") is None:
        pytest.skip("there is no IMAP server: apt-get install dovecot-imapd")
    with serve_dovecot() as url:
        yield url


@dataclass(kw_only=True)
class Sender:
    """A server that takes mails, or says no."""

    url: str = ""
    taken: list[Any] = field(default_factory=list)
    answer: str = "250 OK"
    """To a mail. Without one, the line is cut after the mail was taken."""

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if not self.answer:
            self.taken.append(envelope)
            session.transport = None
            server.transport.abort()
            return "250 OK"
        if self.answer.startswith("250"):
            self.taken.append(envelope)
        return self.answer


@pytest.fixture
def sender() -> Iterator[Sender]:
    taking = Sender()
    port = find_free_port()
    controller = Controller(taking, hostname="127.0.0.1", port=port)
    controller.start()
    taking.url = f"smtp://127.0.0.1:{port}"
    yield taking
    controller.stop()


@pytest.fixture
def mailbox(imap_url: str, sender: Sender) -> Mailbox:
    """A mailbox with one draft in it."""
    return fill_mailbox(imap_url, smtp=sender.url)


@pytest.fixture
def desk(mailbox: Mailbox) -> MailDesk:
    return MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))


DRAFT = (
    b"Message-ID: <first@example.com>\r\nFrom: ann@example.com\r\nTo: bob@example.com\r\n"
    b"Subject: Milk\r\nIn-Reply-To: <question@example.com>\r\n\r\nBuy milk.\r\n"
)
FIRST = "<first@example.com>"


def fill_mailbox(imap_url: str, *, smtp: str = "") -> Mailbox:
    user = f"ann{uuid.uuid4().hex}@example.com"
    made = Mailbox(imap=imap_url, smtp=smtp, user=user, password="any", address="ann@example.com")
    with made.open() as session:
        session.add("Drafts", DRAFT, flags="\\Draft \\Seen", date='"01-Nov-2026 10:00:00 +0000"')
    return made


def look(mailbox: Mailbox) -> list[tuple[str, bytes, str]]:
    """Every mail of every folder, to the byte."""
    with mailbox.open() as session:
        return sorted(
            (folder, each.content, each.flags)
            for folder in session.list_folders()
            for each in session.list_mails(folder)
        )


def edit(mailbox: Mailbox) -> None:
    """A person changes every draft, as mail programs do: another one, and the first goes."""
    with mailbox.open() as session:
        for folder in ("Drafts", "Archive"):
            for each in session.list_mails(folder):
                session.add(folder, each.content + b"theirs\r\n", flags="\\Draft")
                session.remove(folder, each)
