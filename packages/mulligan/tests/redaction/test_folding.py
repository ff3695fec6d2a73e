from __future__ import annotations

import unicodedata

import pytest

from mulligan.redaction.scrub import scrub
from mulligan.redaction.text import (
    ODD,
    Edit,
    apply_edits,
    edit_view,
    fold_text,
    fold_view,
    is_coded,
    is_escaped,
    join_edits,
)

SECRET = "sk-live0123456789abcdefghij"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\u200bb\u00adc", "abc"),
        ("\uff41\uff22\uff13", "aB3"),
        ("\u0664\u0661", "41"),
        ("%61%62", "ab"),
        ("%2561", "a"),
        ("&#97;&#x62;&amp;", "ab&"),
        ("\\u0061\\x62", "ab"),
        ("c2stbGl2ZTAxMjM0NTY3ODk=", "sk-live0123456789"),
        ("736b2d6c697665303132", "sk-live012"),
        ("=61=62=63=64", "abcd"),
    ],
)
def test_what_is_wrapped_is_read_as_it_is_meant(text: str, plain: str) -> None:
    view = fold_text(text)

    assert view is not None
    assert view.plain == plain


def test_every_character_that_stands_for_a_plain_one_is_known() -> None:
    letters = map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x110000)])

    missed = [c for c in letters if unicodedata.normalize("NFKC", c).isascii() and not ODD.match(c)]

    assert missed == []


def test_what_is_found_in_the_view_is_hidden_where_it_stands() -> None:
    text = "x %61b\u200bc y"
    view = fold_text(text)
    assert view is not None

    hidden: list[Edit] = []
    edited = edit_view(view, [Edit(2, 5, "<s>")], hidden=hidden)

    assert edited.plain == "x <s> y"
    assert apply_edits(text, join_edits(hidden)) == "x <s> y"


def test_layers_are_taken_off_one_by_one() -> None:
    view = fold_text("%26%2397%3B")
    assert view is not None

    inner = fold_view(view)

    assert view.plain == "&#97;"
    assert inner is not None
    assert (inner.plain, inner.starts, inner.ends) == ("a", [0], [11])


def test_edits_that_overlap_are_one() -> None:
    assert join_edits([Edit(4, 9, "b"), Edit(0, 5, "a"), Edit(1, 2, "c")]) == [Edit(0, 9, "a")]


def test_a_glance_says_whether_there_is_anything_to_unwrap() -> None:
    assert is_escaped("100%41")
    assert not is_escaped("100 % & so; a=b \\n")
    assert is_coded("see c2stbGl2ZTAxMjM0NTY3ODk=")
    assert not is_coded("CalendarEventNotFound")


@pytest.mark.parametrize(
    "wrapped",
    [
        "\u200b".join(SECRET),
        "\u00ad".join(SECRET),
        "".join(chr(ord(c) + 0xFEE0) for c in SECRET),
        "".join(f"%{ord(c):02x}" for c in SECRET),
        "".join(f"&#{ord(c)};" for c in SECRET),
    ],
)
def test_a_secret_is_hidden_whatever_it_is_wrapped_in_and_what_surrounds_it_stays(wrapped) -> None:
    assert scrub(f"caf\u00e9 %20 {wrapped} no") == "caf\u00e9 %20 <key> no"
