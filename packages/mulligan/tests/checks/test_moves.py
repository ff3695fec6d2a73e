from __future__ import annotations

import pytest

from mulligan_dates.reader import read_message
from tests.dates.said import moment


@pytest.mark.parametrize(
    ("message", "sources", "others"),
    [
        ("Move dinner from Wednesday to Friday", ["Wednesday"], ["Friday"]),
        ("Move the dinner on Thursday to Friday", ["Thursday"], ["Friday"]),
        ("Change my Friday call to Thursday", ["Friday"], ["Thursday"]),
        ("Move dinner to Friday from Wednesday", ["Wednesday"], ["Friday"]),
        ("Move what is scheduled for May 3 to May 9", ["May 3"], ["May 9"]),
        ("Move my 3pm to 4pm", ["3pm"], ["4pm"]),
        ("Move dinner to Friday or Saturday", [], ["Friday", "Saturday"]),
        ("Move the fair to Monday to Friday", [], ["Monday to Friday"]),
        ("Reschedule the fair for Monday to Friday", [], ["Monday to Friday"]),
        ("Block Monday to Friday", [], ["Monday to Friday"]),
        ("Move the call and book the fair from Monday to Friday", [], ["Monday to Friday"]),
        ("Move lunch to tomorrow", [], ["tomorrow"]),
        ("Move the shift: 10pm to 6am tomorrow", [], ["10pm to 6am tomorrow"]),
    ],
)
def test_what_is_moved_has_a_day_it_was_on_and_one_it_goes_to(
    message: str, sources: list[str], others: list[str]
) -> None:
    found = read_message(message, moment()).expressions

    assert [each.text for each in found if each.source] == sources
    assert [each.text for each in found if not each.source] == others


def test_until_a_day_is_to_that_day_where_something_is_moved() -> None:
    (moved,) = read_message("Postpone the launch until Friday", moment()).expressions
    (stays,) = read_message("Stay until Friday", moment()).expressions

    assert (moved.open_start, stays.open_start) == (False, True)
