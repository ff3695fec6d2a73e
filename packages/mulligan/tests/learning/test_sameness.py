from __future__ import annotations

import pytest

from mulligan.learning.conform import says_same_in_shape


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
def test_another_value_a_lost_one_or_one_that_can_be_two_does_not(
    before: object, after: object
) -> None:
    assert not says_same_in_shape(before, after)
