"""Dates and weekdays in what judges write, in English and in German."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.checks.contradiction import (
    find_date_mentions,
    find_used_weekdays,
    find_weekday_claims,
)

FRI = date(2025, 10, 24)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 2025-10-24.", [{FRI}]),
        ("October 24, 2025", [{FRI}]),
        ("the 24th of October 2025", [{FRI}]),
        ("24.10.2025", [{FRI}]),
        ("10/24/2025", [{FRI}]),
        ("03/04/2025", [{date(2025, 4, 3), date(2025, 3, 4)}]),
        ("October 24", [{FRI}]),
        ("the 24th of October", [{FRI}]),
        ("from 2025-10-24 to 2025-10-25", [{FRI}, {date(2025, 10, 25)}]),
        ("Der Termin liegt am 24. Oktober 2025.", [{FRI}]),
        ("Das Datum ist der 24. Okt. 2025 und nicht später.", [{FRI}]),
        ("Der Termin wurde auf den 24.10.2025 gelegt.", [{FRI}]),
        ("November 3", []),
        ("2025-02-31", []),
        ("version 12025-10-241 and 24 apples, may 5 people", []),
        ("", []),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, days: list[set[date]]) -> None:
    assert [set(m.days) for m in find_date_mentions(text, years={(10, 24): 2025})] == days


@pytest.mark.parametrize(
    ("text", "zoned"),
    [("2025-10-24T23:30:00Z", True), ("2025-10-24T23:30+02:00", True), ("2025-10-24T23:30", False)],
)
def test_an_instant_is_told_from_a_day(text: str, zoned: bool) -> None:
    assert [mention.zoned for mention in find_date_mentions(text)] == [zoned]


MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("but the date 2025-10-24 is actually a Thursday", [(THURSDAY, True)]),
        ("Change it to 2025-10-24 which is the actual Friday", [(FRIDAY, True)]),
        ("2025-10-24 (Thursday)", [(THURSDAY, True)]),
        ("Thursday, October 24, 2025", [(THURSDAY, True)]),
        ("Thursday the 24th of October 2025", [(THURSDAY, True)]),
        ("2025-10-24T19:00 is a Thursday", [(THURSDAY, True)]),
        ("2025-10-24 is not a Friday", [(FRIDAY, False)]),
        ("2025-10-24 isn't a Friday", [(FRIDAY, False)]),
        ("asked for Friday but 2025-10-24 was used", []),
        ("Use Friday, not 2025-10-24", []),
        ("Move it from Thursday to 2025-10-24", []),
        ("the satellite on 2025-10-24", []),
        ("I sat on 2025-10-24 and wed on 2025-10-24", []),
        ("Sat 2025-10-24", [(SATURDAY, True)]),
        ("It is a Thursday", []),
        ("Der 24. Oktober 2025 ist ein Freitag.", [(FRIDAY, True)]),
        ("2025-10-24 fällt auf einen Samstag und nicht auf den Tag der Bitte.", [(SATURDAY, True)]),
        ("Der 24. Oktober 2025 ist kein Samstag.", [(SATURDAY, False)]),
        ("Freitag, der 24. Oktober 2025, ist richtig.", [(FRIDAY, True)]),
    ],
)
def test_a_claim_is_read_only_where_date_and_weekday_are_tied(text: str, claims: list) -> None:
    found = find_weekday_claims(text)

    assert [(claim.weekday, claim.holds) for claim in found] == claims
    assert all(claim.mention.days == {FRI} for claim in found)


@settings(deadline=None)
@given(st.text() | st.from_regex(r"(\d{1,4}[-./ ]){1,4}(mon|is|not|October|T12:00Z)?"))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    for claim in find_weekday_claims(text):
        assert claim.mention.days


def test_which_weekday_something_was_put_on_in_german() -> None:
    assert list(find_used_weekdays("Der Agent hat das Essen verschoben auf Samstag.")) == [
        (SATURDAY, True)
    ]
    assert list(find_used_weekdays("Die Person wollte, dass es auf Freitag verschoben wird.")) == []
