"""Said on Wednesday, November 18, 2026, at ten."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.german import GERMAN
from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Moment

NOW = Moment(now=datetime(2026, 11, 18, 10))


def meant(phrase: str) -> list[str]:
    found = find_meaning(phrase, NOW, words=GERMAN)
    return sorted({each.start.isoformat(" ", "minutes") for each in found.readings})


@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("übermorgen", "2026-11-20 00:00"),
        ("nächste Woche Freitag", "2026-11-27 00:00"),
        ("vor drei Tagen", "2026-11-15 00:00"),
        ("heute in zwei Wochen", "2026-12-02 00:00"),
        ("morgen um halb acht abends", "2026-11-19 19:30"),
        ("morgen um viertel acht", "2026-11-19 07:15"),
        ("morgen um fünf vor halb acht", "2026-11-19 07:25"),
        ("morgen um 14 Uhr 30", "2026-11-19 14:30"),
        ("morgen um sieben Uhr dreißig", "2026-11-19 07:30"),
        ("in anderthalb Stunden", "2026-11-18 11:30"),
        ("am einundzwanzigsten Dezember 2026", "2026-12-21 00:00"),
        ("am 15. nächsten Monats", "2026-12-15 00:00"),
        ("am zweiten Weihnachtsfeiertag", "2026-12-26 00:00"),
    ],
)
def test_a_phrase_means_what_germans_mean_by_it(phrase: str, start: str) -> None:
    assert start in meant(phrase)


@pytest.mark.parametrize("phrase", ["jeden Freitag", "freitags", "demnächst", "alle zwei Wochen"])
def test_what_means_no_one_day_is_left_open(phrase: str) -> None:
    assert meant(phrase) == []


def test_am_is_no_half_of_a_day() -> None:
    (found,) = find_expressions("Leg den Termin um 7 am Freitag an", NOW)

    assert found.text == "7 am Freitag"
    assert {each.start.hour for each in found.readings} == {7, 19}


def test_morning_and_tomorrow_are_told_apart() -> None:
    assert meant("morgen früh")[0].startswith("2026-11-19")
    assert meant("heute Morgen")[0].startswith("2026-11-18")
    assert meant("Freitagmorgen")[-1].startswith("2026-11-20")
