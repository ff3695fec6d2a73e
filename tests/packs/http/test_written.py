"""What is there after a write is ours only where what was sent, or was there, explains it."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan.packs.http.fields import NOTHING
from mulligan.packs.http.written import SentWrite, is_given


@pytest.mark.parametrize(
    ("method", "now", "explained"),
    [
        ("PUT", {"a": 2}, True),
        ("PUT", {"a": 2, "b": 1}, True),
        ("PUT", {"a": 2, "b": 3}, False),
        ("PUT", {"a": 2, "b": True}, False),
        ("PATCH", {"a": 2}, False),
        ("PATCH", {"a": 2, "b": 1}, True),
        ("PATCH", {"a": 2, "b": 1, "updated_at": "2026-11-16T10:00:00Z"}, True),
        ("PATCH", {"a": 2, "b": 1, "updated_at": "by Ann"}, False),
        ("PATCH", {"a": 2, "b": 1, "note": "by Ann"}, False),
    ],
)
def test_only_what_was_sent_and_what_was_there_explain_what_is(
    method: str, now: dict[str, Any], explained: bool
) -> None:
    written = SentWrite(method=method, sent={"a": 2})

    assert written.explains(now, before={"a": 1, "b": 1}) is explained


@pytest.mark.parametrize(("number", "ours"), [(4, True), (5, False)])
def test_a_number_that_is_counted_up_twice_tells_of_another_write(number: int, ours: bool) -> None:
    written = SentWrite(method="PATCH", sent={"a": 2})

    assert written.explains({"a": 2, "rev": number}, before={"a": 1, "rev": 3}) is ours


def test_a_field_that_the_call_itself_has_set_is_not_the_servers() -> None:
    written = SentWrite(method="PUT", sent={"updated": "2026-11-16"})

    assert not written.explains({"updated": "2026-11-17"}, before={"updated": "2026-11-15"})


def test_a_write_without_a_body_explains_nothing_but_its_answer() -> None:
    assert not SentWrite(method="POST").explains({}, before=None)
    assert SentWrite(method="POST", sent=NOTHING, answered={"a": 1}).explains({"a": 1}, before=None)


@pytest.mark.parametrize(
    ("now", "given"),
    [
        ({"title": "beer", "event_id": 7}, True),
        ({"title": "beer", "event_id": 7, "note": "by Ann"}, False),
        ({"title": "theirs", "event_id": 7}, False),
    ],
)
def test_after_a_crash_only_what_a_call_was_given_is_its_own(
    now: dict[str, Any], given: bool
) -> None:
    arguments = {"title": "beer", "place": None}

    assert is_given(arguments, before=None, now=now, made_id="7") is given
