"""What German phrases mean, said on Wednesday, November 18, 2026, at ten."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.calendar import find_feast
from mulligan_dates.german import FEASTS, GERMAN
from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Moment
from mulligan_dates.tokens import END, tokenize

NOW = Moment(now=datetime(2026, 11, 18, 10))


def meant(phrase: str) -> list[str]:
    found = find_meaning(phrase, NOW, words=GERMAN)
    return sorted({each.start.isoformat(" ", "minutes") for each in found.readings})


@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("übermorgen", "2026-11-20 00:00"),
        ("nächste Woche Freitag", "2026-11-27 00:00"),
        ("naechste Woche Freitag", "2026-11-27 00:00"),
        ("vor drei Tagen", "2026-11-15 00:00"),
        ("heute in zwei Wochen", "2026-12-02 00:00"),
        ("morgen um halb acht abends", "2026-11-19 19:30"),
        ("morgen um viertel acht", "2026-11-19 07:15"),
        ("morgen um fünf vor halb acht", "2026-11-19 07:25"),
        ("morgen um 14 Uhr 30", "2026-11-19 14:30"),
        ("morgen um sieben Uhr dreißig", "2026-11-19 07:30"),
        ("Donnerstagnachmittag um 3", "2026-11-19 15:00"),
        ("in anderthalb Stunden", "2026-11-18 11:30"),
        ("in einundzwanzig Tagen", "2026-12-09 00:00"),
        ("am einundzwanzigsten Dezember 2026", "2026-12-21 00:00"),
        ("am dritten Dezember 2026", "2026-12-03 00:00"),
        ("am 15. nächsten Monats", "2026-12-15 00:00"),
        ("am zweiten Weihnachtsfeiertag", "2026-12-26 00:00"),
        ("Weihnachten 2026", "2026-12-25 00:00"),
        ("am 4. Advent", "2026-12-20 00:00"),
        ("am ersten Advent 2027", "2027-11-28 00:00"),
        ("Fronleichnam 2027", "2027-05-27 00:00"),
        ("Muttertag 2027", "2027-05-09 00:00"),
        ("Buß- und Bettag", "2026-11-18 00:00"),
        ("bis Monatsende", "2026-11-30 00:00"),
        ("Anfang nächster Woche", "2026-11-23 00:00"),
        ("in der ersten Dezemberwoche 2026", "2026-11-30 00:00"),
        ("zum Ersten des Monats", "2026-12-01 00:00"),
        ("am letzten Freitag im Monat", "2026-11-27 00:00"),
        ("Pfingstwochenende 2027", "2027-05-15 00:00"),
        ("90 Minuten", "2026-11-18 11:30"),
        ("den 3. Dezember 2026", "2026-12-03 00:00"),
    ],
)
def test_a_phrase_means_what_germans_mean_by_it(phrase: str, start: str) -> None:
    assert start in meant(phrase)


@pytest.mark.parametrize(
    "phrase", ["jeden Freitag", "freitags", "demnächst", "alle zwei Wochen", "3 im Monat"]
)
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


def test_every_name_of_a_feast_has_a_day() -> None:
    found = {name: FEASTS.match([*tokenize(name), *[END] * 4], 0) for name in FEASTS}

    # A name of several words is found only as a whole.
    missing = [n for n, f in found.items() if f and not find_feast(f[0], 2026, country="DE")]
    assert missing == []


@pytest.mark.parametrize(
    ("phrase", "week", "eight"),
    [
        ("in acht Tagen", "2026-11-25 00:00", "2026-11-26 00:00"),
        ("vor acht Tagen", "2026-11-11 00:00", "2026-11-10 00:00"),
    ],
)
def test_eight_days_are_also_a_week(phrase: str, week: str, eight: str) -> None:
    assert {week, eight} <= set(meant(phrase))


def test_other_numbers_of_days_are_what_they_say() -> None:
    assert meant("in neun Tagen") == ["2026-11-27 00:00", "2026-11-27 10:00"]


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("3.-5. Dezember", "2026-12-03", "2026-12-06"),
        ("vom 3. bis 5. Dezember", "2026-12-03", "2026-12-06"),
        ("24.-26.12.", "2026-12-24", "2026-12-27"),
        ("3.-5.12.2026", "2026-12-03", "2026-12-06"),
        ("KW 49", "2026-11-30", "2026-12-07"),
        ("in KW49", "2026-11-30", "2026-12-07"),
    ],
)
def test_days_and_weeks_as_calendars_print_them(phrase: str, start: str, end: str) -> None:
    found = find_meaning(phrase, NOW, words=GERMAN)

    assert (start, end) in {(str(e.start.date()), str(e.end.date())) for e in found.readings}


def test_the_end_of_a_day_can_be_told_as_24() -> None:
    assert meant("heute um 24:00") == ["2026-11-19 00:00"]
    assert meant("Freitag 20:00-24:00 Uhr")[-1] == "2026-11-20 20:00"
    assert meant("heute um 24:30") == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mathe in der 3. Stunde macht Herr Bode, der Rest in der 5.", []),
        ("Den 3. Termin bitte absagen, zum 3. Mal", []),
        ("Treffen Do 3. und Fr 4. um neun", ["2026-12-03", "2026-12-04"]),
        ("Bitte bis zum 5. Danke", ["2026-12-05"]),
        ("der 3. passt, den 4. Dezember nicht", ["2026-12-03", "2026-12-04"]),
    ],
)
def test_a_number_with_a_dot_is_a_day_or_one_of_several_things(text: str, days: list[str]) -> None:
    found = find_expressions(text, NOW, words=GERMAN)

    assert [str(max(r.start for r in e.readings).date()) for e in found if e.dated] == days
