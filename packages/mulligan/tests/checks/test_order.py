from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from mulligan.checks.schedule import ends_after_start, not_in_the_past
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran, severities

PLANS = {"create": ["start"]}


@pytest.mark.parametrize(
    ("start", "end", "flagged"),
    [
        ("2025-10-24T19:00", "2025-10-24T18:00", True),
        ("2025-10-24T19:00", "2025-10-23", True),
        ("2025-10-24T19:00", "2025-10-24", False),
        ("2025-10-24", "2025-10-24", False),
        ("2025-10-24T19:00", "2025-10-24T19:00", False),
        ("2025-10-24T23:00", "2025-10-25T01:00", False),
        (date(2025, 10, 24), date(2025, 10, 23), True),
        ("2025-10-24T19:00-04:00", datetime(2025, 10, 24, 23, 30, tzinfo=UTC), False),
        ("2025-10-24T19:00", "soon", False),
        ("2025-10-24T19:00", "2025-99-99", False),
        ("2025-10-24T19:00", None, False),
    ],
)
def test_an_end_before_its_start_is_flagged(start: object, end: object, *, flagged: bool) -> None:
    tried = attempt("Dinner", ran("create", {"start": start, "end": end}))

    findings = list(ends_after_start(("start", "end"), ("from", "to"))(tried))

    assert bool(findings) is flagged


@pytest.mark.parametrize(
    ("said", "start", "severity"),
    [
        ("Book a table for next Friday", "2024-10-24T19:00", Severity.ERROR),
        ("Book a table for next Friday", "2025-10-19", Severity.ERROR),
        ("Book a table for next Friday", "2025-10-20T08:00", None),
        ("Book a table for next Friday", "2025-10-24", None),
        ("Dinner with Ann on the 19th", "2025-10-19", Severity.WARNING),
        ("I had lunch with Ann, schedule it for yesterday", "2025-10-19", Severity.WARNING),
    ],
)
def test_a_plan_for_a_day_that_is_over_is_an_error_only_of_somebody_who_looks_ahead(
    said: str, start: str, severity: Severity | None
) -> None:
    findings = not_in_the_past(PLANS)(attempt(said, ran("create", {"start": start})))

    assert severities(findings) == ([severity] if severity else [])


def test_where_the_zone_is_unknown_a_day_must_be_over_everywhere() -> None:
    def flagged(start: str) -> bool:
        tried = attempt("Book it", ran("create", {"start": start}), zone=None)
        return bool(list(not_in_the_past(PLANS)(tried)))

    assert not flagged("2025-10-19")
    assert flagged("2025-10-18")
