"""Dates in the arguments of a call, in whatever notation they are given."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import pytest

from mulligan import Confidence, Effect, Mulligan, Standing
from mulligan.checks.date_arguments import (
    find_argument_dates,
    has_unread_dates,
    may_hide_a_date,
    read_days,
    sort_dates,
)
from mulligan.loops.review import Opinion
from mulligan.runtime.context import OpenTurn
from mulligan_testing.fakes import ScriptedJudge

DAY = date(2026, 11, 21)
WRITTEN = [
    "20261121",
    "20261121T190000Z",
    "2026/11/21",
    "2026-W47-6",
    "21.11.2026",
    "21/11/2026",
    "11/21/2026",
    "21 November 2026",
    "21st of November, 2026",
    "Nov 21, 2026",
    "Saturday, November 21, 2026 7:30 pm",
    "2026\u201111\u201121 19:00",
    "2026-11-21\u200b",
    "\uff12\uff10\uff12\uff16-11-21",
    1795287600,
    1795287600000.0,
    {"year": 2026, "month": 11, "day": 21},
]


@pytest.mark.parametrize("value", WRITTEN)
def test_a_day_is_read_in_every_notation(value: object) -> None:
    found = list(find_argument_dates({"event": {"startDay": value}}, zone="UTC"))

    assert [dated.days for dated in found if dated.at.date() == DAY] == [{DAY}]


def test_figures_that_can_be_two_days_are_either() -> None:
    (dated,) = find_argument_dates({"day": "03/04/2026"}, zone="UTC")

    assert dated.days == {date(2026, 4, 3), date(2026, 3, 4)}


@pytest.mark.parametrize("name", ["id", "version", "path", "to", "title", "invoice"])
@pytest.mark.parametrize("value", ["20261121", "2026/11/21", "2026.11.21", 1795287600])
def test_other_notations_are_dates_where_the_name_says_so(name: str, value: object) -> None:
    assert not list(find_argument_dates({name: value}, zone="UTC"))


@pytest.mark.parametrize("value", [True, 7, "x" * 500, "31.11.2026", "19:00", None, {"year": 2026}])
def test_what_is_no_day_is_read_as_none(value: object) -> None:
    assert list(read_days(value)) == []


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("day", "Saturday", True),
        ("when", "the 21st", True),
        ("dueDate", "tomorrow+5d", True),
        ("slot", "Saturday", True),
        ("slot", "21 Nov", True),
        ("time", "19:00", False),
        ("title", "Dinner on Saturday with Ann", False),
        ("days", 3, False),
        ("day", "", False),
    ],
)
def test_what_may_be_a_date_and_cannot_be_read_is_known(
    name: str, value: object, *, hidden: bool
) -> None:
    assert may_hide_a_date(value, name=name) is hidden
    assert has_unread_dates({"event": {name: value}}) is hidden


def test_what_lies_too_deep_or_far_is_unread() -> None:
    deep: object = "x"
    for _ in range(30):
        deep = [deep]

    assert has_unread_dates({"fields": deep})
    assert has_unread_dates({"fields": ["x"] * 20_000})


@pytest.mark.parametrize(
    "text", ["1" * 60, "1/" * 30, "Nov " * 15, "1 " * 30, "2026-11-21T" + "0" * 50, "sat, " * 12]
)
def test_twisted_figures_cost_next_to_nothing(text: str) -> None:
    began = time.thread_time()

    for _ in range(20):
        list(read_days(text))
        may_hide_a_date(text, name="slot")

    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize("day", ["2026-11-21", *WRITTEN[:2], "Saturday", "P6D", "21st"])
async def test_a_judge_s_word_alone_never_makes_a_wrong_day_sure(day: str) -> None:
    judge = ScriptedJudge(lambda _: Opinion(findings=(), confirmed=True))
    m = Mulligan("memory:", judge=judge, recover=False)

    @m.tool(effect=Effect.REVERSIBLE, before=lambda _: "", undo=lambda _: None)
    async def move_event(day: str) -> str:
        return day

    async def agent(turn: OpenTurn) -> str:
        await move_event(day)
        return "Moved."

    now = datetime(2026, 11, 15, 9, tzinfo=UTC)
    done = await m.act("Move dinner to Friday", agent, now=now, timezone="Europe/Berlin")

    assert done.confidence is not Confidence.HIGH
    assert day in ("Saturday", "P6D", "21st") or done.standing is Standing.REJECTED
    m.close()


def test_dates_are_found_wherever_they_are_with_the_path_to_them() -> None:
    arguments = {
        "event": {"start": "2025-10-24T19:00:00", "note": "on 2025-10-24, I think"},
        "days": ["2025-10-25"],
        "count": 20251024,
    }

    found = {each.name: each for each in find_argument_dates(arguments, zone=None)}

    assert found.keys() == {"event.start", "days"}
    assert found["event.start"].at == datetime(2025, 10, 24, 19)
    assert [each.timed for each in found.values()] == [True, False]


def test_midnight_in_another_zone_is_also_the_day_it_is_written_as() -> None:
    [found] = find_argument_dates({"day": "2025-10-24T00:00:00+00:00"}, zone="America/New_York")

    assert found.at == datetime(2025, 10, 23, 20)
    assert found.days == {date(2025, 10, 23), date(2025, 10, 24)}


def test_a_day_that_no_calendar_has_is_told_apart_from_prose() -> None:
    arguments = {"day": "2025-11-31", "fine": "2025-11-30", "text": "31 November"}

    assert sort_dates(arguments, zone="UTC")[1] == [("day", "2025-11-31")]
