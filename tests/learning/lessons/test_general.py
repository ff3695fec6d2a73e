from __future__ import annotations

import pytest

from mulligan.core.lesson import How, Prerequisite, Remedy, Transformation
from mulligan.learning.lessons.general import (
    SUBJECT,
    are_alike,
    cluster_words,
    extract_words,
    generalise,
    specialise,
)
from tests.learning.failures import failed


def change(argument: str, how: How = How.PREFIX, **given: object) -> Transformation:
    return Transformation(argument=argument, how=how, given=given or {"text": "#", "of": argument})


def test_a_remedy_loses_the_name_of_its_argument_and_gets_another_one_back() -> None:
    general = generalise(Remedy(changes=(change("order_id"),)))

    assert general is not None
    assert [each.argument for each in general.changes] == [SUBJECT]
    special = specialise(general, failed({"code": "W1"}), about=["code"])
    assert special == Remedy(changes=(change("code"),))


@pytest.mark.parametrize(
    "remedy",
    [
        Remedy(),
        Remedy(changes=(change("a", How.FROM_ARGUMENT, of="b"),)),
        Remedy(changes=(change("a"), change("b", How.SUFFIX, text="!", of="b"))),
        Remedy(changes=(change("a", How.PREFIX, text="#", of="b"),)),
    ],
)
def test_what_needs_names_is_not_general(remedy: Remedy) -> None:
    assert generalise(remedy) is None


def test_a_remedy_about_a_value_says_nothing_where_the_error_is_about_none() -> None:
    general = generalise(Remedy(changes=(change("order_id"),)))

    assert general is not None
    assert specialise(general, failed({"code": "W1"}), about=[]) is None


def test_a_call_to_make_first_needs_no_argument() -> None:
    first = Remedy(first=(Prerequisite(tool="log_in"),))

    assert specialise(generalise(first), failed({}), about=[]) == first


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
