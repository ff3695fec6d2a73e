from __future__ import annotations

import pytest

from mulligan.learning.lessons import (
    MAKING,
    describe_correction,
    describe_example,
    describe_exceptions,
    describe_lesson,
    describe_mistake,
)
from mulligan.types.lesson import Ending, How, Prerequisite, Remedy, Transformation
from tests.learning.cases import episode

SIGN = Transformation(argument="order_id", how=How.PREFIX, given={"text": "#"})
DROP = Transformation(argument="limit", how=How.DROP)
REMEDY = Remedy(changes=(SIGN, DROP), first=(Prerequisite(tool="log_in"),))


def test_every_way_to_make_a_value_has_words() -> None:
    assert set(MAKING) == set(How)
    assert all(phrase({}) for phrase in MAKING.values())


def test_a_lesson_is_one_sentence() -> None:
    assert describe_lesson(REMEDY, tool="find", template="no <value>") == (
        "When `find` fails with 'no <value>', call `log_in` first, "
        "give `order_id` with '#' in front, leave `limit` out."
    )
    assert describe_correction("find", Remedy()) == "call `find` again as it was"


def test_a_mistake_is_what_was_not_done() -> None:
    assert describe_mistake(REMEDY) == (
        "`log_in` was not called before, `order_id` is not right, `limit` is given"
    )
    assert describe_mistake(Remedy()) == "none: it passes by itself"


def test_an_example_shows_no_value() -> None:
    assert describe_example(REMEDY) == (
        "`order_id`=<value>, `limit`=<value>",
        "`log_in`; `order_id`=<prefix>",
    )


@pytest.mark.parametrize(
    ("endings", "told"),
    [
        ([], ""),
        ([Ending.FAILED, Ending.LEFT, Ending.UNDONE], "2 never mended, 1 mended and taken back"),
        ([Ending.REPAIRED], "1 mended in another way"),
    ],
)
def test_what_was_not_mended_is_told_apart(endings: list[Ending], told: str) -> None:
    others = [episode(n, ending=ending) for n, ending in enumerate(endings)]

    assert describe_exceptions(REMEDY, others).startswith(told)
