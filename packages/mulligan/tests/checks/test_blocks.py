from __future__ import annotations

import pytest

from mulligan.checks.markdown import BlockKind, split_blocks


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        ("One line.\n\nAnother.", [("paragraph", "One line."), ("paragraph", "Another.")]),
        ("# Title #\ntext", [("heading", "Title"), ("paragraph", "text")]),
        ("Title\n=====\ntext", [("heading", "Title"), ("paragraph", "text")]),
        ("- one\n- two\n  more", [("item", "one"), ("item", "two\nmore")]),
        ("- one\n- two\n\n+ three", [("item", "one"), ("item", "two"), ("item", "three")]),
        ("Plan:\n- one  \nmore", [("paragraph", "Plan:"), ("item", "one  \nmore")]),
        ("One\x0bline", [("paragraph", "One\nline")]),
        ("1. one\n2) two\na) three", [("item", "one"), ("item", "two"), ("item", "three")]),
        ("> a\n> b", [("quote", "a\nb")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [("table", "| a | b |\n| 1 | 2 |")]),
        ("```py\n# no heading\n```\ntext", [("code", "# no heading"), ("paragraph", "text")]),
        ("one\n\n---\n\ntwo", [("paragraph", "one"), ("paragraph", "two")]),
        ("", []),
    ],
)
def test_a_page_is_blocks_without_their_markers(page: str, blocks: list[tuple[str, str]]) -> None:
    assert split_blocks(page) == [(BlockKind(kind), text) for kind, text in blocks]


def test_a_fence_that_is_never_closed_hides_no_text_as_prose() -> None:
    assert split_blocks("```\nx = 1") == [(BlockKind.CODE, "x = 1")]
