from __future__ import annotations

import pytest

from mulligan.checks.text import cut_text, is_small_talk, length
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from tests.checks.replies import findings, rules

TOO_SHORT = [
    "",
    " ",
    "\n\n\t",
    "x",
    "a" * 19,
    "Yes.",
    "Yes, we do that.",
    f"{'a' * 10}          {'b' * 8}",  # a gap of any width is one character
    "​" * 40,  # nothing but characters of no width
    "⁠a" * 19,
    "­" * 30 + "ok",
    "\ufeffhello",
    "a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb",
    "日本語です",
    "🙂" * 19,
]
LONG_ENOUGH = [
    "a" * 20,
    "Yes, we do that here.",
    "  Yes, we do that here.  ",
    f"{'a' * 10} {'b' * 9}",
    "こちらは二十文字を超える長さの返事になります。",
    "🙂" * 20,
    "`pip install mulligan`",
    "```\nprint('a long line')\n```",
    "| plan | price |\n|---|---|\n| A | 5 |",
    "مرحبا، نعم نقدم هذه الخدمة",
    "- one\n- two\n- three\n- four",
    "e\u0301" * 20,
    "x" * 100_000,
]


@pytest.mark.parametrize("text", TOO_SHORT)
def test_a_reply_that_says_too_little_is_flagged(text: str) -> None:
    assert rules(length(at_least=20), text) == ["text.too_short"]


@pytest.mark.parametrize("text", LONG_ENOUGH)
def test_a_reply_that_says_enough_is_left_alone(text: str) -> None:
    assert rules(length(at_least=20), text) == []


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("", False),
        ("a" * 2_500, False),
        ("a" * 2_501, True),
        ("a" * 100_000, True),
        ("word " * 500, False),  # 2,499 seen: the last gap shows nothing
        ("word " * 501, True),
        (f"{'a' * 2_499}\n\n\n\n\n", False),
        (f"{'a' * 1_249}{' ' * 500}{'b' * 1_250}", False),
        (f"{'a' * 1_250}{' ' * 500}{'b' * 1_250}", True),
        ("é" * 2_500, False),
        ("é" * 2_501, True),
        ("日" * 2_500, False),
        ("日" * 2_501, True),
        ("🙂" * 2_500, False),
        ("🙂" * 2_501, True),
        ("​" * 5_000, False),
        ("a​" * 2_500, False),
        ("a​" * 2_501, True),
        ("```\n" + "x = 1\n" * 500 + "```", True),
        ("- item\n" * 357, False),
        ("- item\n" * 358, True),
        ("| a |\n" * 500, True),
        ("\t\n" * 3_000, False),
        ("ا" * 2_501, True),
        ("\u00a0".join(["ab"] * 833), False),
        ("\u00a0".join(["ab"] * 834), True),
    ],
)
def test_a_reply_longer_than_wanted_is_flagged_to_the_character(text: str, flagged: bool) -> None:
    found = rules(length(at_most=2_500), text)

    assert found == (["text.too_long"] if flagged else [])


@pytest.mark.parametrize(
    ("unit", "text", "count"),
    [
        ("words", "It's a well-known thing.", 4),
        ("words", "a `code span` b\n\n```\nx y z\n```", 2),
        ("words", "see [the docs](https://example.com/a/b)", 3),
        ("sentences", "One. Two! Three? Four…", 4),
        ("sentences", "Dr. Lee costs approx. 3.5 euros, e.g. today. Yes.", 2),
        ("sentences", "One sentence\non two lines.\n\n- a point\n- another", 3),
        ("sentences", "一つ。二つ！三つ？", 3),
        ("paragraphs", "One.\n\nTwo,\nstill two.\n\n- a\n- b\n\nThree.", 3),
    ],
)
def test_other_units_are_counted_as_a_reader_would(unit: str, text: str, count: int) -> None:
    assert rules(length(at_least=count, at_most=count, unit=unit), text) == []
    assert rules(length(at_least=count + 1, unit=unit), text) == ["text.too_short"]
    assert rules(length(at_most=count - 1, unit=unit), text) == ["text.too_long"]


def test_a_finding_says_how_long_it_is_and_how_much_to_drop() -> None:
    (finding,) = findings(length(at_most=10, severity=Severity.WARNING), "twelve chars")

    assert "12 characters" in finding.issue
    assert "by 2 characters" in (finding.correction or "")
    assert finding.severity is Severity.WARNING


def test_a_long_reply_is_cut_at_the_end_of_a_sentence_only_where_that_was_asked_for() -> None:
    cutting = length(at_most=30, cut=True)

    assert length(at_most=30).mend is None
    assert cutting.mend is not None
    mended = cutting.mend("First sentence. Second one. And a third.")
    assert mended == "First sentence. Second one."
    assert rules(cutting, mended) == []


def test_whole_lines_are_kept_when_a_text_is_cut() -> None:
    assert cut_text("# Title\n\n- one\n- two\n- three", at_most=16) == "# Title\n\n- one"


@pytest.mark.parametrize("settings", [{}, {"cut": True, "at_least": 3}])
def test_a_length_without_a_limit_is_refused_with_an_example(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match=r"length\(at_most=2500"):
        length(**settings)


def test_the_answer_to_a_greeting_may_be_short() -> None:
    from msgspec.structs import replace

    check = replace(length(at_least=20), unless=is_small_talk)

    assert rules(check, "You're welcome!", query="Thanks a lot!") == []
    assert rules(check, "Yes.", query="Do you deliver?") == ["text.too_short"]
