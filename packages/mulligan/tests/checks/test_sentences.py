from __future__ import annotations

import pytest

from mulligan.checks.words import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Lee is here, e.g. today.", ["Dr. Lee is here, e.g. today."]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("Version 3.11 is out", ["Version 3.11 is out"]),
        ("A line\nAnother", ["A line", "Another"]),
        ("...", []),
        ("\u5b8c\u4e86\u3002\u597d\u3002", ["\u5b8c\u4e86\u3002", "\u597d\u3002"]),
    ],
)
def test_a_sentence_ends_where_a_reader_stops(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
