from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.stores.encoding import matches_query
from mulligan.types.call import Outcome
from mulligan.types.log import LogQuery
from mulligan.types.values import from_us
from tests.telemetry.rows import START_US, a_row

START = from_us(START_US)
ROW = a_row(outcome=Outcome.FAILURE, turn="t1")


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ({}, True),
        ({"tool": "find_events", "agent": "planner"}, True),
        ({"tool": "other"}, False),
        ({"outcome": "success"}, False),
        ({"error_class": "ambiguous", "turn": "t1"}, True),
        ({"turn": "t2"}, False),
        ({"turns": ("t2", "t1")}, True),
        ({"turns": ("t2",)}, False),
        ({"parents": ("p1",)}, False),
        ({"id_prefix": ROW.id[:8]}, True),
        ({"id_prefix": "zzz"}, False),
        ({"after": ROW.id}, False),
        ({"below": ROW.id}, False),
        ({"below": f"{ROW.id}0"}, True),
        ({"since": START}, True),
        ({"since": START + timedelta(microseconds=1)}, False),
        ({"until": START}, False),
        ({"until": START + timedelta(microseconds=1)}, True),
    ],
)
def test_a_row_fits_if_all_that_is_asked_is_true_of_it(
    wanted: dict[str, object], there: bool
) -> None:
    assert matches_query(ROW, LogQuery(**wanted)) is there
