"""The object that a call acts on, against what the person called it."""

from __future__ import annotations

import pytest

from mulligan.checks.ids import OBJECT
from mulligan.checks.objects import titles_as_said
from mulligan.types.call import Execution
from mulligan.types.finding import Fact, Severity
from tests.checks.attempts import attempt, ran

CHECK = titles_as_said({"delete_event": ["event_id"]})
FOUND = ran(
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
    (finding,) = CHECK(attempt("Delete the dinner", FOUND, delete("p2")))

    assert (finding.rule, finding.severity) == ("object.not_as_said", Severity.ERROR)
    assert finding.correction == "Give event_id=k7."


@pytest.mark.parametrize(
    ("said", "event_id"),
    [
        ("Delete the dinner", "k7"),
        ("Delete the thing at Luigi's", "k7"),
        ("Delete my next meeting", "p2"),
        ("Delete p2", "p2"),
        ("Delete everything but the dinner", "p2"),
        ("Delete the yoga class", "p2"),
        ("Cancel it", "p2"),
    ],
)
def test_what_may_have_been_meant_is_left_alone(said: str, event_id: str) -> None:
    assert not list(CHECK(attempt(said, FOUND, delete(event_id))))


def test_an_object_known_from_facts_is_held_against_the_words_too() -> None:
    fact = Fact(kind=f"{OBJECT}title", subject="x9", value="Dentist", about="It is Dentist.")

    found = list(CHECK(attempt("Delete the dinner", FOUND, delete("x9"), facts=[fact])))

    assert [each.rule for each in found] == ["object.not_as_said"]


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

    found = list(titles_as_said({"delete_event": ["event_id"]})(attempt(said, looked, dropped)))

    assert bool(found) is flagged
