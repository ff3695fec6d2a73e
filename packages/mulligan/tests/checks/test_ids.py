"""Ids: their form, ids built from other values, ids of no object, and the id that was meant."""

from __future__ import annotations

import pytest

from mulligan.checks.ids import (
    EMAIL,
    GOOGLE_CALENDAR,
    MICROSOFT_GRAPH,
    UUID,
    Form,
    exists,
    ids_read,
    not_glued,
    well_formed,
)
from mulligan.checks.provenance import ids_seen, suggest_id
from mulligan.checks.subject import Argument
from mulligan.types.call import Execution, Outcome
from tests.checks.attempts import attempt, gathered, ran

IDS = {"update": ["event_id"]}


def update(event_id: object, *, outcome: Outcome = Outcome.SUCCESS, **others: object):
    return ran("update", {"event_id": event_id, **others}, outcome=outcome)


@pytest.mark.parametrize(
    ("form", "value", "possible"),
    [
        (GOOGLE_CALENDAR, "l16venr5bq2eh1cn14f4kjjvlk", True),
        (GOOGLE_CALENDAR, "l16venr5bq2eh1cn14f4kjjvlk_20251022T190000Z", True),
        (
            GOOGLE_CALENDAR,
            "_60q30c1g60o30e1i60o4ac1g60rj8gpl88rj2c1h84s34h9g60s30c1g60o30c1g",
            True,
        ),
        (GOOGLE_CALENDAR, "a" * 1025, False),
        (GOOGLE_CALENDAR, "wxyz12345", False),
        (GOOGLE_CALENDAR, "L16VENR5BQ2EH1CN14F4KJJVLK", False),
        (GOOGLE_CALENDAR, "familyID20251022T190000Game Night with Family", False),
        (GOOGLE_CALENDAR, "l16venr5bq2eh1cn14f4kjjvlk\n", False),
        (MICROSOFT_GRAPH, "AAMkAGI2TG93AAA_" * 8 + "=", True),
        (MICROSOFT_GRAPH, "dinner", False),
        (UUID, "123e4567-e89b-12d3-a456-426614174000", True),
        (UUID, "123e4567-e89b-12d3-a456", False),
        (EMAIL, "ann@example.com", True),
        (EMAIL, "participant_email", False),
        (Form(name="a ticket", pattern=r"T-\d+"), "T-12", True),
        (Form(name="a ticket", pattern=r"T-\d+"), "T-12x", False),
    ],
)
def test_an_id_is_flagged_only_when_the_provider_can_never_have_given_it_out(
    form: Form, value: str, *, possible: bool
) -> None:
    findings = list(well_formed(form, IDS)(attempt("Move game night", update(value))))

    assert (findings == []) is possible
    assert all(form.name in finding.issue for finding in findings)


@pytest.mark.parametrize(
    ("value", "glued"),
    [
        ("familyID20251022T190000Game Night with Family", True),
        ("dinner20251024", True),
        ("gamenight", True),
        ("xk-picnic-7", True),
        ("l16venr5bq2eh1cn14f4kjjvlk", False),
        ("00001234", False),
        ("game", False),
    ],
)
def test_an_id_made_from_words_and_dates_is_flagged(value: str, *, glued: bool) -> None:
    tried = attempt("Move the game to Friday", update(value, title="Picnic in the park"))

    assert bool(list(not_glued(IDS)(tried))) is glued


def test_an_id_that_looks_glued_but_was_returned_is_how_that_system_makes_them() -> None:
    found = ran("search", result=[{"id": "game-2025-10-22"}])

    assert not list(not_glued(IDS)(attempt("Move the game", found, update("game-2025-10-22"))))


def test_a_reader_tells_what_is_there_and_what_it_holds() -> None:
    objects = {"ev1": {"start": "2025-10-24", "notes": "private", "room": None}}
    tried = attempt("Move it", update("ev1"), update("ev2"), update("ev1"))

    facts = gathered(ids_read(IDS, read=objects.get, fields=("start", "room")), tried)

    assert [(f.kind, f.subject, f.value) for f in facts] == [
        ("id.exists", "ev1", "yes"),
        ("object.start", "ev1", "2025-10-24"),
        ("id.exists", "ev2", "no"),
    ]
    assert "private" not in str(facts)


def test_a_reader_that_fails_gives_no_fact_and_costs_no_other() -> None:
    async def read(value: str) -> object:
        if value == "ev1":
            raise TimeoutError
        return None

    facts = gathered(ids_read(IDS, read=read), attempt("Move", update("ev1"), update("ev2")))

    assert [f.subject for f in facts] == ["ev2"]


def test_a_call_that_is_about_to_act_on_nothing_is_flagged_and_one_that_ran_knows_better() -> None:
    to_run = update("ev2", outcome=Outcome.UNKNOWN)
    facts = gathered(ids_read(IDS, read=lambda _: None), attempt("Move it", to_run))

    (finding,) = exists(IDS)(attempt("Move it", to_run, facts=facts))

    assert finding.rule == "id.unknown"
    assert list(exists(IDS)(attempt("Move it", update("ev2"), facts=facts))) == []
    assert list(exists(IDS)(attempt("Move it", to_run))) == []


EVENT_IDS = {"delete_event": ["event_id"]}
FOUND = ran(
    "list_events",
    result=[{"id": "k7", "title": "Dinner with Ann"}, {"id": "p2", "title": "Plumber"}],
)


def delete(event_id: str) -> Execution:
    return ran("delete_event", {"event_id": event_id})


def test_an_id_glued_from_words_is_answered_with_the_one_that_was_returned() -> None:
    tried = attempt("Delete the dinner", FOUND, delete("dinner-2025-10-22"))

    (glued,) = not_glued(EVENT_IDS)(tried)
    (unseen,) = ids_seen(EVENT_IDS)(tried)

    assert glued.correction is not None
    assert "event_id=k7" in glued.correction
    assert unseen.correction == glued.correction


def test_the_words_of_the_request_tell_where_those_of_the_id_do_not() -> None:
    tried = attempt("Delete the plumber", FOUND, delete("evt_2025"))

    said = suggest_id(Argument(tried.executions[-1], "event_id", "evt_2025"), tried)

    assert "event_id=p2" in said


def test_what_a_call_has_made_of_an_invented_id_is_not_offered_in_its_place() -> None:
    made = {"id": "dinner-7", "title": "Dinner"}
    tried = attempt("Delete the dinner", ran("delete_event", {"event_id": "dinner-7"}, result=made))

    (unseen,) = ids_seen(EVENT_IDS)(tried)

    assert unseen.correction == "Look the id up first, and use the one that comes back."
