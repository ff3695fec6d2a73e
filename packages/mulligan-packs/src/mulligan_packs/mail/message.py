"""A mail as text: written from what an agent says, parsed, and known by its content."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import format_datetime, getaddresses
from typing import Any

from mulligan.types.interfaces import Clock
from mulligan_packs.mail.errors import BadMailError
from mulligan_packs.typed_dict import TypedDict

CALL = "X-Mulligan-Call"
"""The header that says which call has written a draft. It is never sent."""
_STYLE = policy.SMTP.clone(max_line_length=998)
"""Long addresses are not broken: some servers join the parts differently."""


class MailText(TypedDict):
    """What a mail says, for an agent."""

    mail_id: str
    at: str
    """Its version: a hash of all of it."""
    sender: str
    to: list[str]
    cc: list[str]
    bcc: list[str]
    subject: str
    body: str


class WantedMail(TypedDict, total=False):
    """What a mail is to say."""

    to: list[str]
    cc: list[str]
    bcc: list[str]
    subject: str
    body: str


def write_mail(wanted: WantedMail, *, mail_id: str, sender: str, call: str, clock: Clock) -> bytes:
    """A new mail."""
    mail = EmailMessage(policy=_STYLE)
    mail["Message-ID"], mail["Date"] = mail_id, format_datetime(clock())
    mail["From"] = sender
    mail.set_content("")
    return _fill(mail, wanted, call=call)


def rewrite_mail(content: bytes, wanted: WantedMail, *, call: str) -> bytes:
    """A mail with some of it changed: its id, its thread and its attachments stay."""
    mail = _parse(content)
    if "body" in wanted and mail.get_body(("html",)) is not None:
        raise BadMailError("This draft is formatted text, which only a mail program can change.")
    return _fill(mail, wanted, call=call)


def _fill(mail: EmailMessage, wanted: WantedMail, *, call: str) -> bytes:
    """Put what is wanted into a mail."""
    try:
        for name in ("to", "cc", "bcc"):
            if name in wanted:
                del mail[name]
                if wanted[name]:
                    mail[name.title()] = ", ".join(map(_require_address, wanted[name]))
        if "subject" in wanted:
            del mail["Subject"]
            mail["Subject"] = wanted["subject"]
        if "body" in wanted:
            part = mail.get_body(("plain",)) or mail
            part.set_content(wanted["body"])
        del mail[CALL]
        mail[CALL] = call
        return mail.as_bytes(policy=_STYLE)
    except (ValueError, LookupError, AttributeError) as error:
        raise BadMailError(f"This makes no mail: {error}.") from error


def read_mail(content: bytes) -> MailText:
    """What a mail says."""
    mail = _parse(content)
    part = mail.get_body(("plain", "html"))
    return MailText(
        mail_id=find_id(content),
        at=hash_mail(content),
        sender=str(mail.get("From", "")),
        to=_list_addresses(mail, "To"),
        cc=_list_addresses(mail, "Cc"),
        bcc=_list_addresses(mail, "Bcc"),
        subject=str(mail.get("Subject", "")),
        body=_read_text(part),
    )


def _read_text(part: MIMEPart | None) -> str:
    """A part's text, as it was before it was made lines of."""
    if part is None:
        return ""
    try:
        found = str(part.get_content())
    except (LookupError, ValueError):  # an unknown encoding
        payload = part.get_payload(decode=True)
        found = payload.decode(errors="replace") if isinstance(payload, bytes) else ""
    return found.replace("\r\n", "\n").removesuffix("\n")


def has_said(content: bytes, wanted: WantedMail) -> bool:
    """Whether a mail says all that was wanted of it."""
    found = read_mail(content)
    body = wanted.get("body")
    plain = {name: value for name, value in wanted.items() if name != "body"}
    same = all(found[name] == value for name, value in plain.items())  # type: ignore[literal-required]
    return same and (body is None or found["body"].rstrip("\n") == body.rstrip("\n"))


def is_as_written(
    content: bytes, wanted: WantedMail, *, mail_id: str, sender: str, call: str
) -> bool:
    """Whether a mail is all of what a call has written, and nothing more."""
    dated: Any = _parse(content).get("Date")
    when = getattr(dated, "datetime", None)
    if when is None:
        return False
    expected = write_mail(wanted, mail_id=mail_id, sender=sender, call=call, clock=lambda: when)
    return _to_lines(content) == _to_lines(expected)


def is_as_rewritten(content: bytes, wanted: WantedMail, *, before: bytes, call: str) -> bool:
    """Whether a mail is all of what a call has made of another."""
    return _to_lines(content) == _to_lines(rewrite_mail(before, wanted, call=call))


def _to_lines(content: bytes) -> list[bytes]:
    """A mail's lines, whichever way they end."""
    return content.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")


def find_id(content: bytes) -> str:
    """What a mail is known by; empty where it has no id."""
    return str(_parse(content).get("Message-ID", "")).strip()


def find_call(content: bytes) -> str:
    """The call that has written a draft; empty where it was a person's program."""
    return str(_parse(content).get(CALL, "")).strip()


def to_send(content: bytes) -> tuple[bytes, list[str]]:
    """A draft as it goes out, without what is none of its readers' business, and to whom."""
    mail = _parse(content)
    everybody = [each for name in ("To", "Cc", "Bcc") for each in _list_addresses(mail, name)]
    for name in ("Bcc", CALL):
        del mail[name]
    if not everybody:
        raise BadMailError("This mail has no recipient. Name one in to.")
    return mail.as_bytes(policy=_STYLE), list(dict.fromkeys(everybody))


def hash_mail(content: bytes) -> str:
    """The version of a mail."""
    return hashlib.sha256(content).hexdigest()


def encode_mail(content: bytes) -> str:
    """A mail as any vault keeps it."""
    return base64.b64encode(content).decode()


def decode_mail(kept: str) -> bytes:
    """The mail again."""
    return base64.b64decode(kept)


def _parse(content: bytes) -> EmailMessage:
    found = message_from_bytes(content, policy=_STYLE)
    if not isinstance(found, EmailMessage):
        raise TypeError("The policy makes another kind of message.")
    return found


def _list_addresses(mail: EmailMessage, name: str) -> list[str]:
    return [address for _, address in getaddresses(mail.get_all(name, [])) if address]


def _require_address(said: str) -> str:
    """One address: a comma in it would make two of it."""
    found: Sequence[tuple[str, str]] = getaddresses([said])
    if len(found) != 1 or found[0][1] != said or "@" not in said:
        raise BadMailError(f"{said!r} is no address. Give each as name@example.com.")
    return said
