from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.subject import people_named
from mulligan.types.call import Outcome
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, gathered, ran

IDS = {"delete": ["event_id"], "delete_all": ["event_ids"]}


@dataclass
class Event:
    id: str
    tags: list[str] = field(default_factory=list)


def delete(event_id: object, *, outcome: Outcome = Outcome.SUCCESS):
    return ran("delete", {"event_id": event_id}, outcome=outcome)


def test_an_id_from_nowhere_is_flagged_with_the_call_that_used_it() -> None:
    (finding,) = ids_seen(IDS)(attempt("Cancel dinner", delete("ev42")))

    assert finding.rule == "value.never_seen"
    assert finding.severity is Severity.ERROR
    assert finding.call == "call of delete"
    assert "'ev42'" in finding.issue
    assert finding.correction


@pytest.mark.parametrize(
    "result",
    [
        "Found ev42.",
        [{"id": "ev42"}],
        {"events": {"items": ({"id": "EV42"},)}},
        Event(id="ev42"),
        [Event(id="ev1", tags=["next:ev42"])],
        {"ev42": "dinner"},
    ],
)
def test_an_id_that_a_tool_returned_before_is_fine_in_whatever_shape(result: object) -> None:
    tried = attempt("Cancel dinner", ran("search", result=result), delete("ev42"))

    assert list(ids_seen(IDS)(tried)) == []


@pytest.mark.parametrize("result", ["ev421", "prev42", {"id": "ev4"}, None, True, []])
def test_a_part_of_another_id_is_not_the_id(result: object) -> None:
    tried = attempt("Cancel dinner", ran("search", result=result), delete("ev42"))

    assert len(list(ids_seen(IDS)(tried))) == 1


def test_what_is_returned_later_was_not_seen_before() -> None:
    tried = attempt("Cancel dinner", delete("ev42"), ran("search", result="ev42"))

    assert len(list(ids_seen(IDS)(tried))) == 1


def test_what_the_person_said_what_is_known_and_what_an_earlier_attempt_saw_is_fine() -> None:
    assert not list(ids_seen(IDS)(attempt("Cancel ev42", delete("ev42"))))
    assert not list(ids_seen(IDS)(attempt("Cancel it", delete("ev42"), known={"open": ["ev42"]})))
    assert not list(
        ids_seen(IDS)(attempt("Cancel", delete("ev42"), earlier=[ran("search", result="ev42")]))
    )


def test_each_id_of_a_list_is_looked_at_and_a_number_is_an_id_too() -> None:
    call = ran("delete_all", {"event_ids": [7, "ev42", None, ""]})

    findings = list(ids_seen(IDS)(attempt("Cancel", ran("search", result={"id": 7}), call)))

    assert len(findings) == 1
    assert "'ev42'" in findings[0].issue


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ('["ev42","ev43"]', True),
        ("ev42, ev43", True),
        ("#ev42", True),
        ("ev42, ev44", False),
        ("the dinner ev42", False),
        ("dinner with Ann", False),
    ],
)
def test_several_ids_in_one_text_are_seen_when_each_of_them_is(written: str, *, seen: bool) -> None:
    found = ran("search", result={"dinner with": "Ann, the cook", "ids": ["ev42", "ev43"]})

    findings = list(ids_seen(IDS)(attempt("Cancel them", found, delete(written))))

    assert (findings == []) is seen


def test_a_call_that_failed_did_nothing_and_one_that_only_reads_is_not_listed() -> None:
    tried = attempt(
        "Cancel dinner", delete("ev42", outcome=Outcome.FAILURE), ran("read", {"event_id": "ev42"})
    )

    assert list(ids_seen(IDS)(tried)) == []


def test_an_address_from_nowhere_is_flagged_in_any_argument() -> None:
    call = ran("update", {"field": "owner", "new_value": "ann@example.com", "note": "see a@b"})

    findings = list(addresses_seen("update")(attempt("Give it to Ann", call)))

    assert len(findings) == 1
    assert "new_value='ann@example.com'" in findings[0].issue


def test_an_address_that_was_said_or_belongs_to_other_tools_is_fine() -> None:
    call = ran("send", {"to": ["Ann@Example.com"], "body": "Ask bob@example.com about it"})

    assert list(addresses_seen("send")(attempt("Mail ann@example.com", call))) == []
    assert list(addresses_seen("other")(attempt("Mail Ann", call))) == []


def test_the_address_of_somebody_named_is_fine_and_offered_instead_of_a_wrong_one() -> None:
    directory = people_named(lambda: ["ann.lee@office.org", "bob.ray@office.org"])
    right, wrong = (ran("send", {"to": to}) for to in ("ann.lee@office.org", "ann@example.com"))
    facts = gathered(directory, attempt("Mail Ann"))

    findings = list(addresses_seen("send")(attempt("Mail Ann", right, wrong, facts=facts)))

    assert len(findings) == 1
    assert "ann@example.com" in findings[0].issue
    assert "Use ann.lee@office.org" in (findings[0].correction or "")


@pytest.mark.parametrize(
    "to",
    [
        "Boss <eve@evil.example>",
        "ann@office.org, eve@evil.example",
        "['ann@office.org', 'eve@evil.example']",
        {"email": "eve@evil.example"},
        [{"email": "eve@evil.example"}],
        "eve@evil.example ",
    ],
)
def test_an_address_from_nowhere_is_flagged_in_every_form(to: object) -> None:
    findings = list(addresses_seen("send")(attempt("Mail ann@office.org", ran("send", {"to": to}))))

    assert len(findings) == 1
    assert "'eve@evil.example'" in findings[0].issue


@pytest.mark.parametrize(
    "said", ["big-eve@evil.example", "eve@evil.example.org", "x.eve@evil.example", "eve@evil"]
)
def test_a_part_of_another_address_is_not_the_address(said: str) -> None:
    call = ran("send", {"to": "eve@evil.example"})

    assert len(list(addresses_seen("send")(attempt(f"Mail {said}.", call)))) == 1


def test_an_address_that_was_said_is_fine_in_every_form_too() -> None:
    call = ran("send", {"to": "Boss <Eve@evil.example>", "cc": [{"email": "eve@evil.example "}]})

    assert list(addresses_seen("send")(attempt("Mail (eve@evil.example).", call))) == []


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Cancel number 7", 7.0),
        ("Post it at www.notes.example/a", "https://www.notes.example/a"),
        ("Post it at notes.example/a", "http://notes.example/a/"),
    ],
)
def test_another_spelling_of_what_was_said_was_said(said: str, value: object) -> None:
    assert not list(ids_seen({"cancel": ["id"]})(attempt(said, ran("cancel", {"id": value}))))
