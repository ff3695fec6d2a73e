from __future__ import annotations

from mulligan_dates.english import ENGLISH
from mulligan_dates.german import GERMAN
from mulligan_dates.scan import rewrite
from mulligan_dates.tokens import tokenize


def test_a_word_that_holds_two_is_read_as_both_and_keeps_its_place() -> None:
    found = rewrite(tokenize("am Freitagabend um 8"), GERMAN)

    assert [each.text for each in found] == ["am", "freitag", "abend", "um", "8"]
    assert [(each.start, each.end) for each in found[1:3]] == [(3, 15), (3, 15)]


def test_a_word_whose_neighbour_tells_its_meaning_is_read_by_it() -> None:
    told = {
        said: [each.text for each in rewrite(tokenize(said), GERMAN)]
        for said in ("heute Morgen", "morgen Abend", "Morgen")
    }

    assert told == {
        "heute Morgen": ["heute", "vormittag"],
        "morgen Abend": ["morgen", "abend"],
        "Morgen": ["morgen"],
    }


def test_a_language_without_such_words_is_left_as_it_is() -> None:
    tokens = tokenize("Friday night")

    assert rewrite(tokens, ENGLISH) is tokens
