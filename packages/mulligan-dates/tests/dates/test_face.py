"""`resolve` and `find`: what a program takes that knows nothing else of the package."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

import mulligan_dates
from mulligan_dates import UnknownZoneError, find, resolve

WEDNESDAY = datetime(2026, 10, 28, 12, 0, tzinfo=UTC)


def test_a_phrase_has_all_that_it_can_mean_the_likeliest_first() -> None:
    found = resolve("next Friday", at=WEDNESDAY, timezone="Europe/Berlin")

    assert [each.start.date() for each in found] == [date(2026, 10, 30), date(2026, 11, 6)]


def test_of_what_is_not_understood_whole_nothing_is_said() -> None:
    assert resolve("when the cows come home", at=WEDNESDAY, timezone="Europe/Berlin") == []


def test_the_locale_settles_what_people_differ_on() -> None:
    british, american = (
        [each.start.date() for each in resolve("3/4", at=WEDNESDAY, timezone="UTC", locale=locale)]
        for locale in ("en-GB", "en-US")
    )

    assert {(each.day, each.month) for each in british} == {(3, 4)}
    assert {(each.day, each.month) for each in american} == {(4, 3)}


def test_every_time_of_a_message_is_found_where_it_stands() -> None:
    message = "Verschiebe das Essen von Freitag auf übermorgen um 19 Uhr"

    found = find(message, at=WEDNESDAY, timezone="Europe/Berlin")

    assert [message[each.start : each.end] for each in found] == ["Freitag", "übermorgen um 19 Uhr"]
    assert [each.start for each in found[1].readings] == [datetime(2026, 10, 30, 19)]


@pytest.mark.parametrize("ask", [resolve, find])
def test_a_time_without_a_zone_and_a_zone_nobody_knows_are_refused(ask) -> None:
    with pytest.raises(ValueError, match="has no zone"):
        ask("tomorrow", at=WEDNESDAY.replace(tzinfo=None), timezone="UTC")
    with pytest.raises(UnknownZoneError, match="'Mars/Olympus' is not an IANA zone"):
        ask("tomorrow", at=WEDNESDAY, timezone="Mars/Olympus")


def test_a_name_that_is_not_there_is_no_surprise() -> None:
    with pytest.raises(AttributeError, match="no attribute 'parse'"):
        _ = mulligan_dates.parse
