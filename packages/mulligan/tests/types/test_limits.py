"""Bounds on retries."""

from __future__ import annotations

import random

import pytest

from mulligan.types.limits import Breaker, RetryBudget, UndoBudget


def retries_allowed(budget: RetryBudget, *, calls: int, tries: int = 3) -> int:
    """How many retries the budget lets through when every call fails on every try."""
    retries = 0
    for _ in range(calls):
        budget.earn()
        for _ in range(tries - 1):
            retries += budget.spend()
    return retries


def test_an_outage_of_a_minute_adds_at_most_a_tenth_and_the_burst():
    calls = 60 * 200

    retries = retries_allowed(RetryBudget(), calls=calls)

    assert 0.099 * calls <= retries <= 0.1 * calls + 10


def test_a_quiet_tool_has_its_burst_and_no_more():
    budget = RetryBudget(share=0.0)

    assert [budget.spend() for _ in range(12)] == [True] * 10 + [False] * 2


def test_the_burst_is_a_ceiling_that_calm_traffic_does_not_raise():
    budget = RetryBudget()
    for _ in range(100_000):
        budget.earn()

    allowed = sum(budget.spend() for _ in range(1000))

    assert allowed == 10


@pytest.mark.parametrize(("calls", "retries"), [(0, 0), (9, 0), (11, 1), (21, 2)])
def test_a_spent_budget_comes_back_with_traffic_one_in_ten(calls, retries):
    budget = RetryBudget()
    budget.tokens = 0.0

    for _ in range(calls):
        budget.earn()

    assert sum(budget.spend() for _ in range(10)) == retries


@pytest.mark.parametrize("seed", range(5))
def test_amplification_stays_bounded_when_failures_come_and_go(seed):
    chance = random.Random(seed)
    budget, calls, retries = RetryBudget(), 0, 0
    for _ in range(20_000):
        budget.earn()
        calls += 1
        if chance.random() < 0.5:
            retries += budget.spend()

    assert retries <= 0.1 * calls + 10


def failing(*times: float) -> Breaker:
    breaker = Breaker()
    for at in times:
        breaker.fail(at)
    return breaker


def test_four_failures_leave_it_closed_and_the_fifth_opens_it():
    assert not failing(0, 1, 2, 3).is_open(3)
    assert failing(0, 1, 2, 3, 4).is_open(4)


def test_it_closes_again_when_the_failures_are_older_than_the_window():
    breaker = failing(0, 1, 2, 3, 4)

    assert breaker.is_open(30.0)
    assert not breaker.is_open(30.1)


def test_failures_spread_over_more_than_the_window_never_open_it():
    breaker = Breaker()
    for at in range(0, 1000, 8):
        breaker.fail(at)

        assert not breaker.is_open(at)


def test_a_success_closes_it_at_once():
    breaker = failing(0, 1, 2, 3, 4)

    breaker.succeed()

    assert not breaker.is_open(4)
    breaker.fail(5)
    assert not breaker.is_open(5)


def test_it_remembers_no_more_failures_than_it_counts():
    breaker = failing(*range(10_000))

    assert len(breaker._seen) == breaker.failures


def test_a_judge_alone_has_so_many_actions_undone_in_a_while_and_no_more() -> None:
    now = [0.0]
    budget = UndoBudget(most=3, window=10, monotonic=lambda: now[0])

    first = [budget.take("a", 2), budget.take("a", 2), budget.take("a", 1), budget.take("b", 3)]
    now[0] = 10.0

    assert first == [True, False, True, True]
    assert [budget.take("a", 3), budget.take("a", 1)] == [True, False]


def test_that_a_budget_is_spent_is_told_once_until_there_is_more() -> None:
    now = [0.0]
    budget = UndoBudget(most=1, window=10, monotonic=lambda: now[0])
    budget.take("a", 1)

    told = [budget.is_news("a"), budget.is_news("a"), budget.is_news("b")]
    now[0] = 10.0
    budget.take("a", 1)

    assert [*told, budget.is_news("a")] == [True, False, True, True]


def test_a_budget_of_nothing_leaves_every_action_to_a_person() -> None:
    assert not UndoBudget(most=0).take("a", 1)
