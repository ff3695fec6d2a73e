"""Holidays of a country come from a library that may or may not be there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, datetime
from types import ModuleType
from typing import ClassVar

import pytest

from mulligan_dates.calendar import load_national_days, load_national_names
from mulligan_dates.reader import find_meaning, parse_once
from mulligan_dates.readings import Moment


class Calendar(dict[date, str]):
    """What the library gives for one country."""

    supported_categories = ("public",)


class Library(ModuleType):
    """As much of the library as is used, with the holidays of one country in one year."""

    DAYS: ClassVar[dict[str, str]] = {
        "07-04": "Independence Day",
        "11-26": "Thanksgiving Day",
        "11-11": "Veterans Day; Old Soldiers' Day",
        "11-12": "Veterans Day (observed)",
        "06-01": "Twice",
        "06-02": "Twice",
    }

    def list_supported_countries(self) -> list[str]:
        return ["US"]

    def country_holidays(self, country: str, **options: object) -> Calendar:
        year = options.get("years")
        found = self.DAYS if year else {}
        return Calendar({date.fromisoformat(f"{year}-{day}"): name for day, name in found.items()})


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What was looked up is looked up again."""
    for cached in (load_national_days, load_national_names, parse_once):
        cached.cache_clear()
    yield
    for cached in (load_national_days, load_national_names, parse_once):
        cached.cache_clear()


def days(phrase: str, country: str | None) -> list[str]:
    at = Moment(now=datetime(2026, 10, 1, 9, 0), country=country)
    return [str(each.start.date()) for each in find_meaning(phrase, at).readings]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, forgetful: None) -> None:
    monkeypatch.setitem(sys.modules, "holidays", Library("holidays"))


@pytest.mark.usefixtures("library")
def test_the_holidays_of_the_persons_country_have_their_names() -> None:
    assert days("Independence Day", "US") == ["2026-07-04", "2027-07-04"]
    assert days("next thanksgiving", "US") == ["2026-11-26"]
    assert days("thanksgiving 2025", "US") == ["2025-11-26"]
    assert days("old soldiers day 2026", "US") == ["2026-11-11"]


@pytest.mark.usefixtures("library")
def test_a_day_off_that_was_moved_is_not_the_day_and_two_days_are_none() -> None:
    assert days("Veterans Day 2026", "US") == ["2026-11-11"]
    assert days("Twice 2026", "US") == []


@pytest.mark.usefixtures("library")
def test_an_unknown_country_has_no_holidays() -> None:
    assert days("Independence Day", "XX") == []
    assert days("Independence Day", None) == []


def test_without_the_library_a_national_holiday_is_unknown(
    monkeypatch: pytest.MonkeyPatch, forgetful: None
) -> None:
    monkeypatch.setitem(sys.modules, "holidays", None)

    assert days("Independence Day", "US") == []
    assert days("Christmas 2026", "US") == ["2026-12-25"]


@pytest.mark.parametrize("now", [datetime(1, 1, 1), datetime(9999, 12, 31)])
def test_a_holiday_at_the_end_of_the_calendar_does_not_fail(now: datetime) -> None:
    for phrase in ("Christmas", "Easter"):
        assert len(find_meaning(phrase, Moment(now=now)).readings) <= 2
