from __future__ import annotations

from mulligan.learning.closeness import compile_phrases, join_alternatives


def test_phrases_stand_on_lines_or_between_bars_and_are_patterns_themselves() -> None:
    phrases = compile_phrases("""
        no such (?:file|folder)
        is locked | try again
    """)

    assert phrases.search("No such folder")
    assert phrases.search("please TRY AGAIN")
    assert not phrases.search("no such luck")
    assert join_alternatives("a | b") == "(?:a|b)"
