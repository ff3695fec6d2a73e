"""Which object was meant by an id that is none."""

from __future__ import annotations

from mulligan.checks.ids import not_glued, suggest_id
from mulligan.checks.provenance import ids_seen
from mulligan.checks.subject import Argument
from mulligan.types.call import Execution
from tests.checks.attempts import attempt, ran

IDS = {"delete_event": ["event_id"]}
FOUND = ran(
    "list_events",
    result=[{"id": "k7", "title": "Dinner with Ann"}, {"id": "p2", "title": "Plumber"}],
)


def delete(event_id: str) -> Execution:
    return ran("delete_event", {"event_id": event_id})


def test_an_id_glued_from_words_is_answered_with_the_one_that_was_returned() -> None:
    tried = attempt("Delete the dinner", FOUND, delete("dinner-2025-10-22"))

    (glued,) = not_glued(IDS)(tried)
    (unseen,) = ids_seen(IDS)(tried)

    assert glued.correction is not None
    assert "event_id=k7" in glued.correction
    assert unseen.correction == glued.correction


def test_the_words_of_the_request_tell_where_those_of_the_id_do_not() -> None:
    tried = attempt("Delete the plumber", FOUND, delete("evt_2025"))

    said = suggest_id(Argument(tried.executions[-1], "event_id", "evt_2025"), tried)

    assert "event_id=p2" in said


def test_of_two_that_fit_none_is_suggested() -> None:
    both = ran("list", result=[{"id": "a", "title": "Dinner"}, {"id": "b", "title": "Dinner"}])
    tried = attempt("Delete the dinner", both, delete("dinner-1"))

    assert suggest_id(Argument(tried.executions[-1], "event_id", "dinner-1"), tried) == ""


def test_what_came_back_as_text_is_read_too() -> None:
    text = ran("list", result='[{"id": "k7", "title": "Dinner"}]')
    tried = attempt("Delete the dinner", text, delete("dinner-1"))

    assert "k7" in suggest_id(Argument(tried.executions[-1], "event_id", "dinner-1"), tried)
