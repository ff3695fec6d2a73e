from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest

from mulligan.checks.dates import weekday_as_said
from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.turn import Turn

NOW = datetime(2025, 10, 20, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Attempt:
    turn: Turn
    executions: tuple[Execution, ...]


def attempt(said: str, *values: object, zone: str | None = "America/New_York") -> Attempt:
    calls = [Call(id=f"c{n}", tool="move", arguments={"day": v}) for n, v in enumerate(values)]
    return Attempt(
        turn=Turn(id="t", message=said, now=NOW, timezone=zone),
        executions=tuple(
            Execution(call=call, outcome=Outcome.SUCCESS, at=NOW, duration=timedelta())
            for call in calls
        ),
    )


@pytest.mark.parametrize(
    ("said", "value", "flagged"),
    [
        # The source's own showcase calls 2025-10-24 a Thursday. It is a Friday.
        ("move dinner to next Friday", "2025-10-24", False),
        ("move dinner to next Friday", "2025-10-25", True),
        ("move dinner to next Thursday", "2025-10-24", True),
        ("FRIDAYS are best", "2025-10-24T19:00", False),
        ("on friday", date(2025, 10, 24), False),
        ("on friday", date(2025, 10, 23), True),
        ("on friday", datetime(2025, 10, 25, 2, 0, tzinfo=UTC), False),
        ("on friday", datetime(2025, 10, 24, 2, 0, tzinfo=UTC), True),
        ("on friday", "2025-10-25T02:00:00+00:00", False),
        ("friday or saturday", "2025-10-23", False),
        ("tomorrow", "2025-10-23", False),
        ("on friday", "not a date", False),
        ("on friday", "2025-99-99", False),
        ("on friday", 20251023, False),
        ("Fridayish", "2025-10-23", False),
    ],
)
def test_a_date_is_flagged_only_when_it_falls_on_another_day_than_the_one_named(
    said: str, value: object, *, flagged: bool
) -> None:
    findings = list(weekday_as_said()(attempt(said, value)))

    assert bool(findings) is flagged


def test_an_unknown_zone_gives_no_fact() -> None:
    instant = datetime(2025, 10, 23, 12, 0, tzinfo=UTC)

    for zone in (None, "Mars/Phobos", "../etc/passwd"):
        assert list(weekday_as_said()(attempt("on friday", instant, zone=zone))) == []


def test_a_finding_names_the_call_the_date_and_both_days() -> None:
    (finding,) = weekday_as_said()(attempt("on friday", "2025-10-24", "2025-10-25"))

    assert finding.call == "c1"
    assert "2025-10-25" in finding.issue
    assert "Saturday" in finding.issue
    assert "Friday" in finding.issue
    assert finding.correction == "Use a Friday for day."
