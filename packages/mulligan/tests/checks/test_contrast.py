"""Which of several things that stand in one list was meant, by what tells them apart."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.checks.contrast import contrasted
from mulligan.types.call import Execution
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


TITLES = contrasted({"delete_event": ["event_id"]})
LISTED = ran(
    "list_events",
    result=[
        {"id": "k7", "title": "Dinner with Ann", "location": "Luigi's"},
        {"id": "p2", "title": "Plumber", "location": "home"},
        {"id": "m1", "title": "Team meeting"},
    ],
)


def delete(event_id: str) -> Execution:
    return ran("delete_event", {"event_id": event_id})


def test_another_object_than_the_named_one_is_an_error_with_the_right_id() -> None:
    (finding,) = TITLES(attempt("Delete the dinner", LISTED, delete("p2")))

    assert (finding.rule, finding.severity) == ("object.not_as_said", Severity.ERROR)
    assert finding.correction == "Give event_id=k7."


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("Lösche das Abendessen", True),
        ("Lösche alles außer dem Abendessen", False),
        ("Supprime tout sauf le dîner Abendessen avec les amis", False),
    ],
)
def test_another_language_has_words_of_its_own_or_is_left_alone(
    said: str, *, flagged: bool
) -> None:
    held = [{"id": "k7", "title": "Abendessen"}, {"id": "p2", "title": "Plumber"}]
    looked, dropped = ran("list_events", result=held), ran("delete_event", {"event_id": "p2"})

    found = list(contrasted({"delete_event": ["event_id"]})(attempt(said, looked, dropped)))

    assert bool(found) is flagged


@pytest.mark.parametrize(("order_id", "flagged"), [("A1", True), ("A2", False)])
def test_things_that_were_read_one_by_one_are_held_against_each_other(
    order_id: str, *, flagged: bool
) -> None:
    lamp = ran("get_order", {"order_id": "A1"}, result={"order_id": "A1", "item": "desk lamp"})
    chair = ran("get_order", {"order_id": "A2"}, result={"order_id": "A2", "item": "oak chair"})
    tried = attempt("Cancel the chair", lamp, chair, ran("cancel", {"order_id": order_id}))

    found = list(contrasted({"cancel": ["order_id"]})(tried))

    assert [each.correction for each in found] == (["Give order_id=A2."] if flagged else [])


@pytest.mark.parametrize(
    ("said", "flagged"),
    [("Point shop.office.io there, dev is done", False), ("Point the dev shop there", True)],
)
def test_what_was_said_by_its_whole_name_is_meant(said: str, *, flagged: bool) -> None:
    zones = ran(
        "list_zones",
        result=[
            {"zone_id": "z1", "name": "office.io"},
            {"zone_id": "z2", "name": "office.dev"},
        ],
    )

    found = list(
        contrasted({"point": ["zone_id"]})(attempt(said, zones, ran("point", {"zone_id": "z1"})))
    )

    assert bool(found) is flagged
