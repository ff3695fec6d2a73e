"""Phrases as people write them, each with one answer that must be among all it can mean.

Said on Wednesday 2026-10-28, at noon in Berlin.
"""

from __future__ import annotations

import pytest

from mulligan_dates import resolve
from tests.dates.said import WEDNESDAY_NOON, show

ENGLISH = """
    1945-04-03 = 3.4.45
    1968-12-24 = '68-12-24
    1969-05-06 = May 6, 69
    1969-06-05 = 5/6/69
    1971-03-03 = March 3, '71
    1976-07-04 = July 4, '76
    2025-04-01/2025-05-01 = last April
    2026-10-26 = - 2 days
    2026-10-28 12:00/2026-10-30 = noon today through midnight tomorrow
    2026-10-28 12:45 = 45 minutes
    2026-10-28 13:30 = an hour and a half
    2026-10-31 = 3d
    2026-11-02/2026-11-05 = early next week
    2026-11-02/2026-11-06 = Monday through Thursday next week
    2026-11-02/2026-11-09 = the first week of November
    2026-11-03/2026-11-06 = Nov 3-5
    2026-11-03/2026-11-08 = from the 3rd through the 7th of November
    2026-11-04 = 1w | + 1 week
    2026-11-06/2026-11-09 = late next week
    2026-11-10 = 10/11/26
    2026-11-10/2026-11-13 = between Nov 10 and Nov 12
    2026-11-11 = Veterans Day 2026 | two weeks
    2026-11-11/2026-11-21 = middle of next month
    2026-11-30 = the end of next month
    2026-12-01/2026-12-11 = at the beginning of December
    2026-12-31 = the end of the year
    2027-01-01 = the start of Q1 2027
    2027-01-11/2027-01-18 = second week of January 2027
    2027-01-11/2027-01-21 = mid January
    2027-02-22/2027-03-01 = the last week of February 2027
    2027-03-31 = end of March 2027
    2027-04-28 = 6 months
    2027-05-27 = Corpus Christi 2027
    2027-05-31 = Memorial Day 2027
    2027-06-19 = Juneteenth 2027
    2027-07-01 = Canada Day 2027
    2027-09-06 = next Labor Day
    2027-09-07 = the Tuesday after Labor Day 2027
    2027-10-11 = Canadian Thanksgiving 2027 | Columbus Day 2027
"""
GERMAN = """
    1945-05-09 = 9. Mai 45
    1947-08-15 = 15.8.47
    1962-04-03 = am 3.4.62
    2026-10-11/2026-10-21 = Mitte des Monats
    2026-10-28 13:30 = 90 Minuten
    2026-10-29/2026-11-02 = von morgen bis Sonntag
    2026-11-01/2026-11-11 = Anfang nächsten Monats
    2026-11-03/2026-11-08 = vom 3. bis zum 7. November
    2026-11-06/2026-11-09 = Ende nächster Woche
    2026-11-10/2026-11-13 = zwischen dem 10. und 12. November
    2026-11-11 = zwei Wochen
    2026-11-18 = Buß- und Bettag 2026
    2026-11-22 = Totensonntag 2026
    2026-11-23/2026-11-30 = in der letzten Novemberwoche
    2026-11-29 = am ersten Advent 2026
    2026-11-30/2026-12-07 = in der ersten Dezemberwoche
    2026-12-01/2026-12-11 = Anfang Dezember
    2026-12-03/2026-12-06 = 3. - 5. Dezember
    2026-12-20 = 4. Advent
    2026-12-26 = zweiter Weihnachtstag
    2026-12-31 = Ende des Jahres
    2027-02-01/2027-02-08 = die erste Woche im Februar 2027
    2027-02-28 = Ende Februar 2027
    2027-04-28 = ein halbes Jahr
    2027-05-09 = Muttertag 2027
    2027-05-27 = Fronleichnam 2027
    2027-10-03 = Tag der Deutschen Einheit 2027
    2027-10-31 = Reformationstag 2027
    2031-12-24 = 24.12.31
"""
NO_ENGLISH = (
    "the end of the line | a week of rain | page 3 of 5 | early bird special | late fees of 20 | "
    "5 hours of footage | first week of training | 3 d printing | mid size car | "
    "last minute deal | the '90s look"
)
NO_GERMAN = "zwei Wochen Urlaub | Ende der Durchsage | Mitte links | 1. Wahl | ein halbes Hähnchen"


def list_answers(phrase: str, locale: str) -> list[str]:
    found = resolve(phrase, at=WEDNESDAY_NOON, timezone="Europe/Berlin", locale=locale)
    return [show(each).replace(" 00:00", "") for each in found]


@pytest.mark.parametrize(("table", "locale"), [(ENGLISH, "en-GB"), (GERMAN, "de-DE")])
def test_what_people_write_has_the_meaning_that_they_give_it(table: str, locale: str) -> None:
    lines = [line.strip().partition(" = ") for line in table.strip().splitlines()]
    asked = [(right, phrase) for right, _, phrases in lines for phrase in phrases.split(" | ")]

    missed = {
        phrase: (right, found)
        for right, phrase in asked
        if right not in (found := list_answers(phrase, locale)) or len(found) > 4
    }

    assert missed == {}


@pytest.mark.parametrize(("table", "locale"), [(NO_ENGLISH, "en-GB"), (NO_GERMAN, "de-DE")])
def test_what_only_looks_like_a_time_has_none(table: str, locale: str) -> None:
    assert [each for each in table.split(" | ") if list_answers(each, locale)] == []
