"""Budgets, retries, the breaker, backoff and retention."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.limits import (
    TEXT_TIME,
    Breaker,
    Budget,
    Meter,
    Retention,
    RetryBudget,
    UndoBudget,
)


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


def failing(*times: float) -> Breaker:
    breaker = Breaker()
    for at in times:
        breaker.fail(at)
    return breaker


def test_the_fifth_failure_within_the_window_opens_it_and_time_closes_it():
    assert not failing(0, 1, 2, 3).is_open(3)
    assert failing(0, 1, 2, 3, 4).is_open(4)
    assert failing(0, 1, 2, 3, 4).is_open(30.0)
    assert not failing(0, 1, 2, 3, 4).is_open(30.1)
    assert not failing(*range(0, 1000, 8)).is_open(999)


def test_a_success_closes_it_at_once():
    breaker = failing(0, 1, 2, 3, 4)

    breaker.succeed()

    assert not breaker.is_open(4)
    breaker.fail(5)
    assert not breaker.is_open(5)


def test_a_judge_alone_has_so_many_actions_undone_in_a_while_and_no_more() -> None:
    now = [0.0]
    budget = UndoBudget(most=3, window=10, monotonic=lambda: now[0])

    first = [budget.take("a", 2), budget.take("a", 2), budget.take("a", 1), budget.take("b", 3)]
    now[0] = 10.0

    assert first == [True, False, True, True]
    assert [budget.take("a", 3), budget.take("a", 1)] == [True, False]
    assert not UndoBudget(most=0).take("a", 1)


def test_that_a_budget_is_spent_is_told_once_until_there_is_more() -> None:
    now = [0.0]
    budget = UndoBudget(most=1, window=10, monotonic=lambda: now[0])
    budget.take("a", 1)

    told = [budget.is_news("a"), budget.is_news("a"), budget.is_news("b")]
    now[0] = 10.0
    budget.take("a", 1)

    assert [*told, budget.is_news("a")] == [True, False, True, True]


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        (Budget(), ""),
        (Budget(tokens=11), ""),
        (Budget(tokens=10), "tokens"),
        (Budget(money=0.5), "money"),
        (Budget(time=timedelta(seconds=6)), ""),
        (Budget(time=timedelta(seconds=5)), "time"),
    ],
)
def test_a_budget_is_used_up_by_whatever_ends_first(budget: Budget, spent: str) -> None:
    now = iter([0.0, *[5.0] * 4])
    meter = Meter(budget, monotonic=lambda: next(now))

    meter.spend(tokens=10, money=0.5)

    assert (meter.used_up, meter.spent) == (bool(spent), spent)


def test_a_budget_that_says_nothing_still_ends() -> None:
    assert Budget(tokens=100).time == TEXT_TIME
    assert Budget(time=None).time is None


@pytest.mark.parametrize(
    "wrong", [{"time": 30}, {"time": timedelta(0)}, {"tokens": 0}, {"money": -1.0}]
)
def test_a_budget_in_which_nothing_could_be_written_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Budget(**wrong)  # type: ignore[arg-type]


async def test_nobody_is_waited_for_beyond_the_time() -> None:
    meter = Meter(Budget(time=timedelta(milliseconds=10)))

    with pytest.raises(TimeoutError):
        await meter.wait_for(asyncio.Event().wait())

    assert meter.spent == "time"


@pytest.mark.parametrize("said", [None, "x", -5, float("nan"), float("inf"), [1], 10**400])
def test_what_is_no_amount_counts_as_nothing(said: object) -> None:
    meter = Meter(Budget(tokens=1, money=0.1))

    meter.spend(tokens=said, money=said)

    assert (meter.tokens, meter.money, meter.used_up) == (0, 0, False)


def test_the_defaults_are_those_of_the_policy():
    kept = Retention()

    assert (kept.log.days, kept.settled.days, kept.kept.days) == (30, 90, 7)
    assert kept.learned.days == 90
