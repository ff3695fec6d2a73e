from __future__ import annotations

import random

import pytest

from mulligan.learning.calibration import measure_calibration, measure_lift
from mulligan.types.lesson import Group
from tests.learning.slots import slot


def test_honest_forecasts_are_calibrated_and_overconfident_ones_are_not() -> None:
    chance = random.Random(3)
    said = [chance.random() for _ in range(5_000)]
    honest = measure_calibration([(each, chance.random() < each) for each in said])
    boastful = measure_calibration([(0.95, chance.random() < 0.5) for _ in said])

    assert honest.ece < 0.04
    assert honest.brier < honest.base_brier
    assert boastful.ece == pytest.approx(0.45, abs=0.05)
    assert boastful.brier > boastful.base_brier
    assert sum(each.n for each in honest.bins) == 5_000


def test_lift_is_treated_less_control_with_what_is_sure_of_it() -> None:
    counts = {
        slot(repaired=True): 80,
        slot(repaired=False): 20,
        slot(group=Group.CONTROL, taken=False, helped=False, repaired=True): 10,
        slot(group=Group.CONTROL, taken=False, helped=False, repaired=False): 10,
        slot(group=None): 1_000,
    }

    found = measure_lift(counts)

    assert found is not None
    assert found.lift == pytest.approx(0.3)
    assert 0.05 < found.low < 0.3 < found.high < 0.55
    assert (found.treated, found.control) == (100, 20)
    assert measure_lift({slot(): 5}) is None
