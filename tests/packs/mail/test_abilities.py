"""What was left half done is decided by looking, and never done twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from mulligan.core.record import Image, Record
from mulligan.packs.mail import Mailbox
from mulligan.packs.mail.abilities import MailAbilities, is_same
from mulligan.packs.mail.desk import MailDesk
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


def with_image(record: Record, state: object) -> Record:
    return replace(record, image=Image(state))


def test_nothing_is_the_same_as_nothing_and_a_version_as_itself() -> None:
    assert is_same(None, None)
    assert not is_same({"at": "a"}, None)
    assert is_same({"at": "a"}, {"at": "a"})
