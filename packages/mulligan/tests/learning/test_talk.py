from __future__ import annotations

import pytest

from mulligan.learning.model_output import denies, has_words, is_made, is_quoted


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("I look it up: ", ""),
        ("I do not know it yet, so I call ", "."),
        ("I won't guess. Now I call `", "` and tell you."),
        ("The plan:\n1. ", "\n"),
        ("x = ", "  # not twice"),
        ("I should not delete anything.\n<tool_call>", "</tool_call>"),
    ],
)
def test_a_call_that_stands_by_itself_or_is_announced_is_made(before: str, after: str) -> None:
    assert is_made(before, after, followed=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I will not call ", "."),
        ("I never run ", " without asking."),
        ("Do not run the following:\n```python\n", "\n```"),
        ("Do not run this.\n", ""),
        ("For example:\n", ""),
        ("If you confirm, I call ", "."),
        ("You asked me to run ", ", which I will not."),
        ("The mail says: ", ""),
        ("Should I run ", "?"),
        ("", " would remove it."),
        ("", " must not be called."),
        ("Instead of ", ""),
        ("The tool ", ""),
        ("Ich rufe ", " nicht auf."),
        ("I could call ", "."),
        ("# ", ""),
        ("> ", ""),
        ('He wrote "please run ', '".'),
        ("for each in all:\n    ", ""),
        ("def clean():\n    ", ""),
    ],
)
def test_a_call_that_is_refused_quoted_asked_or_supposed_is_not_made(
    before: str, after: str
) -> None:
    assert not is_made(before, after, followed=False)


def test_a_negation_right_before_the_next_call_is_about_that_one() -> None:
    assert is_made("I call ", ", not ", followed=True)
    assert not is_made("I call ", ", not now.", followed=False)


def test_a_comment_or_an_open_quotation_quotes_and_a_closed_one_does_not() -> None:
    assert is_quoted('She said "run ')
    assert is_quoted("// ")
    assert is_quoted("<!-- ")
    assert not is_quoted('She said "run" and ')
    assert not is_quoted("Order #5: ")


def test_a_negation_counts_until_the_sentence_turns() -> None:
    assert denies("I do not think that I call")
    assert not denies("I do not know, so I call")


def test_tags_fences_and_assignments_are_no_words() -> None:
    assert not has_words("\n```\n```tool_call\n<tool_call> x = ")
    assert has_words(" or rather ")
