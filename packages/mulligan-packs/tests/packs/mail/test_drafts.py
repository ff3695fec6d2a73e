"""A draft is not written over, a mail not sent twice, and half a call is decided by looking."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.types.call import Record, Snapshot
from mulligan.types.errors import ConflictError
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.callbacks import MailCallbacks
from mulligan_packs.mail.desk import PENDING, MailDesk
from mulligan_packs.mail.errors import ChangedMailError, MailError, NoSuchMailError, NotSentError
from tests.packs.mail.conftest import FIRST, Sender, edit, look

pytestmark = pytest.mark.full


def test_a_change_that_was_stopped_half_way_is_finished_and_not_doubled(desk: MailDesk) -> None:
    can = MailCallbacks(desk)
    record = Record(arguments={"mail_id": FIRST, "body": "Buy tea."}, key="k1")
    before = can.read_draft_state(record)
    old = look(desk.mailbox)[0][1]
    desk.update_draft(FIRST, body="Buy tea.", key="k1")
    with desk.mailbox.open() as session:
        session.add("Drafts", old, flags="\\Draft")

    found = can.find_updated(with_snapshot(record, before))

    assert found is not None
    assert [draft["subject"] for draft in desk.list_drafts()] == ["Milk"]
    assert desk.read_draft(FIRST)["body"] == "Buy tea."


def change_draft(mailbox: Mailbox, *, old: bytes, new: bytes) -> None:
    """A person edits drafts with a program that keeps headers which it does not know."""
    with mailbox.open() as session:
        for each in session.list_mails("Drafts"):
            session.add("Drafts", each.content.replace(old, new), flags=each.flags)
            session.remove("Drafts", each)


def test_what_somebody_has_added_to_a_draft_of_ours_is_not_taken_for_ours(desk: MailDesk) -> None:
    can, given = MailCallbacks(desk), {"to": ["bob@example.com"], "subject": "Tea", "body": "Tea?"}
    record = Record(arguments=given, key="k1")
    desk.create_draft(given["to"], "Tea", body="Tea?", key="k1")
    assert can.find_created(record) is not None

    change_draft(desk.mailbox, old=b"Subject: Tea", new=b"Importance: high\r\nSubject: Tea")

    with pytest.raises(ConflictError):
        can.find_created(record)
    with pytest.raises(MailError, match="changed since"):
        desk.create_draft(given["to"], "Tea", body="Tea?", key="k1")


def test_an_edit_of_what_a_change_has_left_alone_is_not_taken_for_the_change(
    desk: MailDesk,
) -> None:
    can = MailCallbacks(desk)
    record = Record(arguments={"mail_id": FIRST, "subject": "Tea"}, key="k1")
    record = with_snapshot(record, can.read_draft_state(record))
    desk.update_draft(FIRST, subject="Tea", key="k1")
    assert can.find_updated(record) is not None

    change_draft(desk.mailbox, old=b"Buy milk.", new=b"Buy nothing.")

    with pytest.raises(ConflictError):
        can.find_updated(record)


def test_a_flag_that_somebody_has_set_stays_when_a_change_is_undone(desk: MailDesk) -> None:
    can = MailCallbacks(desk)
    record = Record(arguments={"mail_id": FIRST, "subject": "Tea"}, key="k1")
    record = with_snapshot(record, can.read_draft_state(record))
    made = desk.update_draft(FIRST, subject="Tea", key="k1")
    with desk.mailbox.open() as session:
        session.mark("Drafts", session.get("Drafts", FIRST), flag="\\Flagged")

    can.undo_update(replace(record, version=made["at"]))

    [(_, content, flags)] = look(desk.mailbox)
    assert b"Subject: Milk" in content
    assert "\\Flagged" in flags


def with_snapshot(record: Record, state: object) -> Record:
    return replace(record, snapshot=Snapshot(state))


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
        MailCallbacks(desk).find_sent(Record(arguments={"mail_id": made["mail_id"]}, key="k2"))
        is not None
    )


def test_a_refused_mail_was_sent_to_nobody_and_may_be_sent_again(
    desk: MailDesk, sender: Sender
) -> None:
    sender.answer = "554 not today"

    with pytest.raises(NotSentError):
        desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")

    sender.answer = "250 OK"
    assert MailCallbacks(desk).find_sent(Record(arguments={}, key="k1")) is None
    desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")
    assert len(sender.taken) == 1


def test_a_mail_whose_answer_was_lost_is_asked_about_and_not_sent_again(
    desk: MailDesk, sender: Sender
) -> None:
    sender.answer = ""

    with pytest.raises(Exception):  # noqa: B017 - whatever the line says when it is cut
        desk.send_mail(["bob@example.com"], "Tea", body="Tea?", key="k1")

    with pytest.raises(ConflictError):
        MailCallbacks(desk).find_sent(Record(arguments={}, key="k1"))
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
