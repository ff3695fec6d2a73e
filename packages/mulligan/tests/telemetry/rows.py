"""Rows for tests."""

from __future__ import annotations

import random

from mulligan.types.call import LogRow, Outcome
from mulligan.types.values import make_uuid7

_chance = random.Random(7)
START_US = 1_794_733_200_000_000


def a_row(number: int = 0, *, outcome: Outcome = Outcome.SUCCESS, **changes: object) -> LogRow:
    """A row of the log, the given number of milliseconds after the start."""
    at_us = START_US + number * 1000
    failed = outcome is not Outcome.SUCCESS
    row = LogRow(
        id=make_uuid7(at_us, _chance.getrandbits(62)),
        at_us=at_us,
        tenant="",
        agent="planner",
        server="",
        tool="find_events",
        parameters='{"limit":10}',
        context="planning the week",
        outcome=outcome,
        duration_us=1500,
        error_class="ambiguous" if failed else None,
        error_type="TimeoutError" if failed else None,
        error_message="no answer" if failed else None,
        error_code=None,
        error_at="calendar.py:12" if failed else None,
        result=None if failed else "[]",
        try_number=1,
        parent=None,
        turn=None,
        weight=1.0,
    )
    return row._replace(**changes)
