from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.loops.calls import Knowing, Retrying, retry_call
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.effect import Effect, Mode, Repeat
from mulligan.types.events import CallRetried
from mulligan.types.failure import ErrorClass
from mulligan.types.limits import Backoff, Breaker, RetryBudget

pytestmark = pytest.mark.promise(2)

AT = datetime(2026, 11, 15, tzinfo=UTC)


def failed(
    error_class: ErrorClass,
    *,
    try_number: int = 1,
    retry_after: timedelta | None = None,
    nothing_done: bool = False,
) -> Execution:
    return Execution(
        call=Call(id=f"call{try_number}", tool="find"),
        outcome=Outcome.FAILURE,
        at=AT,
        duration=timedelta(milliseconds=3),
        failure=Failure(
            error_class=error_class, retry_after=retry_after, nothing_done=nothing_done
        ),
        try_number=try_number,
    )


def fine(try_number: int) -> Execution:
    return replace(failed(ErrorClass.UNKNOWN), outcome=Outcome.SUCCESS, failure=None, result="ok",
                   try_number=try_number)  # fmt: skip


class World:
    """Answers later tries from a list, and remembers how long it was made to wait."""

    def __init__(self, *answers: ErrorClass | None, budget: float = 10, breaker: int = 5) -> None:
        self._answers: Iterator[ErrorClass | None] = iter(answers)
        self.waits: list[float] = []
        self.told: list[CallRetried] = []
        self.using = Retrying(
            budget=RetryBudget(burst=budget),
            breaker=Breaker(failures=breaker),
            backoff=Backoff(),
            sleep=self._sleep,
            chance=lambda: 1.0,
            monotonic=lambda: 0.0,
            announce=self.told.append,
        )

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def again(self, number: int) -> Execution:
        answer = next(self._answers)
        return fine(number) if answer is None else failed(answer, try_number=number)

    async def play(
        self, first: Execution, effect: Effect = Effect.READ, repeat: Repeat = Repeat.ONCE,
        mode: Mode = Mode.SUGGEST,
    ) -> list[Outcome]:  # fmt: skip
        executions = await retry_call(
            first, again=self.again, effect=effect, repeat=repeat, mode=mode, using=self.using
        )
        return [e.outcome for e in executions]


async def test_a_read_that_timed_out_is_made_again_after_a_growing_wait() -> None:
    world = World(ErrorClass.AMBIGUOUS, None)

    outcomes = await world.play(failed(ErrorClass.AMBIGUOUS))

    assert outcomes == [Outcome.FAILURE, Outcome.FAILURE, Outcome.SUCCESS]
    assert world.waits == [pytest.approx(0.2), pytest.approx(0.4)]
    assert [t.try_number for t in world.told] == [2, 3]


async def test_three_tries_are_all_there_are() -> None:
    world = World(ErrorClass.AMBIGUOUS, ErrorClass.AMBIGUOUS, None)

    outcomes = await world.play(failed(ErrorClass.AMBIGUOUS))

    assert outcomes == [Outcome.FAILURE] * 3


@pytest.mark.parametrize(
    ("effect", "repeat", "error_class"),
    [
        (Effect.UNDECLARED, Repeat.ONCE, ErrorClass.AMBIGUOUS),
        (Effect.UNDECLARED, Repeat.ONCE, ErrorClass.NOT_SENT),
        (Effect.REVERSIBLE, Repeat.ONCE, ErrorClass.AMBIGUOUS),
        (Effect.REVERSIBLE, Repeat.ONCE, ErrorClass.NOT_SENT),
        (Effect.REVERSIBLE, Repeat.ONCE, ErrorClass.RATE_LIMIT),
        (Effect.IRREVERSIBLE, Repeat.IDEMPOTENT, ErrorClass.NOT_SENT),
        (Effect.REVERSIBLE, Repeat.KEYED, ErrorClass.AMBIGUOUS),
        (Effect.IRREVERSIBLE, Repeat.IDEMPOTENT, ErrorClass.AMBIGUOUS),
        (Effect.READ, Repeat.ONCE, ErrorClass.POLICY),
        (Effect.READ, Repeat.ONCE, ErrorClass.VALIDATION),
        (Effect.READ, Repeat.ONCE, ErrorClass.RULE),
        (Effect.READ, Repeat.ONCE, ErrorClass.MISSING),
    ],
)
async def test_what_could_do_harm_or_cannot_help_is_not_made_again(
    effect: Effect, repeat: Repeat, error_class: ErrorClass
) -> None:
    world = World()

    outcomes = await world.play(failed(error_class), effect, repeat)

    assert outcomes == [Outcome.FAILURE]
    assert world.waits == []


async def test_a_call_that_never_left_is_made_once_more_even_when_it_must_happen_once() -> None:
    world = World(None)
    never_left = failed(ErrorClass.NOT_SENT, nothing_done=True)

    outcomes = await world.play(never_left, Effect.REVERSIBLE, Repeat.ONCE)

    assert outcomes == [Outcome.FAILURE, Outcome.SUCCESS]


async def test_a_proof_speaks_for_its_own_try_and_not_for_the_one_before() -> None:
    world = World(ErrorClass.NOT_SENT)
    never_left = failed(ErrorClass.NOT_SENT, nothing_done=True)

    outcomes = await world.play(never_left, Effect.REVERSIBLE, Repeat.ONCE)

    assert outcomes == [Outcome.FAILURE, Outcome.FAILURE]


async def test_an_irreversible_call_is_not_made_again_even_if_it_never_left() -> None:
    world = World()
    never_left = failed(ErrorClass.NOT_SENT, nothing_done=True)

    outcomes = await world.play(never_left, Effect.IRREVERSIBLE, Repeat.IDEMPOTENT)

    assert outcomes == [Outcome.FAILURE]


async def test_observing_never_repeats_anything() -> None:
    world = World()

    outcomes = await world.play(failed(ErrorClass.AMBIGUOUS), mode=Mode.OBSERVE)

    assert outcomes == [Outcome.FAILURE]


async def test_the_remote_is_given_the_time_it_asked_for() -> None:
    world = World(None)

    await world.play(failed(ErrorClass.RATE_LIMIT, retry_after=timedelta(seconds=3)))

    assert world.waits == [3.0]


async def test_a_wait_beyond_the_total_is_not_waited_for() -> None:
    world = World()

    outcomes = await world.play(failed(ErrorClass.RATE_LIMIT, retry_after=timedelta(minutes=5)))

    assert outcomes == [Outcome.FAILURE]
    assert world.waits == []


async def test_an_empty_budget_means_no_retry() -> None:
    world = World(budget=0.5)

    assert await world.play(failed(ErrorClass.AMBIGUOUS)) == [Outcome.FAILURE]


async def test_an_open_breaker_means_no_retry() -> None:
    world = World(breaker=1)

    assert await world.play(failed(ErrorClass.AMBIGUOUS)) == [Outcome.FAILURE]


async def test_a_different_error_on_the_second_try_is_judged_for_itself() -> None:
    world = World(ErrorClass.POLICY)

    outcomes = await world.play(failed(ErrorClass.AMBIGUOUS))

    assert outcomes == [Outcome.FAILURE, Outcome.FAILURE]


async def test_what_can_be_made_only_once_is_looked_for_and_not_made_again() -> None:
    looks = []

    async def look(_: Execution) -> Execution | None:
        looks.append(1)
        return None

    world = World(None)
    knowing = Knowing(look=look, keyed=True, once=True)
    world.using = replace(world.using, knowing=knowing)

    read = await world.play(failed(ErrorClass.AMBIGUOUS))
    changed = await world.play(failed(ErrorClass.AMBIGUOUS), Effect.REVERSIBLE)

    assert (read, changed) == ([Outcome.FAILURE], [Outcome.FAILURE] * 2)
    assert looks == [1]
