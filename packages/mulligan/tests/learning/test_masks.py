from __future__ import annotations

import pytest

from mulligan.learning.fingerprint import (
    DOMAIN_BEFORE,
    NAMED_AFTER,
    NAMED_BEFORE,
    QUOTED,
    compile_mask,
)


def kinds(text: str) -> list[tuple[str, str]]:
    return [
        (str(found.lastgroup).rpartition("_")[0], found.group())
        for found in compile_mask().finditer(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/b now", [("url", "https://a.example/b")]),
        ("for ann@shop.example", [("email", "ann@shop.example")]),
        ("on 2026-01-05T10:00:00Z", [("time", "2026-01-05T10:00:00Z")]),
        ("in /tmp/x.txt here", [("path", "/tmp/x.txt")]),
        ("order #W17 is gone", [("id", "#W17")]),
        ("only 12.5 left", [("number", "12.5")]),
        ("no values here", []),
    ],
)
def test_what_changes_from_call_to_call_is_recognised(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize("text", ["status code 404", "must be at most 50", "404 Not Found"])
def test_codes_and_bounds_tell_errors_apart_and_are_kept(text: str) -> None:
    assert [kind for kind, _ in kinds(text)] == ["keep"]


def test_words_around_a_quotation_say_what_it_is() -> None:
    assert NAMED_BEFORE.search("unknown parameter ")
    assert NAMED_AFTER.search(" is a required property")
    assert DOMAIN_BEFORE.search("must be one of 'a', ")
    assert not NAMED_BEFORE.search("no user with the value ")
    assert [next(filter(None, each)) for each in QUOTED.findall("'a' \"b\" `c`")] == ["a", "b", "c"]
