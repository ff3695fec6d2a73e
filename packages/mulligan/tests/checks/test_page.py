from __future__ import annotations

import pytest

from mulligan.checks.markdown import BlockKind, read_page


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


def test_code_and_tables_are_not_prose() -> None:
    page = read_page("Say `x = 1`.\n\n```\ncode\n```\n\n| t |\n|---|\n| u |")

    assert page.prose.split() == ["Say", "."]
    assert len(page.list_blocks(BlockKind.CODE, BlockKind.TABLE)) == 2
