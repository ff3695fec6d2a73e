"""Which of several things that stand in one list was meant, by what tells them apart."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.checks.contrast import contrasted
from mulligan.types.finding import Severity
from mulligan.types.turn import History
from tests.checks.attempts import Attempt, attempt, ran

PEOPLE = ran(
    "find_people",
    result=[
        {"id": "u1", "name": "Jonas Brandt", "team": "Sales", "email": "jb@home.example"},
        {"id": "u2", "name": "Jonas Brand", "team": "Accounting", "email": "jo@home.example"},
        {"id": "u3", "name": "Ingrid Maier", "team": "Sales", "email": "im@home.example"},
    ],
)
EVENTS = ran(
    "list_events",
    result=[
        {"id": "e1", "title": "Swimming Leo", "start": "2026-11-20T16:00"},
        {"id": "e2", "title": "Swimming Mia", "start": "2026-11-20T17:00"},
        {"id": "e3", "title": "Call with Bob", "start": "2026-11-20T18:00"},
    ],
)
FLATS = ran(
    "list_flats",
    result={
        "flats": [
            {"flat": "3B", "tenant": "Duarte", "phone": "020 7946 0358"},
            {"flat": "3C", "tenant": "Lowe", "phone": "020 7946 0385"},
        ]
    },
)
CHECK = contrasted({"act": ["id", "to"], "order": ["phone"], "assign": ["event_id"]})


def rules(said: str, *executions) -> list[str]:
    return [each.rule for each in CHECK(attempt(said, *executions))]


OTHER = ["object.not_as_said"]


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("Add Jonas from accounting", "u1", OTHER),
        ("Add Jonas from accounting", "u2", []),
        ("Write to Jonas in accounting, not the one in sales", "u1", OTHER),
        ("Write to Jonas in accounting, not the one in sales", "u2", []),
        ("Add Ingrid", "u1", OTHER),
        # Two of them fit alike, or nothing was said of any.
        ("Add Jonas", "u1", []),
        ("Add somebody from sales", "u3", []),
        ("Add her", "u1", []),
        # What was said itself, or is picked in another way.
        ("Add u1, Ingrid knows why", "u1", []),
        ("Add the first one, Ingrid knows why", "u1", []),
        ("Add all of sales, Ingrid knows why", "u1", []),
        # Forms of a word stand for it only where the word itself stands nowhere.
        ("Add the accountant", "u1", OTHER),
        ("Nimm den Jonas aus dem Accounting", "u1", OTHER),
    ],
)
def test_the_words_for_another_one_speak_against_it(
    said: str, given: str, found: list[str]
) -> None:
    assert rules(said, PEOPLE, ran("act", {"id": given})) == found


def test_a_mailbox_names_its_row_too() -> None:
    assert rules("Tell Ingrid", PEOPLE, ran("act", {"to": "jb@home.example"})) == OTHER
    assert rules("Tell Ingrid", PEOPLE, ran("act", {"to": "im@home.example"})) == []


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("No swimming for Mia this week. Leo still goes!", "e1", OTHER),
        ("No swimming for Mia this week. Leo still goes!", "e2", []),
        ("Schwimmen für Mia fällt aus, Leo bleibt", "e1", OTHER),
        ("Cancel the call except the one of Leo", "e1", OTHER),
        # It is changed, and only its day stays.
        ("The call with Bob stays on Friday, make it an hour", "e3", []),
        ("Not the best idea to swim, cancel Leo", "e1", []),
    ],
)
def test_what_is_ruled_out_or_stays_is_left_alone(said: str, given: str, found: list[str]) -> None:
    assert rules(said, EVENTS, ran("act", {"id": given})) == found


def test_words_that_a_call_was_given_otherwise_speak_for_no_row() -> None:
    assign = ran("assign", {"event_id": "e1", "owner": "Bob"})

    assert rules("Give that one to Bob", EVENTS, assign) == []
    assert rules("Give that one to Bob", EVENTS, ran("assign", {"event_id": "e1"})) == OTHER


def test_another_one_that_was_acted_on_as_well_is_none_that_was_meant_instead() -> None:
    both = [ran("act", {"id": each}) for each in ("e1", "e3")]

    assert rules("Cancel the early thing and the call with Bob", EVENTS, *both) == []


def test_earlier_words_of_a_conversation_may_have_chosen() -> None:
    tried = attempt("And tell Bob", EVENTS, ran("act", {"id": "e1"}))
    talk = History([{"role": "user", "content": "When is Leo swimming?"}])
    later = Attempt(turn=replace(tried.turn, history=talk), executions=tried.executions)

    assert list(CHECK(tried))
    assert not list(CHECK(later))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"flat": "3B", "tenant": "Duarte", "phone": "020 7946 0385"}, ["object.mixed"]),
        ({"flat": "3B", "tenant": "Duarte", "phone": "020 7946 0358"}, []),
        ({"flat": "3B", "phone": "020 7946 0385"}, []),
    ],
)
def test_a_value_of_another_row_than_all_the_others_is_odd(given: dict, found: list[str]) -> None:
    assert rules("Send somebody for the boiler", FLATS, ran("order", given)) == found


def test_the_parts_of_an_answer_are_no_rows() -> None:
    login = ran("log_in", result={"input": {"user": "bob"}, "output": {"id": "t1"}})

    assert rules("I am bob", login, ran("act", {"id": "t1"})) == []


def test_a_finding_says_what_was_said_of_what() -> None:
    (found,) = CHECK(attempt("Add Ingrid", PEOPLE, ran("act", {"id": "u1"})))

    assert found.severity is Severity.ERROR
    assert found.issue.endswith('which is “Jonas Brandt”; "ingrid" is said of “Ingrid Maier”.')
