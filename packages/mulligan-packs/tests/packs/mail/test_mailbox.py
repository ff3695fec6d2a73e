"""Folders under any name, and lines that say what is wrong."""

from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError, NothingDone
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.errors import BadMailError, MailError
from mulligan_packs.mail.mailbox import MailSession, decode_folder, encode_folder
from tests.packs.mail.conftest import DRAFT, FIRST, edit


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
