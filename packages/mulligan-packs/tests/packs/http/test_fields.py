"""What a server sets by itself is no difference; whatever else is, is one."""

from __future__ import annotations

import pytest

from mulligan_packs.http.fields import is_alike


@pytest.mark.parametrize(
    ("now", "alike"),
    [
        ({"title": "milk", "rev": 5, "updated": "2026-11-16T10:00:00Z"}, True),
        ({"title": "milk", "rev": 2, "updated": "2026-11-16T10:00:00Z"}, False),
        ({"title": "milk", "rev": 5, "updated": "by Ann"}, False),
        ({"title": "tea", "rev": 5, "updated": "2026-11-16T10:00:00Z"}, False),
        ({"title": "milk", "rev": 5}, False),
        ("milk", False),
    ],
)
def test_times_and_numbers_of_a_write_are_no_content(now: object, alike: bool) -> None:
    before = {"title": "milk", "rev": 3, "updated": "2026-11-15T10:00:00Z"}

    assert is_alike(before, now) is alike


@pytest.mark.parametrize("name", ["sha", "_rev", "lastEditedBy"])
def test_whatever_a_server_usually_sets_by_itself_is_no_content(name: str) -> None:
    assert is_alike({"title": "milk", name: "1-a"}, {"title": "milk", name: "2-b"})
    assert not is_alike({"title": "milk", "version": "1-a"}, {"title": "milk", "version": "2-b"})


@pytest.mark.parametrize(("now", "alike"), [("2026-11-16T10:00:00Z", True), ("by Ann", False)])
def test_what_was_deleted_and_put_back_is_made_at_another_time(now: str, alike: bool) -> None:
    before = {"title": "milk", "created_at": "2026-11-15T10:00:00Z"}

    assert is_alike(before, {"title": "milk", "created_at": now}) is alike
