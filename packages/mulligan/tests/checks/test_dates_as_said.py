"""Dates of calls, against what the person said. It is Monday 2025-10-20 in New York."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted
from mulligan.types.finding import Fact, Severity
from mulligan.types.turn import Turn
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
        ("move dinner to this Friday", "2025-10-31", True),
        ("on friday", date(2025, 10, 24), False),
        ("on friday", datetime(2025, 10, 25, 2, 0, tzinfo=UTC), False),
        ("on friday", "2025-10-25T02:00:00Z", False),
        ("friday or saturday", "2025-10-23", True),
        ("a week from tomorrow", "2025-10-27", True),
        ("a day before Friday", "2025-10-24", False),
        ("stay until Sunday", "2025-10-17", False),
        ("stay until Sunday", "2025-10-27", True),
        ("end of day Friday", "2025-10-24", False),
        ("this weekend", "2025-10-28", True),
        ("on friday", "not a date", False),
        ("on friday", 20251023, False),
        ("every friday", "2025-10-23", False),
        ("at 7pm", "2025-10-23", False),
        ("in a few days", "2025-10-29", False),
        ("tomorrow or on Super Tuesday", "2025-12-01", False),
        ("due 14 days starting today", "2025-11-03", False),
        ("due 14 days starting today", "2025-11-04", True),
        ("back mon 27. Call Ann then", "2025-10-27", False),
        ("Mathe in der 3. Stunde entfällt heute", "2025-10-20", False),
    ],
)
def test_a_date_is_flagged_only_if_no_reading_of_the_words_holds_it(
    said: str, value: object, *, wrong: bool
) -> None:
    assert flagged(said, value) is wrong


@pytest.mark.parametrize(
    ("name", "day", "severity"),
    [
        ("firstDayBack", "2025-10-25", Severity.WARNING),
        ("lastDay", "2025-10-23", Severity.WARNING),
        ("letzterTag", "2025-10-23", Severity.WARNING),
        ("lastDay", "2025-10-22", Severity.ERROR),
        ("day", "2025-10-25", Severity.ERROR),
        ("firstDayBack", "2025-10-25T09:00:00-04:00", Severity.ERROR),
    ],
)
def test_a_first_or_last_day_may_be_counted_in_or_not(
    name: str, day: str, severity: Severity
) -> None:
    (finding,) = dates_as_said()(moved("Pause it on Friday", {name: day}))

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("said", "day", "severity"),
    [
        (
            "The lunch was on Thursday. Move the dinner to Friday.",
            "2025-10-23",
            Severity.WARNING,
        ),
        ("The lunch was on Thursday. Move the dinner to Friday.", "2025-10-29", Severity.ERROR),
        ("Extend the hire by 3 working days, it ends on Thursday", "2025-10-28", Severity.WARNING),
        ("Extend the hire, it ends on Thursday", "2025-10-28", Severity.ERROR),
        ("Move it to the first Thursday after the holidays", "2025-11-20", Severity.WARNING),
        (
            "Call on the next business day, Tuesday is a holiday",
            "2025-10-28",
            Severity.WARNING,
        ),
        (
            "Die Miete um 3 Werktage verlängern, sie endet am Donnerstag",
            "2025-10-28",
            Severity.WARNING,
        ),
    ],
)
def test_a_day_of_another_clause_or_one_that_may_be_reckoned_is_a_warning(
    said: str, day: str, severity: Severity
) -> None:
    (finding,) = dates_as_said()(moved(said, {"title": "dinner", "day": day}))

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("name", "severity"), [("execution_date", Severity.WARNING), ("due_date", Severity.ERROR)]
)
def test_another_field_of_what_is_acted_on_may_give_the_day(name: str, severity: Severity) -> None:
    due = {"invoice_id": "i1", "due": "2025-10-29"}
    listed = ran("list_invoices", result=[due, {"invoice_id": "i2", "due": "2025-11-29"}])
    pay = ran("pay", {"invoice_id": "i1", name: "2025-10-29"})
    said = "Pay it when it is due, and tell Ann tomorrow"

    (finding,) = dates_as_said()(attempt(said, listed, pay, zone="America/New_York"))

    assert finding.severity is severity


def test_what_a_call_itself_returned_gives_no_day() -> None:
    listed = ran("find_events", result=[{"id": "e1", "title": "Dinner", "start": "2025-10-22"}])
    moved = {"id": "e1", "title": "Dinner", "day": "2025-10-25"}
    move = ran("update_event", {"id": "e1", "start": "2025-10-25"}, result=moved)
    again = ran("update_event", {"id": "e1", "start": "2025-10-25"}, result=moved)
    tried = attempt("Move dinner to Friday", listed, move, again, zone="America/New_York")

    assert {each.severity for each in dates_as_said()(tried)} == {Severity.ERROR}


def test_a_field_of_another_object_gives_no_day() -> None:
    dinner = {"id": "e1", "title": "Dinner", "start": "2025-10-22"}
    trip = {"id": "e2", "title": "Trip", "start": "2025-10-24", "end": "2025-10-25"}
    listed = ran("find_events", result=[dinner, trip])
    move = ran("update_event", {"id": "e1", "start": "2025-10-25"})

    (finding,) = dates_as_said()(
        attempt("Move dinner to Friday", listed, move, zone="America/New_York")
    )

    assert finding.severity is Severity.ERROR


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
        ("log my run on Friday", "2025-10-17", False),
        ("we already had dinner on Friday", "2025-10-17", False),
        ("dinner last Friday", "2025-10-17", False),
        ("the mail from Friday", "2025-10-17", False),
    ],
)
def test_of_two_sides_the_one_that_is_over_is_wrong_unless_the_past_is_spoken_of(
    said: str, value: str, *, over: bool
) -> None:
    findings = list(dates_as_said()(moved(said, {"day": value})))

    assert [each.rule for each in findings] == (["date.in_the_past"] if over else [])


def test_what_lies_ahead_is_named_first_and_alone_where_the_other_is_over() -> None:
    [unsaid] = dates_as_said()(moved("dinner on Friday, please", {"day": "2025-10-23"}))
    [over] = dates_as_said()(moved("dinner on Friday, please", {"day": "2025-10-17"}))

    assert "can mean Friday 2025-10-24 or Friday 2025-10-17" in unsaid.issue
    assert unsaid.correction == "Use Friday 2025-10-24 or Friday 2025-10-17 for day."
    assert over.correction == "Use Friday 2025-10-24 for day."


def test_of_a_message_too_long_to_read_it_is_said_that_its_dates_were_not_checked() -> None:
    said = "move dinner to friday " + "x" * 20_000

    (finding,) = dates_as_said()(moved(said, {"day": "2025-10-25"}))

    assert finding.rule == "date.not_checked"
    assert finding.severity is Severity.WARNING
    assert "2025-10-25" in finding.issue
    assert "20,022 characters" in finding.issue


def wrong(message: str, day: str) -> bool:
    """Whether a day is flagged that was given after a message of Sunday 2026-11-15, in Berlin."""
    sunday = datetime(2026, 11, 15, 11, 0, tzinfo=UTC)
    turn = Turn(id="t", message=message, now=sunday, timezone="Europe/Berlin")
    return bool(list(dates_as_said()(Attempt(turn=turn, executions=(ran("set", {"day": day}),)))))


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("Move Friday's dinner two days later", "2026-11-22"),
        ("Meet a week on Friday", "2026-11-27"),
        ("Dinner on Friday, brunch the morning after", "2026-11-21"),
        ("Dinner on Friday, back home the next morning", "2026-11-21"),
        ("Arrive on Friday, stay two nights", "2026-11-22"),
        ("Book a three-night stay on Friday", "2026-11-23"),
        ("Brunch the next day, after dinner on Friday", "2026-11-21"),
        ("Arrive on Friday the 27th, leave the Sunday after", "2026-11-29"),
        ("Dinner on Friday. We eat at 7. Remind me the day before.", "2026-11-19"),
        ("Move the dinner two days later", "2026-11-28"),
    ],
)
def test_a_day_reckoned_from_another_day_that_is_named_is_not_flagged(
    message: str, day: str
) -> None:
    assert not wrong(message, day)


@pytest.mark.parametrize(
    "message",
    [
        "Meet in two days",
        "Meet on Friday, remind me in two days",
        "Meet a week on Friday",
        "Dinner on Friday, remind me the day before",
        "Good morning! Book a table for two on Friday after 7",
        "Book a two hour meeting on Friday",
    ],
)
def test_a_day_reckoned_from_now_or_from_what_is_told_is_still_held_to_it(message: str) -> None:
    assert wrong(message, "2026-12-02")


WEDNESDAY = datetime(2025, 10, 22, 10, 15, tzinfo=UTC)


def find_rules(
    said: str, *dates: str, tool: str = "book", read: tuple[object, ...] = (), **more: str
) -> list[str]:
    """What is found of a call that was given a start and an end, on a Wednesday, in UTC."""
    given = {**dict(zip(("start", "end"), dates, strict=False)), **more}
    turn = Turn(id="t", message=said, now=WEDNESDAY, timezone="UTC", known={"locale": "en-US"})
    looked = tuple(ran("look", result=each) for each in read)
    call = ran(tool, given)
    tried = Attempted(turn=turn, executions=(*looked, call), acted=frozenset({call.call.id}))
    return [finding.rule for finding in dates_as_said()(tried)]


@pytest.mark.parametrize(
    ("said", "value", "unsaid"),
    [
        ("tonight", "2025-10-23T01:00", False),
        ("tonight", "2025-10-23T18:00", True),
        ("10pm to 6am tomorrow", "2025-10-22T22:00", False),
        ("10pm to 6am tomorrow", "2025-10-23T22:00", False),
        ("10pm to 6am tomorrow", "2025-10-24T22:00", True),
        ("less than 3 months ago", "2025-09-01", False),
        ("less than 3 months ago", "2025-07-01", True),
        ("more than 3 weeks ago", "2025-01-01", False),
        ("more than 3 weeks ago", "2025-10-20", True),
        ("less than 2 weeks from now", "2025-11-30", True),
    ],
)
def test_a_date_lies_in_what_was_said_or_not(said: str, value: str, *, unsaid: bool) -> None:
    assert find_rules(said, value) == ["date.not_as_said"] * unsaid


@pytest.mark.parametrize(
    ("said", "start", "end", "count"),
    [
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-07", 0),
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-08", 0),
        ("from Nov 3 to Nov 7", "2025-11-04", "2025-11-07", 1),
        ("from Nov 3 to Nov 7", "2025-11-03", "2025-11-06", 1),
        ("from Nov 3 to Nov 7", "2025-11-04T10:00", "2025-11-04T11:00", 0),
        ("between Nov 3 and Nov 7", "2025-11-04", "2025-11-06", 0),
    ],
)
def test_what_lasts_for_days_begins_and_ends_as_it_was_said(
    said: str, start: str, end: str, count: int
) -> None:
    assert find_rules(said, start, end) == ["date.not_as_said"] * count


@pytest.mark.parametrize(
    ("said", "value", "rules"),
    [
        ("Dinner on 10/17", "2025-10-17", []),
        ("Dinner on Friday", "2025-10-17", ["date.in_the_past"]),
        ("I can't do Thursday, reschedule it", "2025-10-23T12:00", ["date.not_as_said"]),
        ("I can't do Thursday, reschedule it", "2025-10-24T12:00", []),
        ("I can't do Thursday, reschedule it", "2025-10-30T12:00", []),
        ("Not on Thursday at noon, on Thursday at six", "2025-10-23T18:00", []),
    ],
)
def test_a_day_that_was_ruled_out_or_is_over_is_flagged_for_an_object_that_is_there(
    said: str, value: str, rules: list[str]
) -> None:
    assert find_rules(said, value, event_id="e1") == rules


@pytest.mark.parametrize(
    ("said", "value", "untold"),
    [
        ("Dinner at 7pm", "2025-10-22T19:00", False),
        ("Dinner at 7pm", "2025-10-23T19:00", False),
        ("Dinner at 7pm", "2025-10-27T19:00", True),
        ("Dinner at 7pm", "2025-10-27", False),
        ("Dinner", "2025-10-27T19:00", False),
        ("Dinner 27 loka at 7pm", "2025-10-27T19:00", False),
    ],
)
def test_a_new_thing_without_a_day_is_for_today_or_tomorrow(
    said: str, value: str, *, untold: bool
) -> None:
    assert find_rules(said, value) == ["date.day_not_said"] * untold


FRI, SAT, SUN, MON = "2025-10-24", "2025-10-25", "2025-10-26", "2025-10-27"


@pytest.mark.parametrize(
    ("said", "title", "right", "wrong"),
    [
        ("If I met nobody in the past week, book a call for Friday", "", FRI, SAT),
        ("If I met nobody in a few days, book a call for Friday", "", FRI, SAT),
        ("I missed yoga yesterday, book it for Friday", "yoga", FRI, SAT),
        ("Move dinner from Wednesday to Friday", "", FRI, "2025-10-29"),
        ("I can't do Thursday, move dinner to Friday", "", FRI, SAT),
        ("Thursday doesn't work. Book it on Tuesday", "", "2025-10-28", "2025-10-23"),
        ("Book it for Friday, not Thursday", "", FRI, "2025-10-23"),
        ("Sushi Friday, waffles Saturday", "sushi", FRI, SAT),
        ("Sushi Friday, waffles Saturday", "waffle brunch", SAT, FRI),
        ("Sushi Friday, waffles Saturday", "meal", SAT, SUN),
        ("Check Thursday and book the gym for Friday", "", FRI, "2025-10-23"),
        ("Create a task with a deadline of Friday if it fell since Monday", "", FRI, MON),
        ("The talk is on Monday. Remind me on Sunday", "talk", MON, FRI),
        # Uncertain: a request without a day can be about any day of the message.
        ("Mia is here on Saturday. Book the zoo", "", SAT, "2025-11-12"),
        ("Find a slot on Monday and book it", "", MON, "2025-11-12"),
        ("Book the flat every Monday", "", MON, None),
        ("Don't forget Friday, and book a call for Monday", "", MON, "2025-11-12"),
    ],
)
def test_a_call_is_held_to_the_clauses_that_can_ask_for_it(
    said: str, title: str, right: str, wrong: str | None
) -> None:
    assert find_rules(said, right, title=title) == []
    assert find_rules(said, wrong or "2025-11-12", title=title) == (
        ["date.not_as_said"] if wrong else []
    )


def test_a_name_that_a_tool_returned_says_no_time() -> None:
    event = {"id": "ab12", "title": "Friday review", "weekday": "next Friday", "owner_id": 7}

    named = find_rules("Move the Friday review to Monday", MON, read=([event],), event_id="ab12")
    wrong = find_rules("Move the Friday review to Monday", FRI, read=([event],), event_id="ab12")

    assert (named, wrong) == ([], ["date.not_as_said"])


def test_a_name_that_a_fact_tells_says_no_time() -> None:
    told = Fact(kind="object.title", subject="x", value="Friday review", about="")
    move = ran("move", {"event_id": "x", "day": "2025-10-24"})

    said = "Move the Friday review to Monday"

    assert [each.rule for each in dates_as_said()(attempt(said, move, facts=[told]))] == [
        "date.not_as_said"
    ]
