"""What surrounds an expression. Now is Wednesday 2025-10-22, 10:15."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Expression
from mulligan.checks.dates.resolve import expressions

NOW = Moment(now=datetime(2025, 10, 22, 10, 15))


def said(message: str) -> list[Expression]:
    return expressions(message, NOW)


@pytest.mark.parametrize(
    ("message", "binding"),
    [
        ("Book a table for Friday", True),
        ("Cancel Friday's dinner", True),
        ("Move Friday's dinner", False),
        ("Reschedule tomorrow's call, please", False),
        ("Send yesterday's notes to Ann", False),
        ("Answer the mail from Friday", False),
        ("Finish the December report", False),
        ("Finish it in December", True),
        ("Do it as soon as possible", False),
        ("My contract began on March 3, 2019", False),
        ("It was due on Monday", False),
        ("We are away from Friday to Sunday", True),
    ],
)
def test_a_date_that_only_names_a_thing_does_not_bind(message: str, *, binding: bool) -> None:
    (found,) = said(message)

    assert found.binding is binding


@pytest.mark.parametrize(
    "message",
    [
        "Any time but not on Friday",
        "I can't do Friday",
        "Whenever you like, except tomorrow",
        "The deadline is Friday, so meet before that",
        "Call her every two weeks from Friday",
        "A weekly call, the first one on Friday",
        "Find a time this week or next",
        "Arrive on Friday and leave the following Monday",
    ],
)
def test_a_day_that_is_ruled_out_or_repeated_leaves_the_rest_open(message: str) -> None:
    assert any(not each.known for each in said(message))


def test_a_not_in_the_sentence_before_rules_nothing_out() -> None:
    (found,) = said("This is not urgent. Friday will do")

    assert found.known


def test_tomorrow_said_in_the_small_hours_may_be_the_day_that_comes() -> None:
    night = Moment(now=datetime(2025, 10, 22, 2, 30))

    (found,) = expressions("Wake me tomorrow at 7am", night)

    assert [f"{each.start:%m-%d %H}" for each in found.readings] == ["10-22 07", "10-23 07"]
