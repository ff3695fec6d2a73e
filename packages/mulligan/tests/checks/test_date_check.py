from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted
from mulligan.types.call import Outcome
from mulligan.types.finding import Severity
from mulligan_dates.readings import Convention
from tests.checks.attempts import Attempt, attempt, ran


def moved(said: str, *calls: dict[str, object], zone: str | None = "America/New_York") -> Attempt:
    """What was said on Monday 2025-10-20, and what `move` was given."""
    return attempt(said, *(ran("move", arguments) for arguments in calls), zone=zone)


def flagged(said: str, value: object, zone: str | None = "America/New_York") -> bool:
    return bool(list(dates_as_said()(moved(said, {"day": value}, zone=zone))))


@pytest.mark.parametrize(
    ("said", "value", "wrong"),
    [
        # The source's own showcase calls 2025-10-24 a Thursday. It is a Friday.
        ("move dinner to next Friday", "2025-10-24", False),
        ("move dinner to next Friday", "2025-10-31", False),
        ("move dinner to next Friday", "2025-10-25", True),
        ("move dinner to next Thursday", "2025-10-24", True),
        ("move dinner to this Friday", "2025-10-31", True),
        ("on friday", "2025-10-24T19:00", False),
        ("on friday", date(2025, 10, 24), False),
        ("on friday", date(2025, 10, 23), True),
        ("on friday", datetime(2025, 10, 25, 2, 0, tzinfo=UTC), False),
        ("on friday", datetime(2025, 10, 24, 2, 0, tzinfo=UTC), True),
        ("on friday", "2025-10-25T02:00:00+00:00", False),
        ("on friday", "2025-10-25T02:00:00Z", False),
        ("friday or saturday", "2025-10-25", False),
        ("friday or saturday", "2025-10-23", True),
        ("a week from tomorrow", "2025-10-28", False),
        ("a week from tomorrow", "2025-10-27", True),
        ("a day before Friday", "2025-10-24", False),
        ("stay until Sunday", "2025-10-17", False),
        ("stay until Sunday", "2025-10-27", True),
        ("end of day Friday", "2025-10-24", False),
        ("this weekend", "2025-10-26", False),
        ("this weekend", "2025-10-28", True),
        ("on friday", "not a date", False),
        ("on friday", 20251023, False),
        ("Fridayish", "2025-10-23", False),
        ("every friday", "2025-10-23", False),
        ("at 7pm", "2025-10-23", False),
        ("in a few days", "2025-10-29", False),
        ("tomorrow or on Super Tuesday", "2025-12-01", False),
    ],
)
def test_a_date_is_flagged_only_if_no_reading_of_the_words_holds_it(
    said: str, value: object, *, wrong: bool
) -> None:
    assert flagged(said, value) is wrong


def test_dates_are_found_inside_other_arguments() -> None:
    nested = {"event": {"start": {"date": "2025-10-23"}}, "days": ["2025-10-24", "2025-10-30"]}

    findings = list(dates_as_said()(moved("on friday", nested)))

    assert [finding.issue.split(", ")[0] for finding in findings] == [
        "move was given event.start.date='2025-10-23'",
        "move was given days='2025-10-30'",
    ]


def test_the_end_of_an_event_may_follow_its_start_into_the_next_day() -> None:
    late = {"start": "2025-10-24T23:00", "end": "2025-10-25T01:00"}
    allday = {"start": "2025-10-24", "end": "2025-10-25"}
    wrong = {"start": "2025-10-24", "end": "2025-10-29"}

    findings = list(dates_as_said()(moved("party on friday", late, allday, wrong)))

    assert [finding.issue.split(", ")[0] for finding in findings] == [
        "move was given end='2025-10-29'"
    ]


def test_a_call_may_look_through_a_longer_stretch_that_holds_what_was_said() -> None:
    around = {"from": "2025-10-01", "to": "2025-10-31"}
    beside = {"from": "2025-10-25", "to": "2025-10-30"}

    assert list(dates_as_said()(moved("what is on this friday?", around))) == []
    assert len(list(dates_as_said()(moved("what is on this friday?", beside)))) == 2


def test_only_the_parameters_that_are_named_are_looked_at() -> None:
    calls = {"day": "2025-10-23", "made_on": "2025-10-20"}
    case = attempt("on friday", ran("move", calls), ran("find", calls))

    findings = list(dates_as_said({"move": ["day"]})(case))

    assert [finding.call for finding in findings] == ["call of move"]


def test_a_call_that_failed_did_nothing_and_is_left_alone() -> None:
    failed = ran("move", {"day": "2025-10-23"}, outcome=Outcome.FAILURE)

    assert list(dates_as_said()(attempt("on friday", failed))) == []


def test_a_corrected_date_is_no_longer_what_was_said() -> None:
    said = "Move it to Thursday - no, Friday"

    assert not flagged(said, "2025-10-24")
    assert flagged(said, "2025-10-23")


def test_a_pin_makes_the_check_stricter() -> None:
    case = moved("dinner next Friday", {"day": "2025-10-24"})

    assert list(dates_as_said()(case)) == []
    assert len(list(dates_as_said(pins=frozenset({Convention.NEXT_WEEK}))(case))) == 1


def test_the_locale_of_the_person_settles_the_order_of_figures() -> None:
    american = ran("move", {"day": "2025-03-11"})
    british = ran("move", {"day": "2025-11-03"})

    anywhere = attempt("on 3/11/2025", american, british)
    in_london = attempt("on 3/11/2025", american, british, known={"locale": "en-GB"})

    assert list(dates_as_said()(anywhere)) == []
    assert len(list(dates_as_said()(in_london))) == 1


def test_an_unknown_zone_gives_no_fact() -> None:
    for zone in (None, "Mars/Phobos", "../etc/passwd", "Europe"):
        assert not flagged("on friday", "2025-10-23", zone=zone)


def test_a_day_that_does_not_exist_is_flagged_whatever_was_said() -> None:
    (finding,) = dates_as_said()(moved("hello", {"day": "2025-11-31"}, zone=None))

    assert finding.rule == "date.impossible"
    assert "2025-11-31" in finding.issue


def test_a_finding_names_the_call_the_words_the_dates_and_their_weekdays() -> None:
    calls = {"day": "2025-10-24"}, {"day": "2025-10-25"}

    (finding,) = dates_as_said()(moved("next Friday", *calls))

    assert finding.call == "call of move"
    assert finding.rule == "date.not_as_said"
    assert finding.issue == (
        "move was given day='2025-10-25', a Saturday; "
        '"next Friday", said on Monday 2025-10-20, '
        "can mean Friday 2025-10-24 or Friday 2025-10-31."
    )
    assert finding.correction == "Use Friday 2025-10-24 or Friday 2025-10-31 for day."


def test_a_finding_tells_the_day_that_the_person_would_see() -> None:
    (finding,) = dates_as_said()(moved("on friday", {"day": "2025-10-24T02:00:00Z"}))

    assert "which is 2025-10-23 for the person, a Thursday" in finding.issue


@pytest.mark.parametrize(
    ("said", "value", "over"),
    [
        ("dinner on Friday, please", "2025-10-17", True),
        ("dinner on Friday, please", "2025-10-24", False),
        ("dinner on March 3", "2025-03-03", True),
        ("dinner on March 3", "2026-03-03", False),
        ("log my run on Friday", "2025-10-17", False),
        ("I worked six hours on Friday", "2025-10-17", False),
        ("we already had dinner on Friday", "2025-10-17", False),
        ("dinner last Friday", "2025-10-17", False),
        ("dinner yesterday", "2025-10-19", False),
        ("the mail from Friday", "2025-10-17", False),
    ],
)
def test_of_two_sides_the_one_that_is_over_is_wrong_unless_the_past_is_spoken_of(
    said: str, value: str, *, over: bool
) -> None:
    findings = list(dates_as_said()(moved(said, {"day": value})))

    assert [each.rule for each in findings] == (["date.in_the_past"] if over else [])


def test_looking_around_on_a_day_that_is_over_is_no_mistake() -> None:
    tried = moved("dinner on Friday, please", {"day": "2025-10-17"})
    looked = replace_acted(tried, frozenset())
    acted = replace_acted(tried, frozenset({tried.executions[0].call.id}))

    assert list(dates_as_said()(looked)) == []
    assert [each.rule for each in dates_as_said()(acted)] == ["date.in_the_past"]


def replace_acted(tried: Attempt, acted: frozenset[str]) -> Attempted:
    return Attempted(turn=tried.turn, executions=tried.executions, acted=acted)


def test_what_lies_ahead_is_named_first_and_alone_where_the_other_is_over() -> None:
    [unsaid] = dates_as_said()(moved("dinner on Friday, please", {"day": "2025-10-23"}))
    [over] = dates_as_said()(moved("dinner on Friday, please", {"day": "2025-10-17"}))

    assert "can mean Friday 2025-10-24 or Friday 2025-10-17" in unsaid.issue
    assert unsaid.correction == "Use Friday 2025-10-24 or Friday 2025-10-17 for day."
    assert over.correction == "Use Friday 2025-10-24 for day."


def test_of_a_message_too_long_to_read_it_is_said_that_nobody_checked_its_dates() -> None:
    said = "move dinner to friday " + "x" * 20_000

    (finding,) = dates_as_said()(moved(said, {"day": "2025-10-25"}))

    assert finding.rule == "date.not_checked"
    assert finding.severity is Severity.WARNING
    assert "2025-10-25" in finding.issue
    assert "20,022 characters" in finding.issue


def test_where_a_call_has_no_date_a_long_message_is_no_matter() -> None:
    assert list(dates_as_said()(moved("x" * 30_000, {"day": "soon"}))) == []


def test_what_is_said_twice_is_named_once() -> None:
    (finding,) = dates_as_said()(
        moved("Move it to next Friday. Yes, next Friday.", {"day": "2025-10-25"})
    )

    assert finding.correction == "Use Friday 2025-10-24 or Friday 2025-10-31 for day."
