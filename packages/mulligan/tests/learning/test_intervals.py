from __future__ import annotations

import pytest

from mulligan.learning.calibration import compute_difference, compute_wilson


def test_nothing_seen_leaves_everything_possible() -> None:
    assert compute_wilson(0, 0) == (0.0, 1.0)


def test_an_interval_holds_what_was_counted_and_narrows_with_the_count() -> None:
    few, many = compute_wilson(7, 10), compute_wilson(700, 1_000)

    assert few == pytest.approx((0.397, 0.892), abs=0.001)
    assert few[0] < many[0] < 0.7 < many[1] < few[1]


def test_all_or_none_is_never_certain() -> None:
    assert compute_wilson(10, 10)[0] < 1.0 == compute_wilson(10, 10)[1]
    assert compute_wilson(0, 10)[1] > 0.0 == compute_wilson(0, 10)[0]


def test_a_difference_lies_in_its_interval_which_narrows_with_what_was_counted() -> None:
    few = compute_difference((8, 10), (5, 10))
    many = compute_difference((800, 1000), (500, 1000))

    assert few[0] == many[0] == pytest.approx(0.3)
    assert few[1] < 0 < many[1] < 0.3 < many[2] < few[2]


def test_a_difference_the_other_way_round_is_its_negative() -> None:
    there, back = compute_difference((9, 12), (3, 30)), compute_difference((3, 30), (9, 12))

    assert there == pytest.approx((-back[0], -back[2], -back[1]))
