"""Dates and weekdays in what models write."""

from __future__ import annotations

import pytest

from mulligan_dates.languages import LANGUAGES, choose_prose, list_prose
from mulligan_dates.tables import IN_FIGURES, build_dates, build_weekdays

FRENCH = "Le rendez-vous est le 2026-03-13, et pas dans le bureau pour nous."


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_month_is_found_in_full_and_short_and_is_that_month(code: str) -> None:
    prose = LANGUAGES[code].prose

    for number, month in enumerate(prose.months, 1):
        for written in (month, month[:3].capitalize()):
            found = prose.dates.search(f"3 {written} 2026")
            assert found is not None
            assert prose.find_month(found["name2"]) == number


def test_a_date_in_figures_is_one_in_any_language() -> None:
    found = choose_prose(FRENCH).dates.search(FRENCH)

    assert found is not None
    assert found["day"] == "13"
    assert choose_prose(FRENCH).dates is IN_FIGURES


def test_a_short_weekday_needs_its_capital() -> None:
    pattern = build_weekdays([("saturday", "Sat")])

    assert [f.group() for f in pattern.finditer("Sat, he sat on SATURDAY")] == ["Sat", "SATURDAY"]


def test_what_stands_around_a_day_is_the_language_s() -> None:
    pattern = build_dates(["january"], ordinal="st", before="the ", of="of ")

    assert [f.group() for f in pattern.finditer("on the 1st of January 2026")] == [
        "the 1st of January 2026"
    ]


def test_a_net_may_ask_for_what_is_said_in_every_language() -> None:
    assert list_prose() == [each.prose for each in LANGUAGES.values()]
