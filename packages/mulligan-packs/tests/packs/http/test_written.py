"""What is there after a write is ours only where what was sent, or was there, explains it."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan_packs.http.fields import NOTHING
from mulligan_packs.http.written import SentWrite, is_given


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


@pytest.mark.parametrize(("now", "ours"), [("2026-11-16", True), ("2026-11-17", False)])
def test_nor_is_one_that_it_was_given_under_another_spelling(now: str, ours: bool) -> None:
    given = {"title": "beer", "last_modified": "2026-11-16"}
    before = {"title": "milk", "lastModified": "2026-11-15"}

    there = {"title": "beer", "lastModified": now}

    assert is_given(given, before=before, now=there, made_id="") is ours


@pytest.mark.parametrize(
    ("sent", "shown", "ours"),
    [
        (5, "5", True),
        ("5.0", 5, True),
        (5, "6", False),
        (1, True, False),
        ("01", "1", False),
        ("http://x.org/a", "http://x.org/a/", True),
        ("a", "a/", False),
        ("2026-11-16T10:00:00+00:00", "2026-11-16T10:00:00Z", True),
        ("2026-11-16T11:00:00+01:00", "2026-11-16T10:00:00.000Z", True),
        ("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z", False),
        ("2026-02-31", "2026-02-28", False),
        ("Beer", "beer", False),
    ],
)
def test_a_value_that_the_server_only_writes_otherwise_is_ours(
    sent: object, shown: object, ours: bool
) -> None:
    written = SentWrite(method="PATCH", sent={"a": sent})

    assert written.explains({"a": shown, "b": 1}, before={"a": None, "b": 1}) is ours
    assert not written.explains({"a": sent, "b": "1"}, before={"a": None, "b": 1})


@pytest.mark.parametrize(
    ("answered", "now", "changed"),
    [
        ({"day": "2026-02-31", "n": 1}, {"day": "2026-02-28", "n": 1}, False),
        ({"day": "2026-02-31", "n": 1}, {"day": "2026-02-28", "n": 2}, True),
        ({"day": "2026-02-28", "n": 1}, {"day": "2026-02-27", "n": 1}, True),
        ({"day": "2026-02-31", "n": 1}, {"day": "never", "n": 1}, True),
    ],
)
def test_an_answer_that_repeats_what_was_sent_does_not_show_that_somebody_changed_it(
    answered: dict[str, Any], now: dict[str, Any], changed: bool
) -> None:
    written = SentWrite(method="PATCH", sent={"day": "2026-02-31"}, answered=answered)

    assert written.differs(now) is changed


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
