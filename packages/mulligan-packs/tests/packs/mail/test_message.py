"""What an agent says becomes a mail, and no other."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan_packs.mail.errors import BadMailError
from mulligan_packs.mail.message import (
    WantedMail,
    decode_mail,
    encode_mail,
    find_call,
    has_said,
    read_mail,
    rewrite_mail,
    to_send,
    write_mail,
)


def write(**wanted) -> bytes:
    asked: WantedMail = {"to": ["bob@example.com"], "subject": "Tea", "body": "Tea?", **wanted}
    return write_mail(
        asked,
        mail_id="<k@example.com>",
        sender="ann@example.com",
        call="k",
        clock=lambda: datetime(2026, 11, 16, tzinfo=UTC),
    )


def test_a_mail_is_read_as_it_was_written() -> None:
    said = read_mail(write(subject="Grüße 😀", body="Zeile 1\n\nZeile 3", cc=["c@example.com"]))

    assert (said["mail_id"], said["subject"], said["body"]) == (
        "<k@example.com>",
        "Grüße 😀",
        "Zeile 1\n\nZeile 3",
    )
    assert (said["to"], said["cc"], said["bcc"]) == (["bob@example.com"], ["c@example.com"], [])


@pytest.mark.parametrize(
    "wanted",
    [
        {"subject": "Tea\nBcc: eve@example.com"},
        {"to": ["bob@example.com, eve@example.com"]},
        {"to": ["bob@example.com\r\nBcc: eve@example.com"]},
        {"cc": ["Bob"]},
    ],
)
def test_no_recipient_comes_in_by_the_back_door(wanted) -> None:
    with pytest.raises(BadMailError):
        write(**wanted)


def test_a_change_leaves_attachments_and_refuses_what_would_contradict_itself() -> None:
    plain = (
        b'Message-ID: <a@b.c>\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n'
        b"Content-Type: text/plain\r\n\r\nold\r\n--x\r\nContent-Type: text/csv\r\n"
        b"Content-Disposition: attachment; filename=a.csv\r\n\r\n1,2\r\n--x--\r\n"
    )

    changed = rewrite_mail(plain, {"body": "new"}, call="k")

    assert read_mail(changed)["body"] == "new"
    assert b"1,2" in changed
    assert find_call(changed) == "k"
    html = b"Message-ID: <a@b.c>\r\nContent-Type: text/html\r\n\r\n<b>x</b>\r\n"
    with pytest.raises(BadMailError, match="mail program"):
        rewrite_mail(html, {"body": "new"}, call="k")


def test_whether_a_mail_says_what_was_wanted_goes_by_what_it_says() -> None:
    mail = write()

    assert has_said(mail, {"to": ["bob@example.com"], "body": "Tea?\n"})
    assert not has_said(mail + b"theirs\r\n", {"body": "Tea?"})
    assert not has_said(mail, {"subject": "Milk"})


def test_a_mail_for_nobody_is_not_sent() -> None:
    with pytest.raises(BadMailError, match="nobody"):
        to_send(write(to=[]))


def test_a_kept_mail_is_the_same_to_the_byte() -> None:
    odd = bytes(range(256))

    assert decode_mail(encode_mail(odd)) == odd
