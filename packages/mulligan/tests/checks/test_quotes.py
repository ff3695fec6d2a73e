from __future__ import annotations

import pytest

from mulligan.checks.requests import quotes_kept
from mulligan_dates.tokens import drop_quotes, find_quotes
from tests.checks.attempts import attempt, ran

SAID = "Tell Ann 'The train is late again - let's meet at nine' and title it \"Late train\""


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The train is late again - let's meet at nine", False),
        ("the train is late again, let's meet at nine!", False),
        ("Hi Ann,\n\nThe train is late again - let's meet at nine\n\nBest, Sam", False),
        ("The train is late again - lets meet at nine", False),
        ("The train to Rome is very late again - let's meet at nine", True),
        ("The train is late again - let's meet tomorrow morning", True),
        ("Late train", False),
        ("Something else entirely, which nobody quoted", False),
        ("", False),
    ],
)
def test_a_text_is_flagged_when_it_changes_the_words_of_the_person(
    text: str, *, flagged: bool
) -> None:
    tried = attempt(SAID, ran("send", {"body": text}))

    assert bool(list(quotes_kept({"send": ["body"]})(tried))) is flagged


def test_a_message_full_of_apostrophes_and_a_very_long_text_take_no_time() -> None:
    long = "word " * 20_000
    tried = attempt(f"Say '{long[:3000]}' and " + "'n " * 5_000, ran("send", {"body": long}))

    assert list(quotes_kept({"send": ["body"]})(tried)) == []


def test_an_apostrophe_ends_no_quotation() -> None:
    assert list(find_quotes("Ann's note says 'it's fine', “really” and \"yes\"")) == [
        "it's fine",
        "really",
        "yes",
    ]
    assert drop_quotes("Send 'it's fine' to Ann's boss").split() == ["Send", "to", "Ann's", "boss"]


def test_a_quoted_file_name_says_which_and_not_how() -> None:
    tried = attempt(
        "Pay the bill 'bill-december-2023.txt'",
        ran("pay", {"subject": "Bill for December 2023"}),
    )

    assert not list(quotes_kept({"pay": ["subject"]})(tried))
