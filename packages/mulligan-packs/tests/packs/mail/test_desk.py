"""What was handed over is never handed over again, and what was refused says so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.abilities import MailAbilities
from mulligan_packs.mail.desk import PENDING, MailDesk
from mulligan_packs.mail.errors import ChangedMailError, MailError, NoSuchMailError, NotSentError
from tests.packs.mail.conftest import FIRST, Sender, edit, look


@pytest.fixture
def desk(mailbox: Mailbox) -> MailDesk:
    return MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))


def test_a_draft_is_sent_without_its_blind_copies_and_lies_among_the_sent(
    desk: MailDesk, sender: Sender
) -> None:
    made = desk.create_draft(
        ["bob@example.com"], "Tea", body="Tea?", bcc=["eve@example.com"], key="k1"
    )

    sent = desk.send_draft(made["mail_id"], ["bob@example.com"], subject="Tea", at=made["at"])

    [envelope] = sender.taken
    assert envelope.rcpt_tos == ["bob@example.com", "eve@example.com"]
    assert b"eve@" not in envelope.content
    assert b"Mulligan" not in envelope.content
    assert sent["refused"] == []
    assert (
        MailAbilities(desk).find_sent(Record(arguments={"mail_id": made["mail_id"]}, key="k2"))
        is not None
    )


def test_a_refused_mail_was_sent_to_nobody_and_may_be_sent_again(
    desk: MailDesk, sender: Sender
) -> None:
    sender.answer = "554 not today"

    with pytest.raises(NotSentError):
        desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")

    sender.answer = "250 OK"
    assert MailAbilities(desk).find_sent(Record(arguments={}, key="k1")) is None
    desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")
    assert len(sender.taken) == 1


def test_a_mail_whose_answer_was_lost_is_asked_about_and_not_sent_again(
    desk: MailDesk, sender: Sender
) -> None:
    sender.answer = ""

    with pytest.raises(Exception):  # noqa: B017 - whatever the line says when it is cut
        desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")

    with pytest.raises(ConflictError):
        MailAbilities(desk).find_sent(Record(arguments={}, key="k1"))
    with pytest.raises(MailError):
        desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")
    assert len(sender.taken) == 1
    assert any(PENDING in flags for *_, flags in look(desk.mailbox))


def test_two_tries_under_one_key_make_one_draft(desk: MailDesk) -> None:
    made = [desk.create_draft(["bob@example.com"], "Tea", body="Tea?", key="k1") for _ in range(2)]

    assert made[0] == made[1]
    assert len(desk.list_drafts()) == 2


def test_a_draft_that_somebody_has_edited_is_not_written_over(desk: MailDesk) -> None:
    at = desk.read_draft(FIRST)["at"]
    edit(desk.mailbox)

    with pytest.raises(ChangedMailError):
        desk.update_draft(FIRST, body="ours", key="k1", if_match=at)

    assert "theirs" in desk.read_draft(FIRST)["body"]


def test_a_change_keeps_the_thread_and_what_was_not_named(desk: MailDesk) -> None:
    desk.update_draft(FIRST, subject="Tea", key="k1")

    [(_, content, flags)] = look(desk.mailbox)
    assert b"In-Reply-To: <question@example.com>" in content
    assert b"Buy milk." in content
    assert "\\Draft" in flags


def test_an_id_that_nobody_has_is_told_of(desk: MailDesk) -> None:
    with pytest.raises(NoSuchMailError, match="List the folder"):
        desk.read_mail("<none@example.com>")
