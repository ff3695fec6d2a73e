"""What a judge says in German of dates, written down before the tables were."""

from __future__ import annotations

from datetime import date

import pytest

from mulligan.checks.contradiction import (
    find_date_mentions,
    find_used_weekdays,
    find_weekday_claims,
)

FRIDAY, SATURDAY = 4, 5


@pytest.mark.parametrize(
    "text",
    [
        "Der Termin liegt am 13. März 2026.",
        "Das Datum ist der 13. Mär. 2026 und nicht später.",
        "Der Termin wurde auf den 13.03.2026 gelegt.",
        "Er hat den Termin auf 2026-03-13 gelegt.",
    ],
)
def test_a_date_is_read(text: str) -> None:
    assert [each.days for each in find_date_mentions(text)] == [{date(2026, 3, 13)}]


@pytest.mark.parametrize(
    ("text", "weekday", "holds"),
    [
        ("Der 13. März 2026 ist ein Freitag.", FRIDAY, True),
        ("2026-03-13 fällt auf einen Samstag und nicht auf den Tag der Bitte.", SATURDAY, True),
        ("Der 13. März 2026 ist kein Samstag.", SATURDAY, False),
        ("Freitag, der 13. März 2026, ist richtig.", FRIDAY, True),
    ],
)
def test_which_weekday_a_date_is_said_to_be(text: str, weekday: int, holds: bool) -> None:
    assert [(each.weekday, each.holds) for each in find_weekday_claims(text)] == [(weekday, holds)]


def test_which_weekday_something_was_put_on() -> None:
    assert list(find_used_weekdays("Der Agent hat das Essen verschoben auf Samstag.")) == [
        (SATURDAY, True)
    ]
    assert list(find_used_weekdays("Die Person wollte, dass es auf Freitag verschoben wird.")) == []
