"""Stretches of time: where they start and where they end. It is Wednesday 2025-10-22, 10:15."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Grain
from tests.dates.said import AMERICAN, NOW, found_in, moment, resolved


def stretches(phrase: str, now: datetime = NOW) -> list[str]:
    found = find_meaning(phrase, moment(now), pins=AMERICAN)
    spans = [each for each in found.readings if each.grain is Grain.SPAN]
    return [f"{each.start:%m-%d %H:%M}/{each.end:%m-%d %H:%M}" for each in spans]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("3-5pm tomorrow", ["10-23 15:00/10-23 17:00"]),
        ("tomorrow from 10 to 2pm", ["10-23 10:00/10-23 14:00"]),
        ("from 10 to 6 tomorrow", ["10-23 10:00/10-23 18:00", "10-23 22:00/10-24 06:00"]),
        ("from 10 pm to 2 am tomorrow", ["10-22 22:00/10-23 02:00", "10-23 22:00/10-24 02:00"]),
        ("between 9:30am and 11am on Friday, October 24", ["10-24 09:30/10-24 11:00"]),
        ("Nov 3 to 5, 2025", ["11-03 00:00/11-06 00:00"]),
        ("from the 3rd to the 5th of November 2025", ["11-03 00:00/11-06 00:00"]),
        ("from 8am-3 yesterday afternoon", ["10-21 08:00/10-21 15:00"]),
        ("from May to July 2026", ["05-01 00:00/08-01 00:00", "05-01 00:00/07-01 00:00"]),
        ("Monday to Friday", ["10-20 00:00/10-25 00:00", "10-27 00:00/11-01 00:00"]),
        ("next Monday to Friday", ["10-27 00:00/11-01 00:00"]),
        ("tomorrow for 3 days", ["10-23 00:00/10-26 00:00"]),
        ("tomorrow at 3pm for 2 hours", ["10-23 15:00/10-23 17:00"]),
        ("next month", ["11-01 00:00/12-01 00:00"]),
        ("the month before last", ["08-01 00:00/09-01 00:00"]),
        ("November 2025", ["11-01 00:00/12-01 00:00"]),
        ("March of '19", ["03-01 00:00/04-01 00:00"]),
        ("next March", ["03-01 00:00/04-01 00:00"]),
        ("Q4 2025", ["10-01 00:00/01-01 00:00"]),
        ("third quarter 2019", ["07-01 00:00/10-01 00:00"]),
        ("2019-Q3", ["07-01 00:00/10-01 00:00"]),
        ("the year 2019", ["01-01 00:00/01-01 00:00"]),
        ("this week", ["10-20 00:00/10-27 00:00", "10-19 00:00/10-26 00:00"]),
        ("this weekend", ["10-25 00:00/10-27 00:00", "10-24 18:00/10-27 00:00"]),
        ("by the end of the month", ["10-22 10:15/11-01 00:00"]),
        ("until tomorrow", ["10-22 10:15/10-24 00:00"]),
        ("since Monday, October 20", ["10-20 00:00/10-23 00:00"]),
        ("the end of the month", ["10-21 00:00/11-01 00:00"]),
        ("early next week", ["10-27 00:00/10-30 00:00", "10-26 00:00/10-29 00:00"]),
        ("late next week", ["10-31 00:00/11-03 00:00", "10-30 00:00/11-02 00:00"]),
        ("the middle of next week", ["10-28 00:00/10-31 00:00"]),
        ("mid March 2026", ["03-11 00:00/03-21 00:00"]),
        ("the beginning of Q1 2026", ["01-01 00:00/02-01 00:00"]),
        ("early 2026", ["01-01 00:00/05-01 00:00"]),
        ("the middle of 2026", ["05-01 00:00/09-01 00:00"]),
        ("the end of the weekend", []),
        ("two weekends ago", ["10-11 00:00/10-13 00:00", "10-10 18:00/10-13 00:00"]),
        ("2 weekends from now", ["11-01 00:00/11-03 00:00", "10-31 18:00/11-03 00:00"]),
        ("Labor Day weekend 2026", ["09-05 00:00/09-08 00:00"]),
        ("Easter weekend 2026", ["04-03 00:00/04-07 00:00"]),
        ("the weekend of Halloween 2028", []),
        ("all of next month", ["11-01 00:00/12-01 00:00"]),
        ("from the end of May 2026 to the end of June 2026", []),
        ("first week of June 2026", ["06-01 00:00/06-08 00:00"]),
        ("the second week of January 2027", ["01-11 00:00/01-18 00:00", "01-08 00:00/01-15 00:00"]),
        ("the last week of 2026", ["12-28 00:00/01-04 00:00", "12-25 00:00/01-01 00:00"]),
        ("last April", ["04-01 00:00/05-01 00:00", "04-01 00:00/05-01 00:00"]),
        ("noon today to midnight tomorrow", ["10-22 12:00/10-23 00:00", "10-22 12:00/10-24 00:00"]),
        # When the first of two days begins, is not said.
        ("from the 22nd to the 23rd at 7", []),
        ("from 9999-12-30 to 9999-12-31", []),
        ("Q5", []),
        ("this week 42", []),
    ],
)
def test_stretches_of_time_have_a_start_and_an_end(phrase: str, expected: list[str]) -> None:
    assert stretches(phrase) == expected


def test_next_at_the_end_of_a_range_may_be_counted_from_its_start() -> None:
    on_sunday = datetime(2025, 10, 26, 10)

    said = {each for each in stretches("Friday to next Sunday") if each.startswith("10-24")}
    later = [each for each in stretches("Friday to next Sunday", on_sunday) if each[3:5] == "31"]

    assert said == {"10-24 00:00/10-27 00:00", "10-24 00:00/11-03 00:00"}
    assert later == ["10-31 00:00/11-03 00:00", "10-31 00:00/11-10 00:00"]


def test_a_part_of_a_day_is_no_exact_time_but_lies_in_it() -> None:
    [evening] = find_meaning("tomorrow evening", moment()).readings

    assert evening.grain is Grain.PART
    assert evening.start.date() == date(2025, 10, 23)
    assert 15 <= evening.start.hour < 24


def test_what_a_phrase_is_counted_from_is_mentioned_and_not_meant() -> None:
    [found] = find_expressions("a week from tomorrow", moment(), pins=AMERICAN)

    assert [str(each.start.date()) for each in found.readings] == ["2025-10-30"]
    assert [str(each.start.date()) for each in found.mentions] == ["2025-10-23"]


@pytest.mark.parametrize(
    ("phrase", "first", "after"),
    [
        ("30.11. bis 2.12.", "2026-11-30", "2026-12-03"),
        ("30.11.-2.12.", "2026-11-30", "2026-12-03"),
        ("3.11.-5.11.", "2026-11-03", "2026-11-06"),
        ("3.11. - 5.11", "2026-11-03", "2026-11-06"),
        ("5.12. bis 9.12.", "2026-12-05", "2026-12-10"),
        ("vom 1.12.-3.12.", "2026-12-01", "2026-12-04"),
        ("24.12.-26.12.", "2026-12-24", "2026-12-27"),
        ("3.11.2026 bis 5.11.2026", "2026-11-03", "2026-11-06"),
        ("3.11.-5.11.2026", "2026-11-03", "2026-11-06"),
    ],
)
def test_a_date_with_dots_behind_another_is_the_end_of_a_range(
    phrase: str, first: str, after: str
) -> None:
    said = resolved(phrase)

    assert f"{first} 00:00/{after} 00:00" in said
    assert all(each.endswith(" 00:00") for each in said)


def test_a_time_with_a_dot_behind_a_date_stays_one() -> None:
    assert "2026-11-03 14:30" in resolved("3.11. 14.30")
    assert "2026-11-03 14:10" in resolved("3.11., 14.10 Uhr")
    assert "2026-11-03 14:10" in resolved("am 3.11. um 14.10.")


def test_the_dates_of_a_list_are_days() -> None:
    said = found_in("Termine am 30.11., 2.12. und 5.12.")

    assert [each.rstrip(".") for each in said] == ["30.11", "2.12", "5.12"]
    assert "2026-12-02" in said["2.12."]


def test_both_ends_of_a_range_are_written_in_the_same_order() -> None:
    said = [each for each in resolved("3/4 - 5/4") if each.startswith("2027")]

    assert sorted(said) == [
        "2027-03-04 00:00/2027-05-05 00:00",
        "2027-04-03 00:00/2027-04-06 00:00",
    ]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Friday 10pm to 2am", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Fri 22:00-02:00", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Sat 8pm - 1am", "2026-10-31 20:00/2026-11-01 01:00"),
        ("Friday from 10pm to 2am", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Freitag von 22 Uhr bis 2 Uhr", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Freitag 22 bis 2 Uhr", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Freitag 22-2 Uhr", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Freitag 20-22 Uhr", "2026-10-30 20:00/2026-10-30 22:00"),
        ("on 30 Oct 10pm to 2am", "2026-10-30 22:00/2026-10-31 02:00"),
        ("next Friday 10pm to 2am", "2026-10-30 22:00/2026-10-31 02:00"),
        ("Wednesday 10pm to 2am", "2026-10-28 22:00/2026-10-29 02:00"),
        ("Christmas 10pm to 2am", "2026-12-25 22:00/2026-12-26 02:00"),
    ],
)
def test_hours_of_one_day_end_within_a_day(phrase: str, expected: str) -> None:
    said = resolved(phrase)

    lengths = [
        datetime.fromisoformat(end) - datetime.fromisoformat(start)
        for start, end in (each.split("/") for each in said)
    ]
    assert said[0] == expected
    assert len(set(lengths)) == 1


def test_the_day_behind_hours_over_midnight_is_that_of_either_end() -> None:
    ahead = [each for each in resolved("10pm to 2am on Friday") if each > "2026-10-28"]

    assert ahead == ["2026-10-29 22:00/2026-10-30 02:00", "2026-10-30 22:00/2026-10-31 02:00"]


def test_both_ends_are_told_in_the_zone_of_one() -> None:
    assert resolved("from 14:00 to 15:00 UTC tomorrow") == ["2026-10-29 15:00/2026-10-29 16:00"]
    assert resolved("tomorrow 2pm UTC to 3pm") == ["2026-10-29 15:00/2026-10-29 16:00"]


def test_hours_behind_a_weekday_are_no_day_of_the_month() -> None:
    (said,) = found_in("Konzert Freitag 22-2 Uhr").values()

    assert set(said) == {"2026-10-30 22:00/2026-10-31 02:00", "2026-10-23 22:00/2026-10-24 02:00"}


def test_the_past_week_is_also_the_seven_days_before_today() -> None:
    assert "2026-10-21 00:00/2026-10-28 00:00" in resolved("the past week")
    assert "2026-10-19 00:00/2026-10-26 00:00" in resolved("the past week")
    assert "2026-09-28 00:00/2026-10-28 00:00" in resolved("the past month")
    assert "2026-10-21 00:00/2026-10-28 00:00" not in resolved("last week")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("3.11. 14.30 bis 16.10", ["2026-11-03 14:30/2026-11-03 16:10"]),
        ("am 30.10.2026 von 9 bis 17 Uhr", ["2026-10-30 09:00/2026-10-30 17:00"]),
        ("tomorrow from 12 to 14:30", ["2026-10-29 12:00/2026-10-29 14:30"]),
        ("Dec 28 - Jan 3, 2027", ["2026-12-28 00:00/2027-01-04 00:00"]),
        ("28.12.-3.1.2027", ["2026-12-28 00:00/2027-01-04 00:00"]),
        ("Dec 3 - Dec 8, 2026", ["2026-12-03 00:00/2026-12-09 00:00"]),
    ],
)
def test_one_end_of_a_range_tells_how_the_other_is_meant(phrase: str, expected: list[str]) -> None:
    assert resolved(phrase)[:1] == expected
    assert phrase.startswith("3.11.") or resolved(phrase) == expected


def test_numbers_behind_a_weekday_that_are_hours_or_days_are_unknown() -> None:
    assert resolved("Friday 20-22") == []


def test_a_day_without_its_month_ends_a_range_within_a_month() -> None:
    said = resolved("Friday the 20th to the 22nd")

    assert said == [
        "2026-11-20 00:00/2026-11-23 00:00",
        "2026-03-20 00:00/2026-03-23 00:00",
    ]


@pytest.mark.parametrize(
    ("phrase", "starts"),
    [
        ("since 8am", ["2026-10-28 08:00"]),
        ("since 3pm", ["2026-10-27 15:00"]),
        ("seit 8 Uhr", ["2026-10-28 08:00", "2026-10-27 20:00"]),
        ("since midnight", ["2026-10-28 00:00"]),
    ],
)
def test_what_goes_on_since_a_time_has_begun(phrase: str, starts: list[str]) -> None:
    assert resolved(phrase) == [f"{each}/2026-10-29 00:00" for each in starts]


def test_the_half_of_the_day_that_an_end_leaves_open_stays_open() -> None:
    said = resolved("am 3.11.2026 10 Uhr bis 5.11.2026 12 Uhr")

    assert {"2026-11-03 10:00/2026-11-05 00:00", "2026-11-03 10:00/2026-11-05 12:00"} <= set(said)
