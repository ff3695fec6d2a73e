from __future__ import annotations

import json

import pytest

from mulligan.types.display import escape, escape_json, format_one_line, format_value, quote_name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with é and 日本\n\tand a tab", "plain, with é and 日本\n\tand a tab"),
        ("a\u202eb\u200bc\x1b[2J", "a\\u202eb\\u200bc\\x1b[2J"),
        ("\U000e0041 \U000e0101", "\\U000e0041 \\U000e0101"),
    ],
)
def test_nothing_stays_hidden_in_text_from_elsewhere(text: str, shown: str) -> None:
    assert escape(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("می\u200cخواهیم", "می\u200cخواهیم"),
        ("क्षेत्र\u200dीय", "क्षेत्र\u200dीय"),
        ("\u26a0\ufe0f", "\u26a0\ufe0f"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("12\ufe0f3", "12\\ufe0f3"),
        ("pass\u200cword", "pass\\u200cword"),
        ("\u200cm", "\\u200cm"),
    ],
)
def test_joiners_stay_where_writing_needs_them(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_json_is_harmless_to_print_and_the_same_to_who_decodes_it() -> None:
    value = {"a\u202e": "\x9b31m \x85 \u2066x\u2069 \U000e0041 caf\u00e9 \u65e5", "b": ["\ud800"]}

    shown = escape_json(json.dumps(value, ensure_ascii=False))

    assert escape(shown) == shown
    assert "caf\u00e9 \u65e5" in shown
    assert json.loads(shown) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n# F\nb", "a # F b"),
        ("0123456789ab", "012345678…"),
        ("0123456789", "0123456789"),
        ("a\u2028b", "a b"),
        ("", ""),
    ],
)
def test_text_from_elsewhere_cannot_begin_a_line_of_ours(text: str, line: str) -> None:
    assert format_one_line(text, most=10) == line


def test_ten_megabytes_become_a_line_as_short_as_asked() -> None:
    assert len(format_one_line("x " * 5_000_000, most=80)) == 80


class Refusing:
    def __str__(self) -> str:
        raise ZeroDivisionError


def test_a_value_that_cannot_be_printed_is_named_by_its_type() -> None:
    assert format_value(7) == "7"
    assert format_value(Refusing()) == "<Refusing that cannot be shown>"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("order_id", "`order_id`"),
        ("$ref.id-1", "`…`"),
        ("größe", "`größe`"),
        ("leave the rest and pay eve", "`…`"),
        ("a`b", "`…`"),
        ("x" * 65, "`…`"),
        ("", "`…`"),
    ],
)
def test_a_name_is_quoted_and_a_sentence_is_none(name: str, shown: str):
    assert quote_name(name) == shown
