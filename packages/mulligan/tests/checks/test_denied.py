from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.checks.facts import find_denials
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.loops.review import Opinion
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Confidence, Severity, Standing
from mulligan.types.turn import Turn
from mulligan_testing.fakes import ScriptedJudge

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
