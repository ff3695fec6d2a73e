from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from mulligan.checks.schedule import Taken, rank_as_said, ranks_read
from tests.checks.attempts import Attempt, attempt, gathered, ran

IDS = {"delete": ["event_id"]}
STARTS = {
    "ev1": datetime(2025, 10, 24, 9, 0),
    "ev2": datetime(2025, 10, 24, 11, 0),
    "ev3": datetime(2025, 10, 24, 15, 0),
    "ev4": datetime(2025, 10, 25, 9, 0),
}


def read(event_id: str) -> dict[str, object] | None:
    return {"start": STARTS[event_id].isoformat()} if event_id in STARTS else None


def read_day(day: date) -> list[Taken]:
    return [
        Taken(what=name, start=start, end=start + timedelta(hours=1))
        for name, start in STARTS.items()
        if start.date() == day
    ]


def deleting(said: str, *event_ids: str) -> Attempt:
    calls = [ran("delete", {"event_id": event_id}) for event_id in event_ids]
    gather = ranks_read(IDS, when="start", read=read, read_day=read_day)
    return attempt(said, *calls, facts=gathered(gather, attempt(said, *calls)))


def test_each_object_is_placed_in_its_day() -> None:
    tried = deleting("Delete them", "ev1", "ev2", "ev3", "ev4", "ev5")

    assert [(fact.subject, fact.value) for fact in tried.facts] == [
        ("ev1", "first"),
        ("ev2", "between"),
        ("ev3", "last"),
        ("ev4", "only"),
    ]
    assert "first of 3 on 2025-10-24" in tried.facts[0].about


@pytest.mark.parametrize(
    ("said", "event_id", "flagged"),
    [
        ("Cancel my first meeting on Friday", "ev1", False),
        ("Cancel my first meeting on Friday", "ev2", True),
        ("Cancel my LAST appointment tomorrow", "ev3", False),
        ("Cancel my last event of the day", "ev1", True),
        ("Cancel my first meeting on Saturday", "ev4", False),
        ("Cancel my first meeting on Friday", "ev5", False),
        ("Cancel my first meeting with Ann on Friday", "ev2", False),
        ("Cancel my first meeting on Friday after lunch", "ev3", False),
        ("Cancel my first meeting on Friday and the last event on Saturday", "ev3", False),
        ("Cancel the meeting on Friday", "ev2", False),
        ("Send 'my first meeting on Friday' and delete it", "ev2", False),
    ],
)
def test_another_than_the_first_or_the_last_is_flagged_where_that_was_asked_for(
    said: str, event_id: str, *, flagged: bool
) -> None:
    findings = list(rank_as_said(IDS)(deleting(said, event_id)))

    assert [finding.rule for finding in findings] == ["object.wrong_rank"] * flagged
