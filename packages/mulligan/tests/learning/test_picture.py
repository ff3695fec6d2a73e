from __future__ import annotations

from mulligan.learning.calibration import measure_calibration, render_reliability


def test_nothing_forecast_is_nothing_measured() -> None:
    empty = measure_calibration([])

    assert (empty.n, empty.ece, empty.bins) == (0, 0.0, ())
    assert "n=0" in render_reliability(empty)


def test_the_picture_has_a_mark_for_every_bin() -> None:
    found = measure_calibration([(0.2, False), (0.8, True)] * 50, bins=2)

    drawn = render_reliability(found)

    assert drawn.count("<circle") == 2
    assert "ECE 0.200" in drawn
