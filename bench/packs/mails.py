"""A mailbox, and tools of `packs/mail` that change it."""

from __future__ import annotations

import imaplib
import itertools
from collections.abc import Callable
from typing import Any

from bench.packs.life import THEIRS, Blow, Case, Seen, list_cases
from mulligan import Mulligan
from mulligan_packs.mail import Mailbox, mail_tools

FIRST = "<first@example.com>"
DRAFT = (
    f"Message-ID: {FIRST}\r\nFrom: ann@example.com\r\nTo: bob@example.com\r\n"
    "Subject: Milk\r\n\r\nBuy milk.\r\n"
).encode()
CALLS: dict[str, Callable[[Any], Any]] = {
    "create": lambda tools: tools.create_draft(["bob@example.com"], "Tea", body="beer"),
    "update": lambda tools: tools.update_draft(FIRST, body="beer"),
    "delete": lambda tools: tools.delete_draft(FIRST),
    "move": lambda tools: tools.move_mail(FIRST, "Archive", folder="Drafts"),
}
FOLDERS = ("Drafts", "Archive")
AFTER: dict[str, list[tuple[str, str]]] = {
    "create": [("Drafts", "Buy milk."), ("Drafts", "beer")],
    "update": [("Drafts", "beer")],
    "delete": [],
    "move": [("Archive", "Buy milk.")],
}


class MailWorld:
    """One draft on a server that runs elsewhere; each run has a user of its own."""

    # Nothing tells a deletion or a move of ours from the same by a person.
    promises: tuple[str, ...] = ("lost", "duplicates", "overwritten", "left")

    def __init__(self, url: str) -> None:
        self._url, self._users = url, itertools.count()
        self._user = ""

    def list_cases(self) -> list[Case]:
        """All that can be undone."""
        return list_cases(tuple(CALLS))

    def fill(self) -> None:
        """A new user with one draft."""
        self._user = f"ann{next(self._users)}@example.com"
        with self.mailbox.open() as session:
            session.add("Drafts", DRAFT, flags="\\Draft \\Seen")

    def look(self) -> Seen:
        """The texts of all mails, by their folder and place."""
        with self.mailbox.open() as session:
            found = {folder: session.list_mails(folder) for folder in FOLDERS}
        return {
            f"{folder} {at}": each.content.partition(b"\r\n\r\n")[2].decode().strip()
            for folder, mails in found.items()
            for at, each in enumerate(sorted(mails, key=lambda mail: mail.content))
        }

    def edit(self) -> None:
        """A person changes every mail, as programs do: another one, and the first goes."""
        with self.mailbox.open() as session:
            for folder in FOLDERS:
                for each in session.list_mails(folder):
                    session.add(folder, each.content + f"{THEIRS}\r\n".encode(), flags="\\Draft")
                    session.remove(folder, each)

    def has_effect(self, case: Case, seen: Seen) -> bool:
        """Whether the mails are what the call makes of them."""
        found = sorted((name.split()[0], text) for name, text in seen.items())
        return found == sorted(AFTER[case.kind])

    def has_doubled(self, seen: Seen) -> bool:
        """Whether a mail is there twice."""
        texts = [text for text in seen.values() if THEIRS not in text]
        return len(texts) != len(set(texts))

    def build_call(self, m: Mulligan, case: Case, blow: Blow) -> Callable[[], Any]:
        """A tool whose commands and answers are struck at."""
        tools, losing, looking = mail_tools(m, self.mailbox), [case.lost], [False]
        original = imaplib.IMAP4._command_complete  # type: ignore[attr-defined]

        def complete(line: Any, name: str, tag: Any) -> Any:
            if looking[0]:
                return original(line, name, tag)
            blow.strike()
            answer = original(line, name, tag)
            blow.strike()
            looking[0] = True
            landed = losing[0] and self.has_effect(case, self.look())
            looking[0] = False
            if landed:
                losing[0] = False
                raise ConnectionResetError("the answer was lost")
            return answer

        imaplib.IMAP4._command_complete = complete  # type: ignore[attr-defined]
        return lambda: CALLS[case.kind](tools)

    @property
    def mailbox(self) -> Mailbox:
        """Of the user that the last run was given."""
        return Mailbox(imap=self._url, user=self._user, password="any", address="ann@example.com")
