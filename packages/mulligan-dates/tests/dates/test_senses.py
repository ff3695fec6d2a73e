"""What words come to has a word in every language."""

from __future__ import annotations

import pytest

from mulligan_dates.languages import LANGUAGES
from mulligan_dates.tables import DayPart, Table, Unit, Which, Words
from mulligan_dates.tokens import END, tokenize


def list_meanings(table: Table[object]) -> set[object]:
    """What single words of a table stand for."""
    found = (table.match([*tokenize(word), END], 0) for word in table if word in table)
    return {each[0] for each in found if each}


@pytest.mark.parametrize("words", LANGUAGES.values(), ids=list(LANGUAGES))
def test_a_language_has_a_word_for_each_stretch_and_part(words: Words) -> None:
    counted = {Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.HOUR, Unit.MINUTE}

    assert counted <= list_meanings(words.units)
    assert {*DayPart} <= list_meanings(words.parts)
    assert {Which.LAST, Which.THIS, Which.NEXT} <= list_meanings(words.which)
