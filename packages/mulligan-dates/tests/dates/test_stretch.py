from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.reader import find_meaning
from tests.dates.said import AMERICAN, moment


def stretches(phrase: str) -> set[str]:
    found = find_meaning(phrase, moment(), pins=AMERICAN)
    return {f"{r.start:%m-%d %H:%M}/{r.end:%m-%d %H:%M}" for r in found.readings}


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("from 10 pm to 2 am tomorrow", "10-23 22:00/10-24 02:00"),
        ("Nov 3 to 5, 2025", "11-03 00:00/11-06 00:00"),
        ("from May to July 2026", "05-01 00:00/08-01 00:00"),
        ("from May to July 2026", "05-01 00:00/07-01 00:00"),
    ],
)
def test_a_range_goes_from_the_start_of_one_to_the_end_of_the_other(
    phrase: str, expected: str
) -> None:
    assert expected in stretches(phrase)


def test_next_at_the_end_of_a_range_may_be_reckoned_from_its_start() -> None:
    said = {each for each in stretches("Friday to next Sunday") if each.startswith("10-24")}
    on_sunday = moment(datetime(2025, 10, 26, 10))
    found = find_meaning("Friday to next Sunday", on_sunday, pins=AMERICAN).readings

    assert said == {"10-24 00:00/10-27 00:00", "10-24 00:00/11-03 00:00"}
    assert [str(each.end.date()) for each in found if each.start.day == 31] == [
        "2025-11-03",
        "2025-11-10",
    ]


def test_the_end_of_a_range_is_the_first_after_its_start() -> None:
    assert stretches("Monday to Friday") == {"10-20 00:00/10-25 00:00", "10-27 00:00/11-01 00:00"}
    assert stretches("next Monday to Friday") == {"10-27 00:00/11-01 00:00"}


def test_where_the_words_do_not_say_when_it_begins_nothing_is_said() -> None:
    assert stretches("from the 22nd to the 23rd at 7") == set()


def test_a_range_beyond_the_calendar_is_nothing_and_no_error() -> None:
    assert stretches("from 9999-12-30 to 9999-12-31") == set()
