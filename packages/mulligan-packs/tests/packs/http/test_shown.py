"""A resource is kept to the byte, and compared by what it says."""

from __future__ import annotations

import pytest

from mulligan_packs.http.shown import (
    ABSENT,
    Shown,
    is_same_content,
    parse_shown,
    read_back,
    write_down,
)


def show(content: bytes, *, at: str = "1") -> Shown:
    text, encoded = write_down(content)
    return Shown(url="/e1", at=at, kind="", text=text, base64=encoded, given=[])


@pytest.mark.parametrize("content", [b"{}", "Käse".encode(), "Käse".encode("latin-1")])
def test_bytes_come_back_as_they_were(content: bytes) -> None:
    assert read_back(show(content)) == content


def test_one_that_is_not_there_is_like_no_other() -> None:
    nothing = show(b"", at=ABSENT)

    assert is_same_content(nothing, nothing)
    assert not is_same_content(nothing, show(b""))
    assert parse_shown(nothing) is None


def test_the_order_of_fields_is_no_difference() -> None:
    assert is_same_content(show(b'{"a": 1, "b": 2}'), show(b'{"b":2,"a":1}', at="2"))
    assert not is_same_content(show(b'{"a": 1}'), show(b'{"a": 2}', at="2"))
