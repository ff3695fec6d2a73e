"""What three repairs of a value in a wrong form teach: the same of five new values, or nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.mining import find_remedies, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import SOURCES, suggest_corrections
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import FailedCall
from tests.learning.cases import NOW, episode
from tests.learning.failures import failed, obj
from tests.learning.wrong_forms import FORMS, WrongForm

TAUGHT = 3


def refuse(form: WrongForm, value: object) -> FailedCall:
    """A call that a tool refuses for the form of one value; it may change something."""
    schema = obj(form.argument, **{form.argument: form.schema})
    error = form.error.format(value)
    return failed({form.argument: value}, error=error, schema=schema, effect=Effect.UNDECLARED)


def teach(form: WrongForm) -> Suggest:
    """What is remembered of the first three."""
    found = []
    for number, (before, after) in enumerate(form.values[:TAUGHT]):
        call = refuse(form, before)
        masked = mask_error(call.error, call.call.arguments)
        pattern = compute_fingerprint(call.call.tool, masked)
        remedies = find_remedies(call, {form.argument: after})
        found.append(
            episode(
                number,
                *remedies,
                tool=call.call.tool,
                fingerprint=pattern,
                template=masked,
                principal="",
            )
        )
    lessons = mine(found, at=NOW)
    return from_memory(lessons, chance=build_chance(Outcomes(), {}))


SILENT = ("list in text", "scheme missing", "state code", "name order")
"""A list has other elements than its text shows, two signs lead elsewhere, and what is no form."""
AMBIGUOUS = "US date to ISO"
"""Its last two values are other days in other countries."""


def ask(form: WrongForm) -> list[list[object]]:
    """For each new value, all that is proposed instead."""
    memory, found = teach(form), []
    for before, _ in form.values[TAUGHT:]:
        call = refuse(form, before)
        made = suggest_corrections(call, sources=(*SOURCES, memory))
        assert not any(each.patch.first or each.patch.tool for each in made)
        found.append([each.patch.apply(call.call.arguments)[form.argument] for each in made])
    return found


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.kind)
def test_three_repairs_teach_a_form_and_nothing_wrong(form: WrongForm) -> None:
    found = ask(form)

    right = [[after] for _, after in form.values[TAUGHT:]]
    if form.kind == AMBIGUOUS:
        right[3:] = [[], []]
    expected = [[] for _ in right] if form.kind in SILENT else right
    assert found == expected
    assert [list(map(type, made)) for made in found] == [list(map(type, e)) for e in expected]


def test_most_kinds_of_wrong_form_are_learned() -> None:
    learned = {form.kind for form in FORMS} - {*SILENT}

    assert len(FORMS) == 18
    assert len(learned) >= 14


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("dashes out of an id", "10-20"),
        ("dashes out of an id", "2026-11-20"),
        ("dashes out of an id", "978-3-16-14841x"),
        ("12 to 24 hours", "14:30 PM"),
        ("12 to 24 hours", "0:30 AM"),
        ("12 to 24 hours", "half past two"),
        ("epoch seconds", "2026-11-20T00:00:00"),
        ("epoch seconds", "tomorrow"),
        ("T for a blank in a time", "2026-11-20"),
        ("T for a blank in a time", "20 Nov 14:30"),
    ],
)
def test_what_a_form_does_not_fit_is_left_alone(kind: str, value: str) -> None:
    form = next(each for each in FORMS if each.kind == kind)
    call = refuse(form, value)

    assert suggest_corrections(call, sources=(teach(form),)) == ()


@pytest.mark.parametrize("kind", ["seconds, not minutes", "cents, not euros"])
def test_a_number_that_the_person_said_is_not_given_in_another_unit(kind: str) -> None:
    form = next(each for each in FORMS if each.kind == kind)
    value = form.values[-1][0]
    call = replace(refuse(form, value), said=(f"Take {value}, please.",))

    assert suggest_corrections(call, sources=(teach(form),)) == ()
