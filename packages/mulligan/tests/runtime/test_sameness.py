"""Whether something is as it was before: all that matters, and nothing that changes by itself."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mulligan.runtime.assessment import is_restored, is_unchanged
from mulligan.types.call import Image, Record, ToolCallbacks

NO_ABILITIES = ToolCallbacks()


@dataclass
class Page:
    text: str
    etag: str


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        (None, None, True),
        (None, {"text": "ours"}, False),
        ({"text": "theirs"}, None, False),
        ({"text": "a", "etag": "1"}, {"text": "a", "etag": "2"}, True),
        ({"text": "a", "updatedAt": 1}, {"text": "b", "updatedAt": 1}, False),
        (Page("a", "1"), Page("a", "2"), True),
        (Page("a", "1"), {"text": "a", "etag": "2"}, True),
        ("a", "b", False),
        ("a", "a", True),
    ],
)
def test_two_states_are_equal_but_for_what_a_write_changes_by_itself(
    before: object, now: object, same: bool
) -> None:
    assert (
        is_restored(Record(arguments={}, image=Image(before)), now, abilities=NO_ABILITIES) is same
    )


@pytest.mark.parametrize("given", [{"version": "2.0"}, {"change": {"version": "2.0"}}])
def test_a_field_that_the_call_set_is_content_though_it_is_called_version(
    given: dict[str, object],
) -> None:
    before = {"name": "shop", "version": "1.0"}
    record = Record(arguments=given, image=Image(before))

    assert not is_restored(record, {**before, "version": "2.0"}, abilities=NO_ABILITIES)
    assert is_restored(record, dict(before), abilities=NO_ABILITIES)


def test_a_version_given_as_a_condition_still_changes_with_every_write() -> None:
    record = Record(
        arguments={"text": "ours", "version": "1"}, image=Image({"text": "theirs", "version": 1})
    )

    assert is_restored(record, {"text": "theirs", "version": 3}, abilities=NO_ABILITIES)


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ({"text": "a", "v": 1}, {"text": "a", "v": 3}, True),
        ({"text": "a", "v": 1}, {"text": "b", "v": 3}, False),
        ({"text": "a", "v": 1, "guests": 1}, {"text": "a", "v": 3, "guests": 3}, False),
    ],
)
def test_the_field_that_holds_the_version_is_no_content_whatever_it_is_called(
    before: object, now: object, same: bool
) -> None:
    record = Record(arguments={}, image=Image(before))

    assert is_restored(record, now, abilities=NO_ABILITIES, versions=("1", "3")) is same


def test_a_tool_may_say_itself_what_is_the_same() -> None:
    abilities = ToolCallbacks(same=lambda before, now: before["day"] == now["day"])
    record = Record(arguments={}, image=Image({"day": "Friday", "seen": 1}))

    assert is_restored(record, {"day": "Friday", "seen": 9}, abilities=abilities)
    assert not is_restored(record, {"day": "Monday", "seen": 1}, abilities=abilities)


def test_that_nothing_was_read_is_not_that_nothing_was_there() -> None:
    reads = ToolCallbacks(before=lambda record: None)
    never, nothing = Record(arguments={}), Record(arguments={}, image=Image(None))

    assert not is_restored(never, None, abilities=reads)
    assert not is_unchanged(never, None, abilities=reads)
    assert is_restored(nothing, None, abilities=reads)
    assert is_restored(never, None, abilities=NO_ABILITIES), "it makes something, and reads nothing"


def test_what_only_a_write_changes_was_written_all_the_same() -> None:
    record = Record(arguments={}, image=Image({"name": "shop", "version": 1}))
    now = {"name": "shop", "version": 2}

    assert is_restored(record, now, abilities=NO_ABILITIES)
    assert not is_unchanged(record, now, abilities=NO_ABILITIES)
    assert is_unchanged(record, {"name": "shop", "version": 1}, abilities=NO_ABILITIES)
