"""One value in another type, unit or format, and what makes it another value."""

from __future__ import annotations

import math
from datetime import date

import pytest

from mulligan.learning.coerce import (
    NOTHING,
    changes_only_form,
    coerce,
    convert_format,
    convert_unit,
    drops_zone,
    find_form,
    format_moment,
    from_text,
    has_type,
    may_be_two,
    read_date,
)
from mulligan.learning.conform import says_same_in_shape


@pytest.mark.parametrize(
    ("value", "wanted", "found"),
    [
        ("12", "integer", 12),
        ("1,200", "integer", 1200),
        ("12.0", "integer", 12),
        ("12.5", "integer", NOTHING),
        ("12.5", "number", 12.5),
        ("1e400", "number", NOTHING),
        (12, "string", "12"),
        (True, "string", "true"),
        (2.0, "string", "2"),
        (math.inf, "string", NOTHING),
        ("Yes", "boolean", True),
        (0, "boolean", False),
        (2, "boolean", NOTHING),
        ("perhaps", "boolean", NOTHING),
        (["12"], "integer", 12),
        ("[1, 2]", "array", [1, 2]),
        ("one", "array", ["one"]),
        ("one, two", "array", NOTHING),
        ("{'a': 1}", "object", {"a": 1}),
        ({"a": 1}, "array", NOTHING),
    ],
)
def test_a_value_changes_its_type_only_where_it_says_the_same(value, wanted, found) -> None:
    assert coerce(value, wanted) == found


def test_a_truth_is_no_number_and_a_whole_float_is_an_integer() -> None:
    assert not has_type(True, "integer")
    assert not has_type(True, "number")
    assert has_type(2.0, "integer")
    assert not has_type(2.5, "integer")
    assert has_type("x", "a type nobody knows")


def test_only_a_list_or_an_object_is_read_from_text() -> None:
    assert from_text('{"a": [1]}') == {"a": [1]}
    assert from_text("12") is NOTHING
    assert from_text("[1, 2 and more") is NOTHING
    assert from_text('["a" + "b"]') is NOTHING


@pytest.mark.parametrize("text", ["1.000", "1,000", "-12.500"])
def test_a_point_or_comma_before_three_digits_can_be_read_in_two_ways(text: str) -> None:
    assert may_be_two(text)


@pytest.mark.parametrize("text", ["0.125", "1,000,000", "1,234.5", "12.50", "1000"])
def test_any_other_number_can_be_read_in_one_way(text: str) -> None:
    assert not may_be_two(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-1-5", date(2026, 1, 5)),
        ("2026/01/05", date(2026, 1, 5)),
        ("Jan 5, 2026", date(2026, 1, 5)),
        ("5th January 2026", date(2026, 1, 5)),
        ("25.12.2026", date(2026, 12, 25)),
        ("12/25/2026", date(2026, 12, 25)),
        ("05/05/2026", date(2026, 5, 5)),
        ("03/04/2026", None),
        ("2026-02-30", None),
        ("Friday", None),
        ("1" * 100, None),
    ],
)
def test_a_date_is_read_only_if_it_can_mean_one_day(text: str, day: date | None) -> None:
    assert read_date(text) == day


def test_a_moment_needs_its_zone_to_be_written_as_one() -> None:
    assert convert_format("2026-01-05 10:30 +0200", "date-time") == "2026-01-05T10:30:00+02:00"
    assert convert_format("2026-01-05 10:30", "date-time") is None


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("time data 'x' does not match format '%Y-%m-%d %H:%M'", "%Y-%m-%d %H:%M"),
        ("The day of arrival, as MM/DD/YYYY.", "%m/%d/%Y"),
        ("use yyyy-mm-dd hh:mm", "%Y-%m-%d %H:%M"),
        ("like YYYY-MM-DDTHH:MM:SSZ", "%Y-%m-%dT%H:%M:%SZ"),
        ("a clock as HH:MM", "%H:%M"),
        ("As MM/DD/YYYY or DD/MM/YYYY.", None),
        ("100%done %damage", None),
        ("printed with %d: %s", None),
        ("no form at all", None),
    ],
)
def test_the_one_form_that_is_stated_is_found(said: str, form: str | None) -> None:
    assert find_form(said) == form


@pytest.mark.parametrize(
    ("text", "form", "now"),
    [
        ("2026-10-15T18:00:00", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15 18:00:00Z", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15T00:00:00", "%Y-%m-%d", "2026-10-15"),
        ("Oct 15, 2026 18:00", "%Y-%m-%d %H:%M", "2026-10-15 18:00"),
        ("2026-10-15T18:00", "%Y-%m-%dT%H:%M:%S", "2026-10-15T18:00:00"),
        ("9:30", "%H:%M", "09:30"),
        ("09:30", "%H:%M:%S", "09:30:00"),
        # Something would be lost, or made up.
        ("2026-10-15T18:00:30", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00", "%Y-%m-%d", None),
        ("2026-10-15", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00+02:00", "%Y-%m-%d %H:%M", None),
        ("2026-10-15T18:00:00", "%Y-%m-%dT%H:%M:%S%z", None),
        ("2026-10-15T18:00:00", "%Y-%m-%dT%H:%M:%SZ", None),
        ("03/04/2026 10:00", "%Y-%m-%d %H:%M", None),
        ("25:00", "%H:%M", None),
        ("2026-10-15 25:00", "%Y-%m-%d %H:%M", None),
        ("today", "%Y-%m-%d", None),
        ("x" * 100, "%Y-%m-%d", None),
        ("", "%Y-%m-%d", None),
        ("2026-10-15", "%Q", None),
    ],
)
def test_a_moment_takes_a_form_where_it_stays_the_same(text, form, now) -> None:
    assert format_moment(text, form) == now


def test_a_zone_that_goes_is_noticed() -> None:
    assert drops_zone("2026-10-15 18:00:00Z", "2026-10-15 18:00")
    assert not drops_zone("2026-10-15 18:00:00", "2026-10-15 18:00")
    assert not drops_zone("blue", "red")


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("30 min", "seconds", 1800),
        ("1.5 hours", "minutes", 90),
        ("250ms", "seconds", 0.25),
        ("2 MB", "bytes", 2_000_000),
        ("5 km", "metres", 5_000),
        # No unit, one of another kind, or none that is known.
        ("30", "seconds", None),
        ("5 km", "seconds", None),
        ("5 apples", "seconds", None),
        ("1 h 30 min", "seconds", None),
    ],
)
def test_an_amount_with_its_unit_is_converted(text: str, unit: str, amount: float | None) -> None:
    assert convert_unit(text, unit) == amount


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"order": "W17"}, {"order": "#W17"}),
        ({"order": "#W17"}, {"order": "W17"}),
        ({"order": "1001"}, {"order": "#1001"}),
        ({"tag": "new york"}, {"tag": "new_york"}),
        ({"tag": ["a b"]}, {"tag": "a b"}),
        ({"tag": ["A", "B"]}, {"tag": ["#A", "#B"]}),
        ({"tag": "a b"}, {"tag": ["a b"]}),
        ({"code": "ab"}, {"code": "AB"}),
        ({"limit": "5"}, {"limit": 5}),
        ({"day": "20.11.2026"}, {"day": "2026-11-20"}),
        ({"orderId": "W17"}, {"order_id": "#W17"}),
        ({"order": "W17", "verbose": False}, {"order": "W17"}),
        ({"order": "W17", "unknown": ""}, {"order": "W17"}),
        ({"order": "W17", "note": None}, {"order": "W17"}),
    ],
)
def test_the_same_in_another_form_is_the_same_call(before, after) -> None:
    assert changes_only_form(before, after, defaults={"verbose": False})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"order": "1"}, {"order": "91"}),
        ({"order": "W1"}, {"order": "evil-W1"}),
        ({"order": "W1"}, {"order": "W1*"}),
        ({"order": "plans"}, {"order": "../plans"}),
        ({"order": "plans"}, {"order": "plans';--"}),
        ({"order": "plans"}, {"order": "plans;"}),
        ({"order": "plans"}, {"order": "@plans"}),
        ({"order": "plans"}, {"order": "//plans"}),
        ({"order": "plans"}, {"order": "-plans"}),
        ({"order": "plans"}, {"order": ["../plans"]}),
        ({"order": ["plans"]}, {"order": "(plans)"}),
        ({"order": "a b"}, {"order": "a/b"}),
        ({"order": "a b"}, {"order": "a@b"}),
        ({"order": "a.b"}, {"order": "a b"}),
        ({"order": "12 34"}, {"order": "12-34"}),
        ({"shift": "5"}, {"shift": "-5"}),
        ({"share": "15"}, {"share": "1.5"}),
        ({"day": "03/04/2026"}, {"day": "2026-04-03"}),
        ({"order": "W1", "other": "W2"}, {"order": "W2", "other": "W2"}),
        ({"other": "W2"}, {"other": "W2", "order": "W2"}),
        ({"order": "W1", "dry_run": True}, {"order": "W1"}),
        ({"order": "W1", "notify": False}, {"order": "W1"}),
        ({"order": "W1", "verbose": True}, {"order": "W1"}),
        ({"order": "W1", "note": "for Ann"}, {"order": "#W1"}),
        ({"orderId": "W17"}, {"order": "W17"}),
        ({"orders_to_keep": ["W1"]}, {"orders": ["W1"]}),
        ({"sender": "a", "receiver": "b"}, {"sender": "b", "receiver": "a"}),
    ],
)
def test_another_thing_or_a_wider_request_is_another_call(before, after) -> None:
    assert not changes_only_form(before, after, defaults={"verbose": False})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("3", 3),
        ("12.50", 12.5),
        ("1,000,000", 1_000_000),
        ("0.125", 0.125),
        (3, "3"),
        ("yes", True),
        ("PRO", "pro"),
        ("in progress", "in_progress"),
        ("20 Nov 2026", "2026-11-20"),
        ("a", ["a"]),
        (["a"], "a"),
        ('["a", "b"]', ["a", "b"]),
        ({"orderId": "W1", "limit": None}, {"order_id": "W1"}),
    ],
)
def test_another_type_case_or_separator_says_the_same(before: object, after: object) -> None:
    assert says_same_in_shape(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1.000", 1),
        ("1,000", 1000),
        (1.1, "1.1"),
        ("prod", "pro"),
        ("private", "privates"),
        ("C#", "C"),
        ("1.5", "15"),
        (5, 4),
        (["a", "b"], ["a"]),
        ({"order_id": "W1", "dry_run": True}, {"order_id": "W1"}),
        ({"except_id": "W1"}, {"id": "W1"}),
        ("maybe", True),
        (2, True),
    ],
)
def test_another_value_a_lost_one_or_one_that_can_be_two_does_not(before, after) -> None:
    assert not says_same_in_shape(before, after)
