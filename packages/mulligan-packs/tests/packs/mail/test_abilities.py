"""What was left half done is decided by looking, and never done twice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from mulligan.types.call import Image, Record
from mulligan.types.errors import ConflictError
from mulligan_packs.mail import Mailbox
from mulligan_packs.mail.abilities import MailAbilities, is_same_mail
from mulligan_packs.mail.desk import MailDesk
from mulligan_packs.mail.errors import MailError
from tests.packs.mail.conftest import FIRST, look


def test_a_change_that_was_stopped_half_way_is_finished_and_not_doubled(mailbox: Mailbox) -> None:
    desk = MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))
    can = MailAbilities(desk)
    record = Record(arguments={"mail_id": FIRST, "body": "Buy tea."}, key="k1")
    before = can.read_draft_state(record)
    old = look(desk.mailbox)[0][1]
    desk.update_draft(FIRST, body="Buy tea.", key="k1")
    with desk.mailbox.open() as session:
        session.add("Drafts", old, flags="\\Draft")

    found = can.find_updated(with_image(record, before))

    assert found is not None
    assert [draft["subject"] for draft in desk.list_drafts()] == ["Milk"]
    assert desk.read_draft(FIRST)["body"] == "Buy tea."


def change_draft(mailbox: Mailbox, *, old: bytes, new: bytes) -> None:
    """A person edits drafts with a program that keeps headers which it does not know."""
    with mailbox.open() as session:
        for each in session.list_mails("Drafts"):
            session.add("Drafts", each.content.replace(old, new), flags=each.flags)
            session.remove("Drafts", each)


def test_what_somebody_has_added_to_a_draft_of_ours_is_not_taken_for_ours(
    mailbox: Mailbox,
) -> None:
    desk = MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))
    can, given = MailAbilities(desk), {"to": ["bob@example.com"], "subject": "Tea", "body": "Tea?"}
    record = Record(arguments=given, key="k1")
    desk.create_draft(given["to"], "Tea", body="Tea?", key="k1")
    assert can.find_created(record) is not None

    change_draft(mailbox, old=b"Subject: Tea", new=b"Importance: high\r\nSubject: Tea")

    with pytest.raises(ConflictError):
        can.find_created(record)
    with pytest.raises(MailError, match="changed it since"):
        desk.create_draft(given["to"], "Tea", body="Tea?", key="k1")


def test_an_edit_of_what_a_change_has_left_alone_is_not_taken_for_the_change(
    mailbox: Mailbox,
) -> None:
    desk = MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))
    can = MailAbilities(desk)
    record = Record(arguments={"mail_id": FIRST, "subject": "Tea"}, key="k1")
    record = with_image(record, can.read_draft_state(record))
    desk.update_draft(FIRST, subject="Tea", key="k1")
    assert can.find_updated(record) is not None

    change_draft(mailbox, old=b"Buy milk.", new=b"Buy nothing.")

    with pytest.raises(ConflictError):
        can.find_updated(record)


def test_a_flag_that_somebody_has_set_stays_when_a_change_is_taken_back(mailbox: Mailbox) -> None:
    desk = MailDesk(mailbox, lambda: datetime(2026, 11, 16, tzinfo=UTC))
    can = MailAbilities(desk)
    record = Record(arguments={"mail_id": FIRST, "subject": "Tea"}, key="k1")
    record = with_image(record, can.read_draft_state(record))
    made = desk.update_draft(FIRST, subject="Tea", key="k1")
    with mailbox.open() as session:
        session.mark("Drafts", session.get("Drafts", FIRST), flag="\\Flagged")

    can.undo_update(replace(record, version=made["at"]))

    [(_, content, flags)] = look(mailbox)
    assert b"Subject: Milk" in content
    assert "\\Flagged" in flags


def with_image(record: Record, state: object) -> Record:
    return replace(record, image=Image(state))


def test_nothing_is_the_same_as_nothing_and_a_version_as_itself() -> None:
    assert is_same_mail(None, None)
    assert not is_same_mail({"at": "a"}, None)
    assert is_same_mail({"at": "a"}, {"at": "a"})
