from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.limits import TEXT_TIME, Budget, Meter


@pytest.mark.parametrize(
    ("budget", "used_up"),
    [
        (Budget(), False),
        (Budget(tokens=11), False),
        (Budget(tokens=10), True),
        (Budget(money=0.5), True),
        (Budget(time=timedelta(seconds=6)), False),
        (Budget(time=timedelta(seconds=5)), True),
    ],
)
def test_a_budget_is_used_up_by_whatever_ends_first(budget: Budget, used_up: bool) -> None:
    now = iter([0.0, 5.0, 5.0])
    meter = Meter(budget, monotonic=lambda: next(now))

    meter.spend(tokens=10, money=0.5)

    assert meter.used_up is used_up


def test_a_budget_that_says_nothing_still_ends() -> None:
    assert Budget(tokens=100).time == TEXT_TIME
    assert Budget(time=None).time is None


@pytest.mark.parametrize(
    "wrong", [{"time": 30}, {"time": timedelta(0)}, {"tokens": 0}, {"money": -1.0}]
)
def test_a_budget_in_which_nothing_could_be_written_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Budget(**wrong)  # type: ignore[arg-type]


def test_it_says_which_limit_is_reached() -> None:
    meter = Meter(Budget(tokens=5, money=1.0))

    assert meter.spent == ""
    meter.spend(tokens=5)
    assert meter.spent == "tokens"
    meter = Meter(Budget(money=1.0))
    meter.spend(money=1.5)
    assert meter.spent == "money"


async def test_nobody_is_waited_for_beyond_the_time() -> None:
    meter = Meter(Budget(time=timedelta(milliseconds=10)))

    with pytest.raises(TimeoutError):
        await meter.wait_for(asyncio.Event().wait())

    assert meter.spent == "time"


async def test_work_may_have_less_time_than_the_whole() -> None:
    meter = Meter(Budget())

    with pytest.raises(TimeoutError):
        await meter.wait_for(asyncio.Event().wait(), at_most=timedelta(milliseconds=1))

    assert not meter.used_up


@pytest.mark.parametrize(
    "ends", [asyncio.CancelledError, GeneratorExit, lambda: BaseExceptionGroup("x", [ValueError()])]
)
async def test_what_ends_itself_ends_nobody_else(ends) -> None:
    async def work() -> None:
        raise ends()

    with pytest.raises((ConnectionAbortedError, ExceptionGroup)):
        await Meter(Budget()).wait_for(work())


@pytest.mark.parametrize("said", [None, "x", -5, float("nan"), float("inf"), [1], 10**400])
def test_what_is_no_amount_counts_as_nothing(said: object) -> None:
    meter = Meter(Budget(tokens=1, money=0.1))

    meter.spend(tokens=said, money=said)

    assert (meter.tokens, meter.money, meter.used_up) == (0, 0, False)
