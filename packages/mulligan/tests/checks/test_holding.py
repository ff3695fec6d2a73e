from __future__ import annotations

import pytest

from mulligan.checks.date_arguments import find_argument_dates
from mulligan.checks.date_binding import find_bygone, find_misfit, find_refused, find_unsaid
from mulligan_dates.reader import read_message
from tests.dates.said import AMERICAN, NOW, moment

# SaidPhrases on Wednesday 2025-10-22.


def held(message: str, *values: str) -> tuple[list[str], list[str], list[str]]:
    said = read_message(message, moment(), pins=AMERICAN).expressions
    names = dict(zip(("start", "end"), values, strict=False))
    given = list(find_argument_dates(names, zone="UTC"))
    found = (
        find_unsaid(given, said),
        find_misfit(given, said),
        find_bygone(given, said, today=NOW.date()),
    )
    return tuple([each.name for each in some] for some in found)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("said", "value", "unsaid"),
    [
        ("tonight", "2025-10-22T19:00", False),
        ("tonight", "2025-10-23T01:00", False),
        ("tonight", "2025-10-23T18:00", True),
        ("tonight", "2025-10-23", True),
        ("10pm to 6am tomorrow", "2025-10-22T22:00", False),
        ("10pm to 6am tomorrow", "2025-10-23T22:00", False),
        ("10pm to 6am tomorrow", "2025-10-24T22:00", True),
        ("less than 3 months ago", "2025-09-01", False),
        ("less than 3 months ago", "2025-07-01", True),
        ("more than 3 weeks ago", "2025-01-01", False),
        ("more than 3 weeks ago", "2025-10-20", True),
        ("less than 2 weeks from now", "2025-10-30", False),
        ("less than 2 weeks from now", "2025-11-30", True),
    ],
)
def test_a_date_lies_in_what_was_said_or_not(said: str, value: str, *, unsaid: bool) -> None:
    assert bool(held(said, value)[0]) is unsaid


@pytest.mark.parametrize(
    ("said", "start", "end", "misfit"),
    [
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-07", []),
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-08", []),
        ("from Nov 3 to Nov 7", "2025-11-04", "2025-11-07", ["start"]),
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-06", ["end"]),
        ("from Nov 3 to Nov 7", "2025-11-04T10:00", "2025-11-04T11:00", []),
        ("between Nov 3 and Nov 7", "2025-11-04", "2025-11-06", []),
    ],
)
def test_what_goes_on_for_days_begins_and_ends_as_it_was_told(
    said: str, start: str, end: str, misfit: list[str]
) -> None:
    assert held(said, start, end)[1] == misfit


def test_a_date_of_some_days_ago_that_comes_back_in_a_year_may_be_meant() -> None:
    assert held("10/17", "2025-10-17")[2] == []
    assert held("10/17 - 10/24", "2025-10-17")[2] == []
    assert held("on Friday", "2025-10-17")[2] == ["start"]


@pytest.mark.parametrize(
    ("said", "value", "refused"),
    [
        ("I can't do Thursday, reschedule it", "2025-10-23T12:00", True),
        ("I can't do Thursday, reschedule it", "2025-10-24T12:00", False),
        ("I can't do Thursday, reschedule it", "2025-10-30T12:00", False),
        ("Not on Thursday at noon, on Thursday at six", "2025-10-23T18:00", False),
        ("Move it to Thursday", "2025-10-23T12:00", False),
    ],
)
def test_a_day_that_was_ruled_out_is_not_taken(said: str, value: str, *, refused: bool) -> None:
    given = list(find_argument_dates({"start": value}, zone="UTC"))
    expressions = read_message(said, moment(), pins=AMERICAN).expressions

    assert bool(find_refused(given, expressions, today=NOW.date())) is refused
