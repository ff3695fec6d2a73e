"""What one more costs in a turn does not grow with what is there: by counts, never by time."""

from __future__ import annotations

import pytest

from bench.turn_growth import ALLOWED, measure_growth

pytestmark = pytest.mark.full

MANY = {
    "holds": 100,
    "open actions": 100,
    "turns": 100,
    "calls in a turn": 50,
    "tools": 50,
    "tenants": 50,
    "lessons": 1_000,
    "characters of a result": 1_000_000,
}


@pytest.mark.parametrize("what", MANY)
def test_one_more_costs_the_same_beside_many(what: str) -> None:
    grown = measure_growth(what, most=MANY[what])

    assert max(grown.lines, grown.statements, grown.steps) <= ALLOWED, grown
