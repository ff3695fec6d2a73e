from __future__ import annotations

import pytest

from mulligan.learning.lessons import (
    SUBJECT,
    are_alike,
    cluster_words,
    extract_words,
    is_general,
    list_subjects,
    specialise,
)
from mulligan.types.lesson import How, Prerequisite, Remedy, Transformation
from tests.learning.failures import failed


def change(argument: str, how: How = How.PREFIX, **given: object) -> Transformation:
    return Transformation(argument=argument, how=how, given=given or {"text": "#", "of": argument})


def test_a_curated_remedy_gets_the_name_of_what_the_error_is_about() -> None:
    curated = Remedy(changes=(change(SUBJECT),))

    assert specialise(curated, failed({"code": "W1"}), about=["code"]) == Remedy(
        changes=(change("code"),)
    )


@pytest.mark.parametrize(
    ("remedy", "general"),
    [
        (Remedy(changes=(change("a"),)), True),
        (Remedy(changes=(change("a"), change("b", How.SUFFIX, text="!", of="b"))), True),
        (Remedy(), False),
        (Remedy(changes=(change("a", How.FROM_ARGUMENT, of="b"),)), False),
        (Remedy(changes=(change("a", How.PREFIX, text="#", of="b"),)), False),
        (Remedy(changes=(change("a", How.DROP, of="a"),)), False),
        (Remedy(first=(Prerequisite(tool="log_in"),)), False),
        (Remedy(first=(Prerequisite(tool="look", arguments=(change("x", of="a"),)),)), True),
    ],
)
def test_general_is_what_speaks_of_its_own_arguments_and_leaves_none_out(
    remedy: Remedy, general: bool
) -> None:
    assert is_general(remedy) is general


def test_a_remedy_is_about_what_it_changes_and_what_it_makes_something_of() -> None:
    looking = Prerequisite(tool="look", arguments=(change("x", of="folder"),))

    assert list_subjects(Remedy(changes=(change("a"),), first=(looking,))) == {"a", "folder"}


def test_a_remedy_about_a_value_says_nothing_where_the_error_is_about_none() -> None:
    curated = Remedy(changes=(change(SUBJECT),))

    assert specialise(curated, failed({"code": "W1"}), about=[]) is None


def test_errors_are_alike_by_the_words_that_are_not_the_tools_own() -> None:
    one = extract_words("Order <value> was not found in stock", "find_order")
    other = extract_words("Item <number> was not found in stock", "find_item")

    assert "order" not in one
    assert "value" not in one
    assert are_alike(one, other)
    assert not are_alike(one, frozenset({"permission", "denied"}))
    assert not are_alike(frozenset(), frozenset())


def test_words_that_are_alike_have_one_that_stands_for_them() -> None:
    short, long, apart = map(frozenset, (["found"], ["found", "stock"], ["denied", "login"]))

    clusters = cluster_words([long, apart, short])

    assert clusters == {short: short, long: short, apart: apart}
