from __future__ import annotations

import re
from datetime import date, time

import pytest

from mulligan.learning.coerce import (
    build_pattern,
    drops_zone,
    find_form,
    find_form_of,
    format_moment,
    read_moment,
)


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("time data 'x' does not match format '%Y-%m-%d %H:%M'", "%Y-%m-%d %H:%M"),
        ("The day of arrival, as MM/DD/YYYY.", "%m/%d/%Y"),
        ("use yyyy-mm-dd hh:mm", "%Y-%m-%d %H:%M"),
        ("like YYYY-MM-DDTHH:MM:SSZ", "%Y-%m-%dT%H:%M:%SZ"),
        ("a clock as HH:MM", "%H:%M"),
        ("As MM/DD/YYYY or DD/MM/YYYY.", None),
        ("100%done %damage", None),
        ("printed with %d: %s", None),
        ("no form at all", None),
    ],
)
def test_the_one_form_that_is_stated_is_found(said: str, form: str | None) -> None:
    assert find_form(said) == form


@pytest.mark.parametrize(
    ("text", "form", "now"),
    [
        ("2026-10-15T18:00:00", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15 18:00:00Z", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15T00:00:00", "%Y-%m-%d", "2026-10-15"),
        ("Oct 15, 2026 18:00", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15T18:00", "%Y-%m-%dT%H:%M:%S", "2026-10-15T18:00:00"),
        ("9:30", "%H:%M", "09:30"),
        ("09:30", "%H:%M:%S", "09:30:00"),
        # Something would be lost, or made up.
        ("2026-10-15T18:00:30", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00", "%Y-%m-%d", None),
        ("2026-10-15", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00+02:00", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00:00", "%Y-%m-%dT%H:%M:%S%z", None),
        ("2026-10-15T18:00:00", "%Y-%m-%dT%H:%M:%SZ", None),
        ("03/04/2026 10:00", "%Y-%m-%d %H:%M", None),
        ("25:00", "%H:%M", None),
        ("2026-10-15 25:00", "%Y-%m-%d %H:%M", None),
        ("today", "%Y-%m-%d", None),
        ("", "%Y-%m-%d", None),
    ],
)
def test_a_moment_takes_a_form_where_it_stays_the_same(
    text: str, form: str, now: str | None
) -> None:
    assert format_moment(text, form) == now


def test_a_form_is_known_by_what_is_written_in_it() -> None:
    assert find_form_of("2026-10-15 18:00") == "%Y-%m-%d %H:%M"
    assert find_form_of("2026-10-15") == "%Y-%m-%d"
    assert find_form_of("15 October") is None
    assert re.fullmatch(build_pattern("%d.%m.%Y"), "15.10.2026")
    assert not re.fullmatch(build_pattern("%d.%m.%Y"), "15-10-2026")
    assert build_pattern("%Q") == ""


def test_a_moment_is_read_with_what_it_names_and_no_more() -> None:
    assert read_moment("2026-10-15 18:00Z") == (date(2026, 10, 15), time(18), "Z")
    assert read_moment("15.10.2026") == (date(2026, 10, 15), None, "")
    assert read_moment("x" * 100) is None


def test_a_zone_that_goes_is_noticed() -> None:
    assert drops_zone("2026-10-15 18:00:00Z", "2026-10-15 18:00")
    assert not drops_zone("2026-10-15 18:00:00", "2026-10-15 18:00")
    assert not drops_zone("blue", "red")
