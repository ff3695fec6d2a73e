from __future__ import annotations

import pytest

from mulligan.checks.date_arguments import find_argument_dates
from mulligan.checks.date_binding import find_untold
from mulligan_dates.reader import read_message
from tests.dates.said import moment


@pytest.mark.parametrize(
    ("said", "value", "untold"),
    [
        ("Dinner at 7pm", "2025-10-22T19:00", False),
        ("Dinner at 7pm", "2025-10-23T19:00", False),
        ("Dinner at 7pm", "2025-10-27T19:00", True),
        ("Dinner at 7pm", "2025-10-27", False),
        ("Dinner on Friday at 7pm", "2025-10-27T19:00", False),
        ("Dinner", "2025-10-27T19:00", False),
        ("Dinner 27 loka at 7pm", "2025-10-27T19:00", False),
    ],
)
def test_a_day_that_nobody_said_is_today_or_tomorrow(
    said: str, value: str, *, untold: bool
) -> None:
    given = list(find_argument_dates({"start": value}, zone="UTC"))
    expressions = read_message(said, moment()).expressions
    found = find_untold(given, expressions, message=said, at=moment())

    assert bool(found) is untold
