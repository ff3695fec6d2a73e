"""The guard against a slowdown: it counts work, so that it is the same on a busy machine."""

from __future__ import annotations

import pytest

from bench.counts.baseline import (
    ACCEPT,
    count_anew,
    describe_growth,
    name_python,
    read_baseline,
)

pytestmark = pytest.mark.full


def test_no_path_does_a_fifth_more_than_was_accepted() -> None:
    baseline = read_baseline()
    if not baseline:
        pytest.skip(f"nobody has counted on Python {name_python()}: {ACCEPT}")

    above = describe_growth(count_anew(), baseline)

    assert not above, f"{'; '.join(above)}. If that is meant: {ACCEPT}"
