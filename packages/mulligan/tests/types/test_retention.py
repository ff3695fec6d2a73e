from __future__ import annotations

from mulligan.types.limits import Retention


def test_the_defaults_are_those_of_the_policy():
    kept = Retention()

    assert (kept.log.days, kept.settled.days, kept.kept.days) == (30, 90, 7)
    assert kept.learned.days == 90
    assert kept.compress is None
