from __future__ import annotations

import pytest

from mulligan.redaction.secrets import find_phrases, may_hold_phrase
from mulligan.redaction.text import apply_edits

PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"It is: {PHRASE}.", "It is: <seed phrase>."),
        (PHRASE.replace(" ", "\n"), "<seed phrase>"),
        (PHRASE.rpartition(" ")[0], PHRASE.rpartition(" ")[0]),
        (f"{PHRASE} more2", "<seed phrase> more2"),
    ],
)
def test_twelve_words_of_a_wallet_are_hidden_and_eleven_are_not(text: str, shown: str) -> None:
    assert apply_edits(text, find_phrases(text)) == shown


def test_prose_is_left_alone() -> None:
    prose = "the order was not found because the value that you gave has been required for long"

    assert list(find_phrases(prose)) == []


def test_a_glance_never_misses_a_phrase() -> None:
    assert may_hold_phrase(f"It is: {PHRASE}.".encode())
    assert not may_hold_phrase(b"Too few words here")
