"""A mailbox behind IMAP: mails found by their ids, added, replaced, moved and removed.

A mail never changes under its number: whoever edits a draft adds another one and removes the first.
So what is removed by its number is what was looked at, whatever a person does meanwhile.
"""

from __future__ import annotations

import imaplib
import re
import smtplib
import ssl
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from msgspec import Struct

from mulligan.types.errors import ConfigurationError
from mulligan.types.values import hide_fields
from mulligan_packs.mail.errors import BadMailError, ChangedMailError, MailError, NoSuchMailError
from mulligan_packs.mail.message import find_id, hash_mail

_PORTS = {"imaps": 993, "imap": 143, "smtps": 465, "smtp": 587}
_USUAL = {"\\Drafts": "Drafts", "\\Sent": "Sent"}
_LISTED = re.compile(rb'\((?P<flags>[^)]*)\) (?:"[^"]*"|NIL) (?P<name>.+)')
_ABOUT = re.compile(rb"UID (?P<uid>\d+)")
_FLAGS = re.compile(rb"FLAGS \((?P<flags>[^)]*)\)")
_DATE = re.compile(rb'INTERNALDATE (?P<date>"[^"]+")')
_ID = re.compile(r"<[^<>\s\"\\]+>")
_WRITING = frozenset({"STORE", "EXPUNGE", "MOVE", "COPY"})
_MOST = 200
"""Mails of a folder that are listed, the newest."""


@hide_fields("content")
class FoundMail(Struct, frozen=True, kw_only=True):
    """A mail in a folder."""

    uid: str
    content: bytes
    flags: str
    date: str
    """When the server got it, in its own form."""

    @property
    def at(self) -> str:
        """Its version."""
        return hash_mail(self.content)


@hide_fields("password")
class Mailbox(Struct, frozen=True, kw_only=True):
    """The servers that keep and send mails: `imaps://host`, `smtps://host`, or without the s.

    Without it, the line is made secure by STARTTLS; only a server on this machine may do without.
    """

    imap: str
    smtp: str = ""
    user: str
    password: str
    address: str = ""
    """Whom mails come from; the user, unless said."""
    drafts: str = ""
    """The folder of drafts; by default the one that the server calls so."""
    sent: str = ""
    timeout: float = 30.0

    @property
    def sender(self) -> str:
        """The address that mails come from."""
        found = self.address or self.user
        if "@" not in found:
            raise ConfigurationError(
                f"{found!r} is no address. Say whom mails come from: address=…"
            )
        return found

    @property
    def name(self) -> str:
        """What it is called in the journal; no password is in it."""
        return f"{urlsplit(self.imap).hostname}/{self.user}"

    @contextmanager
    def open(self) -> Iterator[MailSession]:
        """A line to the server for some work."""
        secure, host, port = _read_url(self.imap, "imap")
        opened = (imaplib.IMAP4_SSL if secure else imaplib.IMAP4)(host, port, timeout=self.timeout)
        try:
            if not secure and not _is_here(host):
                opened.starttls(ssl.create_default_context())
            opened.login(self.user, self.password)
            yield MailSession(opened, self)
        except imaplib.IMAP4.error as error:
            raise MailError(f"The mail server refused: {error}") from error
        finally:
            with suppress(OSError, imaplib.IMAP4.error):  # the line is gone already
                opened.logout()

    @contextmanager
    def connect_sender(self) -> Iterator[smtplib.SMTP]:
        """A connection to the SMTP server."""
        if not self.smtp:
            raise ConfigurationError("No server to send with is named: Mailbox(smtp=…).")
        secure, host, port = _read_url(self.smtp, "smtp")
        opened = (smtplib.SMTP_SSL if secure else smtplib.SMTP)(host, port, timeout=self.timeout)
        try:
            if not secure and not _is_here(host):
                opened.starttls(context=ssl.create_default_context())
            opened.ehlo_or_helo_if_needed()
            if opened.has_extn("auth"):
                opened.login(self.user, self.password)
            yield opened
        finally:
            with suppress(OSError, smtplib.SMTPException):  # the line is gone already
                opened.quit()


class MailSession:
    """What is done on one line."""

    def __init__(self, line: imaplib.IMAP4, mailbox: Mailbox) -> None:
        self._line, self._mailbox = line, mailbox
        self._selected = ""
        self._wrote = False
        # It may list its capabilities only after a login.
        self._can = b" ".join(self._require(*line.capability())).split()
        if b"UIDPLUS" not in self._can:
            raise ConfigurationError(
                "This mail server cannot remove one mail alone (UIDPLUS), so nothing could be "
                "undone safely."
            )

    def find_folder(self, use: str) -> str:
        """The folder that the server keeps for a use: `\\Drafts`, `\\Sent`."""
        said = {"\\Drafts": self._mailbox.drafts, "\\Sent": self._mailbox.sent}[use]
        if said:
            return said
        for flags, name in self._list_raw():
            if use.lower() in flags.lower().split():
                return name
        return _USUAL[use]

    def list_folders(self) -> list[str]:
        """All folders."""
        return [name for flags, name in self._list_raw() if "\\noselect" not in flags.lower()]

    def _list_raw(self) -> Iterator[tuple[str, str]]:
        kind, said = self._line.list()
        if kind != "OK":
            raise MailError(f"The mail server refused: {said!r}")
        for line in said:
            # A name with odd letters comes as a literal, on a line of its own.
            found = _LISTED.match(b"".join(line) if isinstance(line, tuple) else line or b"")
            if found:
                name = found["name"].rpartition(b"}")[2].strip().strip(b'"').decode("ascii")
                yield found["flags"].decode(), decode_folder(name)

    def find(self, folder: str, mail_id: str) -> list[FoundMail]:
        """The mails of a folder with an id."""
        if not _ID.fullmatch(mail_id):
            raise BadMailError(f"{mail_id!r} is no id of a mail. Use one that was listed.")
        self._select(folder)
        numbers = self._ask("SEARCH", "HEADER", "Message-ID", f'"{mail_id}"')
        uids = b" ".join(each for each in numbers if each).split()
        found = self._fetch(b",".join(uids)) if uids else []
        return [each for each in found if find_id(each.content) == mail_id]

    def get(self, folder: str, mail_id: str) -> FoundMail:
        """The one mail of a folder with an id."""
        found = self.find(folder, mail_id)
        if not found:
            raise NoSuchMailError(mail_id, folder)
        if len(found) > 1:
            raise ChangedMailError(mail_id)
        return found[0]

    def list_mails(self, folder: str) -> list[FoundMail]:
        """The newest mails of a folder, the last one last."""
        self._select(folder)
        uids = b" ".join(each for each in self._ask("SEARCH", "ALL") if each).split()
        return self._fetch(b",".join(uids[-_MOST:])) if uids else []

    def add(self, folder: str, content: bytes, *, flags: str, date: str = "") -> FoundMail:
        """Add a mail. What the server has of it then."""
        kept = f"({flags})" if flags else ""
        self._wrote = True
        self._require(*self._line.append(_quote(folder), kept, date, content))
        _, said = self._line.response("APPENDUID")
        if not said or said[-1] is None:
            raise MailError(f"The mail server took a mail for {folder!r}, and does not say where.")
        self._select(folder, again=True)
        found = self._fetch(said[-1].split()[1])
        if not found:
            raise MailError(f"The mail that was put into {folder!r} was taken away at once.")
        return found[0]

    def remove(self, folder: str, found: FoundMail) -> None:
        """Remove one mail, and no other."""
        self._select(folder)
        self._ask("STORE", found.uid, "+FLAGS.SILENT", "(\\Deleted)")
        self._ask("EXPUNGE", found.uid)

    def has_mail(self, folder: str, found: FoundMail) -> bool:
        """Whether a mail is still there."""
        self._select(folder, again=True)
        return bool(self._fetch(found.uid.encode()))

    def replace(
        self, folder: str, found: FoundMail, *, content: bytes, like: FoundMail
    ) -> FoundMail:
        """Put a content in the place of a mail, if that is still there by then."""
        made = self.add(folder, content, flags=like.flags, date=like.date)
        if made.uid == found.uid:
            return made
        if not self.has_mail(folder, found):
            self.remove(folder, made)
            raise ChangedMailError(find_id(content))
        self.remove(folder, found)
        return made

    def move(self, folder: str, found: FoundMail, *, to: str) -> None:
        """Move one mail, in one step where the server has one for that."""
        self._select(folder)
        if b"MOVE" in self._can:
            self._ask("MOVE", found.uid, _quote(to))
            return
        self._ask("COPY", found.uid, _quote(to))
        self.remove(folder, found)

    def mark(self, folder: str, found: FoundMail, *, flag: str, on: bool = True) -> bool:
        """Set or take away a flag. Whether the server keeps such a flag."""
        self._select(folder)
        self._ask("STORE", found.uid, "+FLAGS" if on else "-FLAGS", f"({flag})")
        now = self._fetch(found.uid.encode())
        return bool(now) and (flag in now[0].flags.split()) is on

    def _select(self, folder: str, *, again: bool = False) -> None:
        if self._selected != folder or again:
            kind, said = self._line.select(_quote(folder))
            if kind != "OK":
                # Only before anything was written does it say that nothing was.
                refusal = MailError if self._wrote else BadMailError
                raise refusal(f"There is no folder {folder!r}: {said}")
            self._selected = folder

    def _fetch(self, uids: bytes) -> list[FoundMail]:
        answer = self._ask("FETCH", uids.decode(), "(UID FLAGS INTERNALDATE BODY.PEEK[])")
        return list(_read_fetched(answer))

    def _ask(self, command: str, *given: str) -> list[bytes]:
        self._wrote = self._wrote or command in _WRITING
        return self._require(*self._line.uid(command, *given))

    @staticmethod
    def _require(kind: str, said: list[bytes]) -> list[bytes]:
        if kind != "OK":
            raise MailError(f"The mail server refused: {said!r}")
        return said


def _read_fetched(answer: Sequence[object]) -> Iterator[FoundMail]:
    """The mails in an answer: each a pair of what is said of it and its text, and a tail."""
    for part, tail in zip(answer, [*answer[1:], b""], strict=True):
        if not isinstance(part, tuple):
            continue
        # What is asked for besides the text may stand before it or after it.
        about = part[0] + b" " + (tail if isinstance(tail, bytes) else b"")
        uid, flags, date = (pattern.search(about) for pattern in (_ABOUT, _FLAGS, _DATE))
        if uid is None:
            continue
        kept = flags["flags"].decode().split() if flags else []
        yield FoundMail(
            uid=uid["uid"].decode(),
            content=part[1],
            flags=" ".join(each for each in kept if each.lower() != "\\recent"),
            date=date["date"].decode() if date else "",
        )


def encode_folder(name: str) -> str:
    """A folder's name as IMAP spells it: modified UTF-7."""
    parts = re.split(r"([^\x20-\x7e]+)", name)
    return "".join(
        _encode_run(part) if at % 2 else part.replace("&", "&-") for at, part in enumerate(parts)
    )


def _encode_run(part: str) -> str:
    return "&" + b64encode(part.encode("utf-16-be")).decode().rstrip("=").replace("/", ",") + "-"


def decode_folder(name: str) -> str:
    """The name again."""

    def decode(found: re.Match[str]) -> str:
        if not found[1]:
            return "&"
        return ("+" + found[1].replace(",", "/") + "-").encode().decode("utf-7")

    return re.sub(r"&([A-Za-z0-9+,]*)-", decode, name)


def _quote(folder: str) -> str:
    encoded = encode_folder(folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{encoded}"'


def _read_url(url: str, kind: str) -> tuple[bool, str, int]:
    parts = urlsplit(url)
    if parts.scheme not in (kind, f"{kind}s") or not parts.hostname:
        raise ConfigurationError(f"{url!r} is no address. Write {kind}s://host or {kind}://host.")
    return parts.scheme == f"{kind}s", parts.hostname, parts.port or _PORTS[parts.scheme]


def _is_here(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")
