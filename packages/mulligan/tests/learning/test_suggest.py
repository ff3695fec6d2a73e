from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from mulligan.learning.suggest import MOST, SOURCES, suggest_corrections
from mulligan.types.effect import Effect
from mulligan.types.lesson import FailedCall, Kind, Origin, Patch, Suggestion
from tests.learning.failures import TEXT, WHOLE, failed, obj

pytestmark = pytest.mark.promise(7)

SCHEMA = obj("limit", limit=WHOLE, city=TEXT)


def proposing(
    *patches: Patch, source: Origin = Origin.JUDGE, kinds: tuple[Kind, ...] = (Kind.COERCE,)
):
    def source_of(_: FailedCall) -> Iterator[Suggestion]:
        for patch in patches:
            yield Suggestion(
                patch=patch, source=source, kinds=kinds, probability=0.9, n=3, evidence="said so"
            )

    return source_of


def test_the_likeliest_comes_first_and_the_same_correction_once() -> None:
    call = failed({"limit": "5", "city": "Oslo"}, error="wrong type", schema=SCHEMA)
    other = proposing(Patch(changes={"limit": 5}), Patch(changes={"city": "Rome"}))

    found = suggest_corrections(call, sources=(*SOURCES, other))

    assert [each.patch.changes for each in found] == [{"limit": 5}, {"city": "Rome"}]
    assert found[0].probability == 0.9
    assert all(a.probability >= b.probability for a, b in pairwise(found))


def test_a_change_of_shape_may_be_applied_and_a_change_of_meaning_may_not() -> None:
    call = failed({"limit": "5", "city": "Oslo"}, error="wrong type", schema=SCHEMA)
    judged = proposing(Patch(changes={"limit": 5}), Patch(changes={"limit": 6}))

    by_schema = suggest_corrections(call)
    by_judge = {
        each.patch.changes["limit"]: each for each in suggest_corrections(call, sources=(judged,))
    }

    assert by_schema[0].automatic
    assert by_judge[5].automatic
    assert not by_judge[6].automatic


def test_a_moment_that_would_lose_its_zone_is_for_the_agent_to_decide() -> None:
    schema = obj("start", start=TEXT)
    error = "time data {!r} does not match format '%Y-%m-%d %H:%M'"
    plain, zoned = "2026-10-15T18:00:00", "2026-10-15T18:00:00Z"

    automatic = [
        suggest_corrections(failed({"start": each}, error=error.format(each), schema=schema))[0]
        for each in (plain, zoned)
    ]

    assert [each.patch.changes["start"] for each in automatic] == ["2026-10-15 18:00"] * 2
    assert [each.automatic for each in automatic] == [True, False]


@pytest.mark.parametrize(
    "patch",
    [Patch(), Patch(changes={"limit": "5"}), Patch(drops=("nothing",))],
)
def test_the_call_that_failed_is_never_suggested_again(patch: Patch) -> None:
    assert (
        suggest_corrections(failed({"limit": "5"}, schema=SCHEMA), sources=(proposing(patch),))
        == ()
    )


def test_a_correction_that_does_not_fit_the_schema_is_for_the_agent_alone() -> None:
    call = failed({"limit": "5"}, schema=SCHEMA)

    (found,) = suggest_corrections(call, sources=(proposing(Patch(changes={"limit": "5.0"})),))

    assert not found.automatic


def test_no_more_than_a_handful_is_given() -> None:
    many = proposing(*(Patch(changes={"limit": n}) for n in range(100)))

    assert len(suggest_corrections(failed({"limit": "x"}, schema=SCHEMA), sources=(many,))) == MOST


def test_arguments_too_large_to_look_through_are_left_alone() -> None:
    change = proposing(Patch(changes={"limit": 5}))

    assert suggest_corrections(failed({"limit": ["x"] * 100_000}), sources=(change,)) == ()
    assert suggest_corrections(failed({"limit": "x" * 10_000_000}), sources=(change,)) == ()
    loop: dict[str, object] = {}
    loop["limit"] = loop
    assert suggest_corrections(failed(loop), sources=(change,)) == ()


BOUND = "{} must be at most 10"


@pytest.mark.parametrize("said", ["A table for 12 people", "For twelve of us", "12!"])
@pytest.mark.parametrize("effect", [Effect.READ, Effect.REVERSIBLE])
def test_a_number_that_the_person_said_is_replaced_by_no_source(said: str, effect: Effect) -> None:
    schema = obj("limit", limit={**WHOLE, "maximum": 10})
    call = failed(
        {"limit": 12}, error=BOUND.format("limit"), schema=schema, said=[said], effect=effect
    )
    judged = proposing(Patch(changes={"limit": 10}), Patch(drops=("limit",)))

    assert suggest_corrections(call, sources=(*SOURCES, judged)) == ()


@pytest.mark.parametrize(
    ("name", "effect", "automatic"),
    [
        ("limit", Effect.READ, True),
        ("topK", Effect.READ, True),
        ("page_size", Effect.READ, True),
        ("limit", Effect.REVERSIBLE, False),
        ("people", Effect.READ, False),
        ("dose_mg", Effect.READ, False),
        ("speed_limit", Effect.READ, False),
    ],
)
def test_only_how_much_is_shown_is_fitted_by_itself(name, effect, automatic) -> None:
    schema = obj(name, **{name: WHOLE})
    call = failed({name: 50}, error=BOUND.format(name), schema=schema, effect=effect)

    [found] = suggest_corrections(call)

    assert found.patch.changes == {name: 10}
    assert found.automatic is automatic


def test_a_number_that_is_fitted_under_a_new_name_is_fitted_all_the_same() -> None:
    schema = obj("people", people={**WHOLE, "maximum": 10})
    call = failed({"People": 50}, error="People: unknown", schema=schema)

    assert not any(each.automatic for each in suggest_corrections(call))


@pytest.mark.parametrize(
    ("effect", "changes"), [(Effect.READ, [{"ids": ["a"]}]), (Effect.REVERSIBLE, [])]
)
def test_a_name_with_a_word_too_many_is_at_most_a_guess_about_what_reads(effect, changes) -> None:
    schema = obj("ids", ids={"type": "array", "items": TEXT})
    call = failed(
        {"beta_ids": ["a"]}, error="unexpected argument 'beta_ids'", schema=schema, effect=effect
    )

    found = suggest_corrections(call)

    assert [each.patch.changes for each in found] == changes
    assert not any(each.automatic for each in found)


@pytest.mark.parametrize("source", [Origin.TURN, Origin.MEMORY, Origin.JUDGE])
@pytest.mark.parametrize(
    ("given", "patch", "kind"),
    [
        ({"ids_to_keep": "a"}, Patch(changes={"ids": "a"}, drops=("ids_to_keep",)), Kind.RENAME),
        ({"ids": "a", "dry_run": True}, Patch(drops=("dry_run",)), Kind.DROP),
        ({"ids": "a", "notes": "b"}, Patch(changes={"ids": "b", "notes": "a"}), Kind.REFORMAT),
    ],
)
def test_whoever_proposes_it_another_request_is_not_made_by_itself(
    source: Origin, given: dict[str, object], patch: Patch, kind: Kind
) -> None:
    call = failed(given, schema=obj("ids", ids=TEXT, notes=TEXT), effect=Effect.READ)

    found = suggest_corrections(call, sources=(proposing(patch, source=source, kinds=(kind,)),))

    assert [each.automatic for each in found] == [False]


LOCKED = ("to", "cc", "account", "owner", "amount", "calendar", "path", "host", "tenant", "query")
FREE = ("limit", "unit", "sort", "days")
VALUES: tuple[Any, ...] = (
    "ann",
    "bob",
    "/etc/x",
    "a.b",
    5,
    50,
    -5,
    "5",
    True,
    None,
    ["ann"],
    {"to": "eve"},
)


def adversarial(chance: random.Random) -> tuple[dict[str, object], Patch]:
    """Arguments, and a patch that does anything: sets, swaps, drops, nests, renames, retypes."""
    names = chance.sample(LOCKED + FREE, k=chance.randint(1, 6))
    arguments: dict[str, object] = {name: chance.choice(VALUES) for name in names}
    if chance.random() < 0.3:
        arguments["options"] = {
            chance.choice(LOCKED): chance.choice(VALUES),
            "list": [1, {"to": "ann"}],
        }
    changes = {
        name: chance.choice(VALUES) for name in chance.sample(LOCKED + FREE, k=chance.randint(0, 4))
    }
    if chance.random() < 0.3 and len(names) > 1:
        one, other = chance.sample(names, k=2)
        changes |= {one: arguments[other], other: arguments[one]}
    if chance.random() < 0.2:
        changes["options"] = {chance.choice(LOCKED): chance.choice(VALUES)}
    drops = tuple(chance.sample(names, k=chance.randint(0, min(2, len(names)))))
    return arguments, Patch(changes=changes, drops=drops)


def locked_values(value: object) -> list[tuple[str, str]]:
    """Every locked value with its name, as plain text: an account of its own, simple on purpose.

    A null is as if left out, and a list of one says what the one says.
    """
    if isinstance(value, dict):
        named = [(name, held) for name, held in value.items() if held is not None]
        return sorted(
            pair
            for name, held in named
            for pair in ([(name, plain(held))] if name in LOCKED else locked_values(held))
        )
    return (
        sorted(pair for held in value for pair in locked_values(held))
        if isinstance(value, list)
        else []
    )


def plain(value: object) -> str:
    return str(value[0] if isinstance(value, list) and len(value) == 1 else value)


@pytest.mark.full
def test_of_five_thousand_adversarial_corrections_none_changes_a_locked_field() -> None:
    chance = random.Random(66)
    passed = 0

    for _ in range(5_000):
        arguments, patch = adversarial(chance)
        source = proposing(
            patch, source=chance.choice(list(Origin)), kinds=tuple(chance.sample(list(Kind), k=2))
        )
        call = failed(
            arguments,
            schema=obj(**{name: {} for name in LOCKED + FREE}),
            said=("do it for 7 days",),
        )
        for found in suggest_corrections(call, sources=(source,)):
            passed += 1
            after = found.patch.apply(arguments)
            assert locked_values(after) == locked_values(arguments), (arguments, patch)

    assert passed > 200
