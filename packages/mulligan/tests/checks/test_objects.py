from __future__ import annotations

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.checks.ids import ids_read
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.subject import people_named
from tests.checks.attempts import Attempt, attempt, gathered, ran

IDS = {"delete": ["event_id"], "update": ["event_id"]}
TASKS = {"close": ["task_id"]}
OVER = {"event_id": "ev1", "start": "2025-10-06T10:00", "owner": "ann.lee@office.org"}
TO_COME = {"event_id": "ev2", "start": "2025-10-24T10:00", "owner": "bob.ray@office.org"}
FOUND = ran("search", result=[OVER, TO_COME])
PEOPLE = people_named(lambda: ["ann.lee@office.org", "bob.ray@office.org"])


def deleting(said: str, event_id: str) -> Attempt:
    facts = gathered(PEOPLE, attempt(said))
    return attempt(said, FOUND, ran("delete", {"event_id": event_id}), facts=facts)


@pytest.mark.parametrize(
    ("said", "event_id", "flagged"),
    [
        ("Delete all future meetings", "ev1", True),
        ("Cancel my meetings", "ev1", True),
        ("Delete all future meetings", "ev2", False),
        ("Delete all future meetings", "ev3", False),
        ("Delete my meetings", "ev1", False),
        ("Cancel what is over", "ev1", False),
        ("Delete what 'future plans' says", "ev1", False),
    ],
)
def test_what_is_over_is_not_what_is_to_come(said: str, event_id: str, *, flagged: bool) -> None:
    findings = list(still_to_come(IDS, when="start")(deleting(said, event_id)))

    assert [finding.rule for finding in findings] == ["object.in_the_past"] * flagged


def test_an_object_that_no_tool_returned_is_known_by_its_facts() -> None:
    call = ran("delete", {"event_id": "ev1"})
    read = ids_read(IDS, read={"ev1": OVER}.get, fields=("start",))
    tried = attempt("Cancel it", call, facts=gathered(read, attempt("", call)))

    assert len(list(still_to_come(IDS, when="start")(tried))) == 1


def test_what_a_tool_returned_last_is_what_counts_and_not_what_came_after() -> None:
    moved = ran("read", result={"id": "ev1", "start": "2025-10-24"})
    call = ran("delete", {"event_id": "ev1"})

    check = still_to_come(IDS, when="start")

    assert list(check(attempt("Cancel it", FOUND, moved, call))) == []
    assert len(list(check(attempt("Cancel it", FOUND, call, moved)))) == 1
    assert len(list(check(attempt("Cancel it", call, earlier=[FOUND])))) == 1


def test_the_date_of_an_object_is_held_against_the_words_of_the_person() -> None:
    check = on_objects(dates_as_said(), IDS, when="start")

    (finding,) = check(deleting("Delete my meetings on Friday", "ev1"))

    assert finding.rule == "date.not_as_said"
    assert finding.call == "call of delete"
    assert "'ev1', whose start is 2025-10-06" in finding.issue
    assert list(check(deleting("Delete my meetings on Friday", "ev2"))) == []


def test_a_call_that_moves_an_object_is_not_held_to_where_it_was() -> None:
    move = ran("update", {"event_id": "ev1", "start": "2025-10-24"})

    check = on_objects(dates_as_said(), IDS, when="start")

    assert list(check(attempt("Move it to Friday", FOUND, move))) == []


def test_a_series_that_began_in_the_past_is_not_over() -> None:
    series = ran("search", result=OVER | {"recurrence": ["RRULE:FREQ=WEEKLY"]})
    tried = attempt("Cancel it", series, ran("delete", {"event_id": "ev1"}))

    assert list(still_to_come(IDS, when="start")(tried)) == []


def closing(said: str, owner: str) -> Attempt:
    found = ran("search", result=[{"task_id": 7, "owner": owner}])
    facts = gathered(PEOPLE, attempt(said))
    return attempt(said, found, ran("close", {"task_id": 7}), facts=facts)


@pytest.mark.parametrize(
    ("said", "owner", "flagged"),
    [
        ("Close Bob's tasks", "ann.lee@office.org", True),
        ("Close all of Bob\u2019s most urgent tasks", "Ann.Lee@office.org", True),
        ("Close Bob's tasks", "bob.ray@office.org", False),
        ("Give Bob's tasks to Ann", "bob.ray@office.org", False),
        ("Close the task Bob asked for", "ann.lee@office.org", False),
        ("Close Zoe's tasks", "ann.lee@office.org", False),
        ("Read Bob's mail and close the task in it", "ann.lee@office.org", False),
        ("Read Bob's task and close my own", "ann.lee@office.org", False),
        ("Close Bob's tasks", "zoe@client.com", False),
        ("Close Bob's tasks", "nobody", False),
    ],
)
def test_somebody_elses_object_is_flagged_where_the_person_said_whose(
    said: str, owner: str, *, flagged: bool
) -> None:
    findings = list(owners_as_said(TASKS)(closing(said, owner)))

    assert [finding.rule for finding in findings] == ["object.of_somebody_else"] * flagged


@pytest.mark.parametrize(
    "said",
    [
        "Delete the sync with Bob, we settled it yesterday",
        "Cancel the sync with Bob and set up a new one for the 28th at 8:30",
        "Remove the sync with Bob. Tomorrow I'm away.",
    ],
)
def test_a_day_that_another_clause_tells_is_not_the_object_s(said: str) -> None:
    found = ran("search", result=[{**TO_COME, "title": "Sync with Bob"}])
    check = on_objects(dates_as_said(), IDS, when="start")

    findings = check(attempt(said, found, ran("delete", {"event_id": "ev2"})))

    assert list(findings) == []


def test_a_day_in_the_clause_of_the_object_is_the_object_s() -> None:
    found = ran("search", result=[{**TO_COME, "title": "Sync with Bob"}])
    check = on_objects(dates_as_said(), IDS, when="start")
    said = "Cancel the sync with Bob on Thursday and tell Ann today"

    findings = check(attempt(said, found, ran("delete", {"event_id": "ev2"})))

    assert [finding.rule for finding in findings] == ["date.not_as_said"]
