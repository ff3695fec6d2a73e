from __future__ import annotations

import pytest

from mulligan.learning.lessons.calibration.intervals import compute_wilson


def test_nothing_seen_leaves_everything_possible() -> None:
    assert compute_wilson(0, 0) == (0.0, 1.0)


def test_an_interval_holds_what_was_counted_and_narrows_with_the_count() -> None:
    few, many = compute_wilson(7, 10), compute_wilson(700, 1_000)

    assert few == pytest.approx((0.397, 0.892), abs=0.001)
    assert few[0] < many[0] < 0.7 < many[1] < few[1]


def test_all_or_none_is_never_certain() -> None:
    assert compute_wilson(10, 10)[0] < 1.0 == compute_wilson(10, 10)[1]
    assert compute_wilson(0, 10)[1] > 0.0 == compute_wilson(0, 10)[0]
