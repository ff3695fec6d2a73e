from __future__ import annotations

import pytest

from mulligan_dates.english import ENGLISH
from mulligan_dates.scan import (
    begins_time,
    expand_year,
    parse_half,
    parse_year,
    read_day_number,
    scan,
)
from mulligan_dates.tables import Half


@pytest.mark.parametrize(
    ("said", "number"),
    [("3", 3), ("3rd", 3), ("thirty first", 31), ("32", None), ("003", None), ("0", None)],
)
def test_a_day_of_the_month_is_told_in_figures_or_words(said: str, number: int | None) -> None:
    assert read_day_number(scan(said, ENGLISH).tokens[0]) == number


@pytest.mark.parametrize(
    ("said", "year"),
    [
        ("2019", 2019),
        ("nineteen eighty six", 1986),
        ("twenty ten", 2010),
        ("nineteen oh one", 1901),
        ("'19", 2019),
        ("1530", None),
        ("96", None),
        ("soon", None),
    ],
)
def test_a_year_is_read_before_a_time_and_after_no_doubt(said: str, year: int | None) -> None:
    found = parse_year(scan(said, ENGLISH), 0)

    assert (found[0] if found else None) == year


def test_two_figures_are_a_year_only_where_one_is_expected() -> None:
    assert parse_year(scan("96", ENGLISH), 0, short=True) == (1996, 1)
    assert (expand_year(69), expand_year(70), expand_year(1812)) == (2069, 1970, 1812)


@pytest.mark.parametrize(
    ("said", "time"),
    [("7pm", True), ("7:30", True), ("7.30", True), ("7 o'clock", True), ("7 people", False),
     ("7", False)],
)  # fmt: skip
def test_a_number_begins_a_time_by_what_follows_it(said: str, time: bool) -> None:
    assert begins_time(scan(said, ENGLISH), 0) is time


def test_five_a_week_is_not_five_in_the_morning() -> None:
    assert parse_half(scan("5 a week", ENGLISH), 1) is None
    assert parse_half(scan("5a", ENGLISH), 1) == (Half.AM, 2)
    assert parse_half(scan("5 p.m.", ENGLISH), 1)[0] is Half.PM


def test_no_rule_has_to_look_where_a_message_ends() -> None:
    seen = scan("today!", ENGLISH)

    assert seen.count == 2
    assert seen.ends(1)
    assert seen.is_whole(0, 1)
    assert not seen.is_whole(0, 0)
    assert seen.tokens[seen.count].text == ""


def test_a_rule_goes_past_what_it_need_not_read() -> None:
    seen = scan("the - month", ENGLISH)

    assert seen.skip(0, ENGLISH.the) == 1
    assert seen.skip(1, ENGLISH.the) == 1
    assert seen.skip_sign(1, "-/") == 2
    assert seen.skip_sign(2, "-/") == 2
    assert seen.is_after(1, ENGLISH.the)
    assert not seen.is_after(0, ENGLISH.the)
