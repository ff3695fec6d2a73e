"""Markdown as a reader sees it, and the sentences in it."""

from __future__ import annotations

import pytest

from mulligan.checks.markdown import read_page
from mulligan.checks.words import split_sentences


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("One\ntwo\n\nthree", [("paragraph", "One\ntwo"), ("paragraph", "three")]),
        ("# Title #\ntext", [("heading", "Title"), ("paragraph", "text")]),
        ("Title\n-----\ntext", [("heading", "Title"), ("paragraph", "text")]),
        ("- a\n- b\n  more", [("item", "a"), ("item", "b\nmore")]),
        ("- a\n\n      still a", [("item", "a"), ("paragraph", "still a")]),
        ("```py\n- a\n# b\n```\nc", [("code", "- a\n# b"), ("paragraph", "c")]),
        ("````\n```\n````\nc", [("code", "```"), ("paragraph", "c")]),
        ("~~~\nnever closed", [("code", "never closed")]),
        ("    x = 1", [("code", "    x = 1")]),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\nafter",
         [("table", "| a | b |\n| 1 | 2 |"), ("paragraph", "after")]),
        ("either | or", [("paragraph", "either | or")]),
        ("> a\n> b", [("quote", "a\nb")]),
        ("a\n\n***\n\nb", [("paragraph", "a"), ("paragraph", "b")]),
        ("**bold** _em_ snake_case", [("paragraph", "bold em snake_case")]),
        ("2 * 3 &lt; 7 <br> x", [("paragraph", "2  3 < 7   x")]),
        ("- one\n- two\n\n+ three", [("item", "one"), ("item", "two"), ("item", "three")]),
        ("Plan:\n- one  \nmore", [("paragraph", "Plan:"), ("item", "one  \nmore")]),
        ("One\x0bline", [("paragraph", "One\nline")]),
        ("1. one\n2) two\na) three", [("item", "one"), ("item", "two"), ("item", "three")]),
        ("so it is [1][2] here", [("paragraph", "so it is   here")]),
        ("call `x = 1` here", [("paragraph", "call   here")]),
        ("", []),
    ],
)  # fmt: skip
def test_a_page_falls_into_the_blocks_a_reader_sees(
    text: str, blocks: list[tuple[str, str]]
) -> None:
    assert [(block.kind.value, block.text) for block in read_page(text).blocks] == blocks


def test_links_are_kept_apart_from_what_they_say() -> None:
    page = read_page(
        "See [our *page*](https://a.io/x_(y) 'title'), <https://b.io>, www.c.io/d?e=f. "
        "![pic](p.png) and [mail](mailto:me@a.io)"
    )

    assert "https" not in page.prose
    assert "our page" in page.prose
    assert "pic" not in page.prose
    assert set(page.links) >= {"https://b.io", "www.c.io/d?e=f", "p.png", "mailto:me@a.io"}


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
