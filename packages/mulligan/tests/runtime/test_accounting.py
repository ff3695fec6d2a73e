"""Whether known calls account for all that has changed, and for nothing less."""

from __future__ import annotations

import pytest

from mulligan.runtime.assessment import Given, find_contradiction, is_edit_of, is_work_of

EVENT = {"day": 1, "title": "a"}


@pytest.mark.parametrize(
    ("calls", "before", "now", "theirs"),
    [
        ([{"x": 5}], 1, 5, True),
        ([{"x": 5}], 1, 10, False),  # somebody else's
        ([{"x": 5}], 1, 1, False),  # theirs is gone
        ([{"x": 5}], 1, None, False),
        ([{"day": 2}], EVENT, {"day": 2, "title": "a"}, True),
        ([{"change": {"day": 2}}], EVENT, {"day": 2, "title": "a"}, True),
        ([{"day": 2}], EVENT, {"day": 2, "title": "b"}, False),  # one more has changed
        ([{"day": 2, "title": "b"}], EVENT, {"day": 1, "title": "b"}, False),  # one was put back
        ([{"day": 2}], EVENT, EVENT, False),
        ([{"day": 2}, {"title": "b"}], EVENT, {"day": 2, "title": "b"}, True),
        ([{"day": 2}, {"day": 3}], EVENT, {"day": 3, "title": "a"}, True),
        ([{"day": 2}, {"day": 3}], EVENT, {"day": 2, "title": "a"}, False),  # the last one is gone
    ],
)
def test_calls_account_for_what_they_were_given_to_write(
    calls: list[Given], before: object, now: object, theirs: bool
) -> None:
    assert is_work_of(calls, before=before, now=now) is theirs


def test_the_version_changes_with_every_write() -> None:
    before, now = {"day": 1, "etag": "1"}, {"day": 2, "etag": "2"}

    assert is_work_of([{"day": 2}], before=before, now=now, version="etag")
    assert not is_work_of([{"day": 2}], before=before, now=now)


@pytest.mark.parametrize(
    ("given", "now", "ours"),
    [
        ({"edits": [{"oldText": "milk", "newText": "beer"}]}, "beer\nbread\n", True),
        ({"old_string": "milk", "new_string": "beer"}, "beer\nbread\n", True),
        ({"edits": [{"oldText": "milk", "newText": "beer"}]}, "beer\nbread\nwine\n", False),
        ({"content": "beer"}, "milk\nbread\n", False),
    ],
)
def test_replacements_account_for_a_text_and_for_all_of_it(
    given: Given, now: str, ours: bool
) -> None:
    assert is_edit_of(given, before="milk\nbread\n", now=now) is ours
    assert is_edit_of(given, before="milk\r\nbread\r\n", now=now) is ours


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Nan", "Nan"), (True, 1), (False, "false"), ("4.50", 4.5), ("a  b ", "A b"),
        ("2026-11-17T10:00", "2026-11-17T10:00:00+01:00"), ("2026-11-17", "2026-11-17T00:00:00Z"),
        ("2026-11-17T10:00:00+01:00", "2026-11-17T09:00:00Z"),
    ],
)  # fmt: skip
def test_what_a_remote_writes_in_another_way_is_no_contradiction(given, found) -> None:
    assert find_contradiction({"what": given}, {"what": found}) == ""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (4, 6), ("tea", "wine"), (12345678901234567890, 12345678901234567891),
        ("2026-11-17T10:00", "2026-11-17T11:00"), ("2026-11-17", "2026-11-18T00:00:00Z"),
    ],
)  # fmt: skip
def test_what_somebody_else_wrote_is_one(given, found) -> None:
    assert find_contradiction({"what": given}, {"what": found}) == "what"


def test_what_somebody_else_wrote_is_found_inside_too() -> None:
    assert find_contradiction({"day": 1}, {"id": "e1", "data": {"day": 2}}) == "day"


@pytest.mark.parametrize(
    "found",
    [
        {"name": "Dinner", "organizer": {"name": "Bob"}},
        {"event": {"name": "Dinner"}, "organizer": {"name": "Bob"}},
    ],
)
def test_what_the_object_is_given_says_nothing_of_what_is_around_it(found) -> None:
    assert find_contradiction({"name": "Dinner"}, found) == ""


def test_what_stands_under_another_name_was_given_too() -> None:
    assert find_contradiction({"path": "a", "to": "b"}, {"path": "b"}) == ""
