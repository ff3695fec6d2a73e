from __future__ import annotations

import pytest

from mulligan.checks.quantities import FAR, ROUGHLY, SMALL, Bound, Known, Quantity


def some(value: float, *, bound: Bound = Bound.EXACT, noun: str = "client") -> Quantity:
    return Quantity(values=(value,), step=1.0, nouns=frozenset({noun}), bound=bound)


@pytest.mark.parametrize(
    ("claimed", "true"),
    [(110, True), (111, False), (90, True), (89, False)],
)
def test_about_is_within_a_tenth_of_the_truth(claimed: float, true: bool) -> None:
    assert ROUGHLY == 0.1
    assert Known([some(100)]).support(some(claimed, bound=Bound.ABOUT)) is true


@pytest.mark.parametrize(
    ("bound", "claimed", "true"),
    [
        (Bound.AT_LEAST, 50, True),
        (Bound.AT_LEAST, 49, False),
        (Bound.AT_MOST, 200, True),
        (Bound.AT_MOST, 201, False),
        (Bound.AT_LEAST, 101, False),
        (Bound.AT_MOST, 99, False),
    ],
)
def test_a_bound_that_is_far_off_says_nothing_unless_the_same_thing_is_counted(
    bound: Bound, claimed: float, true: bool
) -> None:
    assert FAR == 2.0
    assert Known([some(100, noun="guest")]).support(some(claimed, bound=bound)) is true


@pytest.mark.parametrize(("claimed", "true"), [(12, True), (13, False)])
def test_a_small_count_is_said_in_passing(claimed: float, true: bool) -> None:
    assert SMALL == 12
    assert Known([some(100)]).support(some(claimed)) is true
