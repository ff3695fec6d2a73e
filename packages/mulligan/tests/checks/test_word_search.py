from __future__ import annotations

import pytest

from mulligan.checks.words import Wordlist, cut_excerpt


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("delve", "we delved into it", True),
        ("delve", "delving deeper", True),
        ("delve", "shelved", False),
        ("of", "offer", False),
        ("game changer", "a game-changer", True),
        ("c++", "in c++ it is", True),
        ("\u91cd\u8981", "\u5f88\u91cd\u8981\u7684", True),
        ("", "anything", False),
    ],
)
def test_whole_words_are_found_in_their_forms(word: str, text: str, there: bool) -> None:
    assert Wordlist([word]).has_any(text) is there


def test_forms_are_looked_for_only_where_that_is_wanted() -> None:
    assert not Wordlist(["delve"], inflect=False).has_any("delved")


def test_every_place_is_told_by_the_word_that_was_asked_for() -> None:
    text = "use it, used it"

    found = [(each.word, text[each.start : each.end]) for each in Wordlist(["use"]).spot(text)]

    assert [word for word, _ in found] == ["use"] * len(found)
    assert found[0] == ("use", "use")


def test_an_excerpt_is_one_line_and_says_where_it_was_cut() -> None:
    text = "a " * 50 + "HERE\n" + "b " * 50

    shown = cut_excerpt(text, start=100, end=104)

    assert shown.startswith("\u2026")
    assert shown.endswith("\u2026")
    assert " HERE b" in shown
    assert cut_excerpt("HERE", start=0, end=4) == "HERE"
