from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.languages import choose_language
from mulligan_dates.reader import find_expressions
from mulligan_dates.readings import Moment
from mulligan_dates.tokens import tokenize

NOW = Moment(now=datetime(2026, 11, 18, 10))


def choose(said: str, locale: str | None = None) -> str | None:
    words = choose_language(tokenize(said), locale=locale)
    return words.name if words else None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Move dinner to Friday", "English"),
        ("Sushi Friday, waffles Saturday", "English"),
        ("next Friday", "English"),
        ("17:00", "English"),
        ("Meet Juan de la Cruz at the bar on Friday", "English"),
        ("Verschiebe das Abendessen auf Freitag", "German"),
        ("Sushi Freitag", "German"),
        ("übermorgen", "German"),
        ("Lunch mit dem Team am Freitag um 7", "German"),
    ],
)
def test_the_language_is_the_one_that_knows_most_of_the_words(said: str, name: str) -> None:
    assert choose(said) == name
    assert choose(said, "en-US") == name


FOREIGN = [
    "Réserve une table pour vendredi à 18:00 avec Anne",
    "Reserva una mesa para el viernes a las 18:00",
    "Prenota un tavolo per venerdì alle 18:00",
    "Zet een afspraak voor vrijdag om 18:00",
    "Spotkanie w piątek o 18:00 z Anną",
    "Möte på fredag klockan 18:00",
    "来週の金曜日18:00に会議を入れて",
    "В пятницу в 18:00 встреча с Анной",
    "يوم الجمعة الساعة 18:00",
]


@pytest.mark.parametrize("said", FOREIGN)
def test_a_language_that_nobody_described_is_not_read_at_all(said: str) -> None:
    assert choose(said) is None
    assert find_expressions(said, NOW) == []


def test_a_locale_settles_what_the_words_leave_open() -> None:
    assert choose("am 3.12.") == "English"
    assert choose("am 3.12.", "de-AT") == "German"
    assert choose("3.12.", "de") == "German"
    assert choose("3.12.", "fr-FR") is None
    assert choose("Book it on 3.12.", "de-DE") == "English"
