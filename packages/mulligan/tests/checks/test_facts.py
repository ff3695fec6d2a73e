"""What is computed of a turn: dates, phrases and home; and what contradicts it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from mulligan.checks.dates import date_facts, dates_as_said
from mulligan.checks.facts import computed_facts, find_denials
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.loops.review import Opinion
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Confidence, Severity, Standing
from mulligan.types.turn import Turn
from mulligan_dates.reader import calculate_datetime
from mulligan_dates.readings import find_zone, list_instants
from mulligan_testing.fakes import ScriptedJudge

MONDAY = datetime(2025, 10, 20, 13, 0, tzinfo=UTC)
MOVED = Call(id="c", tool="move", arguments={"day": "2025-10-24"})


def say(message: str, zone: str | None = "America/New_York", **known: object) -> Turn:
    return Turn(id="t", message=message, now=MONDAY, timezone=zone, known=known)


def test_the_weekday_of_a_date_in_a_call_is_a_fact() -> None:
    (fact,) = date_facts(say("move it"), [MOVED, MOVED])

    # The source's own showcase called this day a Thursday.
    assert (fact.kind, fact.subject, fact.value) == ("date.weekday", "2025-10-24", "Friday")
    assert fact.about == "2025-10-24 is a Friday."


def test_what_the_person_said_is_a_fact_with_all_its_meanings() -> None:
    (fact,) = date_facts(say("move it to next Friday"), [])

    assert (fact.kind, fact.subject) == ("date.phrase", "next Friday")
    assert fact.value == "Friday 2025-10-24 or Friday 2025-10-31"
    assert "said on Monday 2025-10-20" in fact.about


def test_what_is_not_known_is_no_fact() -> None:
    assert date_facts(say("every Friday, or in a few days"), []) == ()
    assert date_facts(say("next Friday", zone=None), [MOVED]) == ()
    assert date_facts(say("next Friday", zone="Mars/Phobos"), [MOVED]) == ()


async def test_days_words_and_home_are_computed_for_every_judge() -> None:
    facts = await computed_facts(say("Move dinner at home to Friday", home="12 Elm St"), [MOVED])
    abroad = await computed_facts(say("Dinner on 3/4/2027", locale="en-GB"), [])

    assert {fact.kind: fact.value for fact in facts} == {
        "date.weekday": "Friday",
        "date.phrase": "Friday 2025-10-24",
        "place.home": "12 Elm St",
    }
    assert [fact.value for fact in abroad] == ["Saturday 2027-04-03"]


SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
HOME = {"home": "12 Elm St, Springfield"}


def attempt(*calls: Call, said: str = "Move dinner to Friday", acted=None, **known) -> Attempted:
    executions = tuple(
        Execution(call=call, outcome=Outcome.SUCCESS, at=SUNDAY, duration=timedelta(), result="ok")
        for call in calls
    )
    turn = Turn(id="t", message=said, now=SUNDAY, timezone="Europe/Berlin", known=known)
    return Attempted(turn=turn, executions=executions, acted=acted)


def call(id: str = "c1", **arguments: object) -> Call:  # noqa: A002
    return Call(id=id, tool="move", arguments=arguments)


def find(attempted: Attempted) -> list[tuple[str, Severity]]:
    return [(finding.rule, finding.severity) for finding in find_denials(attempted)]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"day": "2026-11-20"}, []),
        ({"day": "2026-11-21"}, [("date.not_as_said", Severity.ERROR)]),
        ({"day": "2026-11-31"}, [("date.impossible", Severity.ERROR)]),
        ({"day": "2026-11-20", "due": "2026-12-20"}, [("date.not_as_said", Severity.WARNING)]),
        ({"day": "2026-11-21", "at": SUNDAY}, [("date.not_as_said", Severity.ERROR)]),
        ({"title": "dinner"}, []),
    ],
)
def test_a_call_none_of_whose_dates_can_be_meant_is_an_error(arguments, found) -> None:
    assert find(attempt(call(**arguments))) == found


def test_a_call_that_only_looks_around_may_name_any_day() -> None:
    looked, moved = call("c1", day="2026-11-21"), call("c2", day="2026-11-20")

    assert find(attempt(looked, moved, acted=frozenset({"c2"}))) == []


def test_a_later_try_of_a_call_is_that_call() -> None:
    again = Call(id="c2", parent="c1", tool="move", arguments={"day": "2026-11-21"})

    assert find(attempt(again, acted=frozenset({"c1"}))) == [("date.not_as_said", Severity.ERROR)]


def test_a_later_try_is_held_to_what_was_asked_of_it_like_the_first_one() -> None:
    said = "Move lunch to Monday and dinner to Friday"
    wrong = {"title": "lunch", "day": "2026-11-20"}
    first, again, looked = (
        Call(id=id, parent=parent, tool="move_event", arguments=wrong)
        for id, parent in (("c1", None), ("c2", "c1"), ("c3", None))  # noqa: A001
    )

    found = [
        [each.rule for each in dates_as_said()(attempt(made, said=said, acted=frozenset({"c1"})))]
        for made in (first, again, looked)
    ]

    assert found == [["date.not_as_said"], ["date.not_as_said"], []]


def test_a_shop_with_home_in_its_name_is_not_where_the_person_lives() -> None:
    booked = attempt(call(location="Home Depot"), said="Dinner at home", **HOME)

    assert find(booked) == [("place.not_home", Severity.ERROR)]
    assert find(attempt(call(title="Home Depot"), said="Dinner at home", **HOME)) == []


@pytest.mark.parametrize(
    "judge", [None, ScriptedJudge(lambda _: Opinion(findings=(), confirmed=True))]
)
async def test_what_the_facts_deny_is_rejected_with_a_judge_who_confirms_it_and_without(
    judge: ScriptedJudge | None,
) -> None:
    wrong = attempt(call(day="2026-11-21"), acted=frozenset({"c1"}))

    verdict = await review_attempt(wrong, by=Reviewers(judge=judge), attempt=1, judged=True)

    assert (verdict.standing, verdict.by) == (Standing.REJECTED, ("facts",))
    assert judge is None or judge.questions == []


async def test_a_date_beside_the_right_one_keeps_a_judge_from_making_it_sure() -> None:
    judge = ScriptedJudge([Opinion(findings=(), confirmed=True)])
    beside = attempt(call(day="2026-11-20", due="2026-12-20"), acted=frozenset({"c1"}))

    verdict = await review_attempt(beside, by=Reviewers(judge=judge), attempt=1, judged=True)

    assert (verdict.standing, verdict.confidence) == (Standing.ACCEPTED, Confidence.MEDIUM)


async def test_a_judge_who_confirms_what_no_fact_denies_makes_it_sure() -> None:
    judge = ScriptedJudge([Opinion(findings=(), confirmed=True)])
    right = attempt(call(day="2026-11-20"), acted=frozenset({"c1"}))

    verdict = await review_attempt(right, by=Reviewers(judge=judge), attempt=1, judged=True)

    assert (verdict.standing, verdict.confidence) == (Standing.ACCEPTED, Confidence.HIGH)


FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2036, 1, 1, tzinfo=UTC)
STEP = timedelta(days=6)
ZONES = sorted(available_timezones())
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def transitions(zone: ZoneInfo) -> Iterator[datetime]:
    """The instants at which the clocks of a zone change, to the second."""
    low, before = FIRST, FIRST.astimezone(zone).utcoffset()
    while low < LAST:
        high = low + STEP
        after = high.astimezone(zone).utcoffset()
        if before != after:
            yield bisected(low, high, zone)
        low, before = high, after


def bisected(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The first second at which the clocks show something else than at `low`."""
    before = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // timedelta(seconds=2) * timedelta(seconds=1)
        same = middle.astimezone(zone).utcoffset() == before
        low, high = (middle, high) if same else (low, middle)
    return high


def weekday(day: date) -> str:
    """By counting days from a Monday, and so by another way than the code under test."""
    return WEEKDAYS[(day - date(2001, 1, 1)).days % 7]


@pytest.mark.full
@pytest.mark.parametrize("part", range(4))
def test_every_weekday_is_right_on_every_day_the_clocks_change(part: int) -> None:
    seen: set[tuple[str, ...]] = set()
    for name in ZONES[part::4]:
        zone = ZoneInfo(name)
        changes = tuple(transitions(zone))
        pattern = tuple(f"{at}{at.astimezone(zone).utcoffset()}" for at in changes)
        if pattern in seen:
            # Another name for the same clocks.
            continue
        seen.add(pattern)
        for at in changes:
            for now in (at - timedelta(seconds=1), at):
                assert_days_are_right(now, name, zone)


def assert_days_are_right(now: datetime, name: str, zone: ZoneInfo) -> None:
    today = now.astimezone(zone).date()
    turn = Turn(id="t", message="the day after tomorrow", now=now, timezone=name)
    call = Call(id="c", tool="t", arguments={"at": now.isoformat()})

    weekday_fact, phrase_fact = date_facts(turn, [call])
    later = today + timedelta(days=2)

    assert weekday_fact.value == weekday(today)
    assert phrase_fact.value == f"{weekday(later)} {later}"


def test_a_wall_time_in_every_gap_and_fold_names_instants_that_exist() -> None:
    for name in ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"):
        zone = ZoneInfo(name)
        for at in transitions(zone):
            wall = at.astimezone(zone).replace(tzinfo=None)
            for minutes in (-90, -60, -30, -15, 0, 15, 30, 60, 90):
                found = list_instants(wall + timedelta(minutes=minutes), zone)
                assert 1 <= len(found) <= 2
                for instant, _ in found:
                    assert instant.astimezone(UTC).astimezone(zone) == instant


def test_tomorrow_is_one_day_on_even_where_a_whole_day_is_skipped() -> None:
    # Samoa went from the 29th to the 31st of December 2011.
    now = datetime(2011, 12, 30, 9, 0, tzinfo=UTC)

    answer = calculate_datetime("today", now, timezone="Pacific/Apia")

    assert answer["readings"][0]["told"] == "Thursday 2011-12-29"


@pytest.mark.parametrize(
    "name", ["", "Mars/Phobos", "../../etc/passwd", "Europe", "a\0b", "x" * 999]
)
def test_what_is_no_zone_is_none(name: str) -> None:
    assert find_zone(name) is None
