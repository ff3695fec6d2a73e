"""What an agent says becomes a mail, and no other; folders have any name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.types.errors import ConfigurationError, NothingDone
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.errors import BadMailError, MailError
from mulligan_packs.mail.mailbox import MailSession, decode_folder, encode_folder
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
from tests.packs.mail.conftest import DRAFT, FIRST, edit


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
    with pytest.raises(BadMailError, match="no recipient"):
        to_send(write(to=[]))


def test_a_kept_mail_is_the_same_to_the_byte() -> None:
    odd = bytes(range(256))

    assert decode_mail(encode_mail(odd)) == odd


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("Entwürfe", "Entw&APw-rfe"),
        ("台北", "&U,BTFw-"),
        ("R&D", "R&-D"),
        ("a/b c", "a/b c"),
        ("😀", "&2D3eAA-"),
    ],
)
def test_names_of_folders_are_spelled_as_the_protocol_wants(name: str, spelled: str) -> None:
    assert encode_folder(name) == spelled
    assert decode_folder(spelled) == name


def test_a_folder_with_an_odd_name_is_found_listed_and_written_to(mailbox: Mailbox) -> None:
    with mailbox.open() as session:
        session._line.create(f'"{encode_folder("Büro & mehr")}"')
        session.add("Büro & mehr", DRAFT, flags="")

        assert "Büro & mehr" in session.list_folders()
        assert session.get("Büro & mehr", FIRST).content == DRAFT


def test_a_mail_that_somebody_takes_away_at_once_is_told_of(mailbox: Mailbox) -> None:
    class Watched(MailSession):
        def _select(self, folder: str, *, again: bool = False) -> None:
            if again:
                edit(mailbox)
            super()._select(folder, again=again)

    with mailbox.open() as session, pytest.raises(MailError, match="taken away"):
        Watched(session._line, mailbox).add("Drafts", DRAFT, flags="")


def test_what_is_no_id_reaches_no_server(mailbox: Mailbox) -> None:
    with mailbox.open() as session, pytest.raises(BadMailError, match="no id"):
        session.find("Drafts", '<a"> DELETED')


def test_a_folder_that_is_not_there_is_named(mailbox: Mailbox) -> None:
    with mailbox.open() as session, pytest.raises(BadMailError, match="Nowhere"):
        session.list_mails("Nowhere")


def test_a_folder_that_is_gone_after_a_mail_was_put_there_proves_nothing(mailbox: Mailbox) -> None:
    class Watched(MailSession):
        def _select(self, folder: str, *, again: bool = False) -> None:
            if again:
                with mailbox.open() as other:
                    other._line.delete('"Gone"')
            super()._select(folder, again=again)

    with mailbox.open() as session:
        session._line.create('"Gone"')
        with pytest.raises(MailError, match="no folder") as raised:
            Watched(session._line, mailbox).add("Gone", DRAFT, flags="")

    assert not isinstance(raised.value, NothingDone)


def test_a_mailbox_shows_no_password_and_refuses_an_address_that_is_none() -> None:
    mailbox = Mailbox(imap="https://example.com", user="ann", password="secret")

    assert "secret" not in repr(mailbox) + mailbox.name
    with pytest.raises(ConfigurationError, match="imaps://"), mailbox.open():
        pass
    with pytest.raises(ConfigurationError, match="address"):
        _ = mailbox.sender
