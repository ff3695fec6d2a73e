from __future__ import annotations

import pytest

from mulligan.checks.markdown import choose_steps, strip_markup


@pytest.mark.parametrize(
    ("text", "shown", "links"),
    [
        ("**very** _good_ snake_case", "very good snake_case", []),
        ("see [the shop](https://a.example/b).", "see the shop.", ["https://a.example/b"]),
        ("![a picture](https://a.example/p.png) text", "text", ["https://a.example/p.png"]),
        (
            "wow![x](https://a.example/p) and [y](https://a.example/q)",
            "wow and y",
            ["https://a.example/p", "https://a.example/q"],
        ),
        ("so it is [1][2] here", "so it is   here", []),
        ("go to https://a.example/b, now", "go to  , now", ["https://a.example/b"]),
        ("call `x = 1` here", "call   here", []),
        ("a &amp; b<br>c", "a & b c", []),
    ],
)
def test_a_block_reads_without_its_marks_and_its_links_are_kept(
    text: str, shown: str, links: list[str]
) -> None:
    led: list[str] = []

    read = strip_markup(text, steps=choose_steps(text), links=led)

    assert (read, led) == (shown, links)


def test_plain_prose_calls_for_nothing() -> None:
    assert choose_steps("Nothing to see here, at all.") == []
