from __future__ import annotations

from mulligan.core.call import ErrorClass
from mulligan.core.lesson import Pattern
from mulligan.learning.nearest import nearest

KNOWN = [
    Pattern(
        fingerprint="1", tool="pay", error_class=ErrorClass.RULE, template="the card was refused"
    ),
    Pattern(
        fingerprint="2", tool="find", error_class=ErrorClass.MISSING, template="no order found"
    ),
]


def test_the_most_alike_pattern_is_offered_with_how_alike_it_is() -> None:
    found = nearest("this card was refused", KNOWN)

    assert found is not None
    assert found[0].fingerprint == "1"
    assert 0.5 <= found[1] < 1


def test_nothing_near_is_nothing() -> None:
    assert nearest("the weather service sleeps", KNOWN) is None
    assert nearest("anything", []) is None


def test_another_measure_can_take_its_place() -> None:
    found = nearest("x", KNOWN, similarity=lambda _, others: [0.1, 0.9][: len(others)])

    assert found is not None
    assert found[0].fingerprint == "2"
