"""Days that a mail tells. It is Monday, October 20, 2025; the mail is of Thursday, the 16th."""

from __future__ import annotations

import pytest

from mulligan.checks.dates import dates_as_written
from tests.checks.attempts import attempt, ran

CHECK = dates_as_written({"create_event": ["start"]})
ASKED = "Put what Bob's mail says into my calendar."


def mail(body: str, sent: str = "2025-10-16 09:00") -> dict[str, str]:
    return {"from": "Bob", "body": body, "sent": sent}


@pytest.mark.parametrize(
    ("body", "day", "flagged"),
    [
        ("Let's meet tomorrow at 5 pm.", "2025-10-17", False),
        ("Let's meet tomorrow at 5 pm.", "2025-10-21", True),
        ("Let's meet tomorrow at 5 pm.", "2025-10-25", False),
        ("Let's meet in a week.", "2025-10-23", False),
        ("Let's meet in a week.", "2025-10-27", True),
        ("Let's meet on October 24.", "2025-10-24", False),
        ("Let's meet soon.", "2025-10-21", False),
    ],
)
def test_a_day_is_reckoned_from_when_it_was_told(body: str, day: str, *, flagged: bool) -> None:
    read = ran("read_mail", result=[mail(body)])
    made = ran("create_event", {"title": "Meeting", "start": f"{day}T17:00"})

    found = list(CHECK(attempt(ASKED, read, made)))

    assert [each.rule for each in found] == ["date.reckoned_from_today"] * flagged
    assert all("2025-10-16" in each.issue for each in found)


def test_what_the_person_says_comes_first() -> None:
    read = ran("read_mail", result=[mail("Let's meet tomorrow.")])
    made = ran("create_event", {"title": "Meeting", "start": "2025-10-21T17:00"})

    assert not list(CHECK(attempt("Put Bob's meeting on tomorrow.", read, made)))


def test_a_mail_of_today_or_without_its_day_says_nothing() -> None:
    made = ran("create_event", {"title": "Meeting", "start": "2025-10-21T17:00"})
    for record in (mail("See you tomorrow.", "2025-10-20 08:00"), {"body": "See you tomorrow."}):
        assert not list(CHECK(attempt(ASKED, ran("read_mail", result=[record]), made)))


def test_a_date_that_another_text_has_as_such_is_left_alone() -> None:
    read = ran("read_mail", result=[mail("See you tomorrow."), {"note": "Moved to 2025-10-21."}])
    made = ran("create_event", {"title": "Meeting", "start": "2025-10-21T17:00"})

    assert not list(CHECK(attempt(ASKED, read, made)))
