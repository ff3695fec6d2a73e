"""The object that a call acts on, against what the person said of it."""

from __future__ import annotations

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.checks.ids import ids_read
from mulligan.checks.objects import (
    ends_as_said,
    made_anew,
    names_as_said,
    on_objects,
    owners_as_said,
    same_as_named,
    still_to_come,
)
from mulligan.checks.parameters import ToolShape, read_kinds
from mulligan.checks.subject import people_named
from mulligan.types.call import Execution
from tests.checks.attempts import Attempt, attempt, gathered, ran

IDS = {"delete": ["event_id"], "update": ["event_id"]}
TASKS = {"close": ["task_id"]}
OVER = {"event_id": "ev1", "start": "2025-10-06T10:00", "owner": "ann.lee@office.org"}
TO_COME = {"event_id": "ev2", "start": "2025-10-24T10:00", "owner": "bob.ray@office.org"}
MEETINGS = ran("search", result=[OVER, TO_COME])
PEOPLE = people_named(lambda: ["ann.lee@office.org", "bob.ray@office.org"])


def deleting(said: str, event_id: str) -> Attempt:
    facts = gathered(PEOPLE, attempt(said))
    return attempt(said, MEETINGS, ran("delete", {"event_id": event_id}), facts=facts)


@pytest.mark.parametrize(
    ("said", "event_id", "flagged"),
    [
        ("Delete all future meetings", "ev1", True),
        ("Cancel my meetings", "ev1", True),
        ("Delete all future meetings", "ev2", False),
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

    assert list(check(attempt("Cancel it", MEETINGS, moved, call))) == []
    assert len(list(check(attempt("Cancel it", MEETINGS, call, moved)))) == 1
    assert len(list(check(attempt("Cancel it", call, earlier=[MEETINGS])))) == 1


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

    assert list(check(attempt("Move it to Friday", MEETINGS, move))) == []


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
        ("Close the task Bob asked for", "ann.lee@office.org", False),
        ("Close Zoe's tasks", "ann.lee@office.org", False),
        ("Read Bob's task and close my own", "ann.lee@office.org", False),
        ("Close Bob's tasks", "zoe@client.com", False),
    ],
)
def test_another_owners_object_is_flagged_where_the_person_named_the_owner(
    said: str, owner: str, *, flagged: bool
) -> None:
    findings = list(owners_as_said(TASKS)(closing(said, owner)))

    assert [finding.rule for finding in findings] == ["object.of_somebody_else"] * flagged


@pytest.mark.parametrize(
    "said",
    [
        "Delete the sync with Bob, we settled it yesterday",
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


TOOLS = {
    each.tool: each
    for each in (
        read_kinds(
            ToolShape(tool="post_message", schema={"properties": {"channel": {}, "body": {}}})
        ),
        read_kinds(ToolShape(tool="create_file", schema={"properties": {"filename": {}}})),
    )
}


def post(channel: str) -> Execution:
    return ran("post_message", {"channel": channel, "body": "Hi"})


@pytest.mark.parametrize(
    ("said", "channel", "flagged"),
    [
        ("Post hi to the 'random' channel", "general", True),
        ("Post hi to the 'random' channel", "random", False),
        ("Post hi to the channel 'random'", "general", True),
        ("Post what the 'news' channel has to general", "general", False),
        ("Post hi to all but the 'random' channel", "general", False),
        ("Post 'random' to a channel", "general", False),
    ],
)
def test_another_than_the_named_one_is_flagged(said: str, channel: str, *, flagged: bool) -> None:
    assert bool(list(names_as_said(TOOLS)(attempt(said, post(channel))))) is flagged


@pytest.mark.parametrize(("channel", "flagged"), [("c1", False), ("c2", True)])
def test_an_id_that_stands_beside_the_name_is_of_that_name(channel: str, *, flagged: bool) -> None:
    listed = ran("list_all", result=[{"id": "c1", "name": "random"}, {"id": "c2", "name": "tea"}])
    said = "Post hi to the 'random' channel"

    assert bool(list(names_as_said(TOOLS)(attempt(said, listed, post(channel))))) is flagged


FILES = ran("search_files", result=[{"id": "1", "filename": "notes.txt"}])


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("Append 'milk' to notes.txt", True),
        ("Add milk to my notes", True),
        ("Create notes.txt, and add milk to it", False),
        ("Look for 'add milk to' in the notes", False),
    ],
)
def test_what_was_to_be_changed_is_not_made_anew(said: str, *, flagged: bool) -> None:
    tried = attempt(said, FILES, ran("create_file", {"filename": "notes.txt"}))
    other = attempt(said, FILES, ran("create_file", {"filename": "new.txt"}))

    assert bool(list(made_anew(TOOLS)(tried))) is flagged
    assert not list(made_anew(TOOLS)(other))


SAME = same_as_named({"create_event": ["guests", "location"]})
SAID = "Create a review with the same guests as 'Kick-off'"
KICK_OFF = ran(
    "list_events",
    result=[
        {"title": "Kick-off", "guests": ["ann@x.org", "bob@x.org"]},
        {"title": "Lunch", "guests": ["eve@x.org"]},
    ],
)


def invite(*guests: str) -> Execution:
    return ran("create_event", {"title": "Review", "guests": list(guests)})


def test_the_same_are_content_and_others_are_flagged() -> None:
    assert not list(SAME(attempt(SAID, KICK_OFF, invite("ann@x.org", "bob@x.org"))))

    (finding,) = SAME(attempt(SAID, KICK_OFF, invite("ann@x.org", "eve@x.org")))

    assert finding.rule == "value.not_the_same"
    assert "eve@x.org" in finding.issue


def test_one_that_was_said_besides_is_content() -> None:
    said = f"{SAID}, and eve@x.org"

    assert not list(SAME(attempt(said, KICK_OFF, invite("ann@x.org", "eve@x.org"))))


def test_an_object_that_was_never_read_is_flagged() -> None:
    assert list(SAME(attempt(SAID, invite("ann@x.org"))))


@pytest.mark.parametrize(
    "before",
    [
        ran("read_mail", result="The Kick-off went well: ann@x.org was there."),
        ran("list", result=[{"title": "Kick-off"}]),
    ],
)
def test_where_it_was_met_otherwise_nothing_is_said(before: object) -> None:
    assert not list(SAME(attempt(SAID, before, invite("ann@x.org"))))  # type: ignore[arg-type]


ACCOUNTS = ran(
    "list_accounts",
    result=[
        {"account_id": "A1", "name": "Checking"},
        {"account_id": "A2", "name": "Savings"},
        {"account_id": "A3", "name": "Holiday fund"},
    ],
)


@pytest.mark.parametrize(
    ("said", "ends", "flagged"),
    [
        ("Move 20 from my savings to the holiday fund", ("A1", "A3"), 1),
        ("Move 20 from my savings to the holiday fund", ("A2", "A3"), 0),
        ("Put 20 from checking into savings", ("A2", "A1"), 2),
        ("Put 20 from checking into savings", ("A1", "A2"), 0),
        ("Move 20 to savings", ("A1", "A2"), 0),
        ("I got it from my holiday refund. Move 20 from checking to savings", ("A1", "A2"), 0),
        ("Top up the holiday fund for the trip to Savings Lake", ("A2", "A3"), 0),
    ],
)
def test_what_goes_out_of_one_into_another_keeps_its_direction(said, ends, flagged) -> None:
    given = {"from_account": ends[0], "to_account": ends[1]}
    tools = {"transfer": read_kinds(ToolShape(tool="transfer", schema={"properties": given}))}

    found = list(ends_as_said(tools)(attempt(said, ACCOUNTS, ran("transfer", given))))

    assert [each.rule for each in found] == ["object.not_as_said"] * flagged
