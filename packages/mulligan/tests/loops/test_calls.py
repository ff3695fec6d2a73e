"""A failed call is made again where that is safe, within its tenant's own limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.loops.calls import (
    MOST_KINDS,
    MOST_TENANTS,
    Knowing,
    Retrying,
    TrafficByTenant,
    UnloggedCalls,
    retry_call,
)
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

    def __init__(
        self, *answers: Execution | ErrorClass | None, budget: float = 10, breaker: int = 5
    ) -> None:
        self._answers: Iterator[Execution | ErrorClass | None] = iter(answers)
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
        if isinstance(answer, Execution):
            return replace(answer, try_number=number)
        return fine(number) if answer is None else failed(answer, try_number=number)

    async def play(
        self, first: Execution, effect: Effect = Effect.READ, repeat: Repeat = Repeat.ONCE,
        mode: Mode = Mode.SUGGEST,
    ) -> list[Outcome]:  # fmt: skip
        executions = await retry_call(
            first, again=self.again, effect=effect, repeat=repeat, mode=mode, using=self.using
        )
        return [e.outcome for e in executions]


LATE = failed(ErrorClass.AMBIGUOUS)


NEVER_LEFT = failed(ErrorClass.NOT_SENT, nothing_done=True)


async def test_a_read_that_timed_out_is_made_again_after_a_growing_wait() -> None:
    world = World(ErrorClass.AMBIGUOUS, None)

    outcomes = await world.play(LATE)

    assert outcomes == [Outcome.FAILURE, Outcome.FAILURE, Outcome.SUCCESS]
    assert world.waits == [pytest.approx(0.2), pytest.approx(0.4)]
    assert [t.try_number for t in world.told] == [2, 3]


@pytest.mark.parametrize(
    ("first", "effect", "repeat", "answers", "tries"),
    [
        # Three tries are all there are, and a different error is judged for itself.
        (LATE, Effect.READ, Repeat.ONCE, [ErrorClass.AMBIGUOUS, ErrorClass.AMBIGUOUS, None], 3),
        (LATE, Effect.READ, Repeat.ONCE, [ErrorClass.POLICY], 2),
        # Proven to have changed nothing; a proof covers its own try, not the one before.
        (NEVER_LEFT, Effect.REVERSIBLE, Repeat.ONCE, [None], 2),
        (NEVER_LEFT, Effect.REVERSIBLE, Repeat.ONCE, [ErrorClass.NOT_SENT], 2),
        # It could do harm.
        (NEVER_LEFT, Effect.IRREVERSIBLE, Repeat.IDEMPOTENT, [], 1),
        (LATE, Effect.IRREVERSIBLE, Repeat.IDEMPOTENT, [], 1),
        (LATE, Effect.UNDECLARED, Repeat.ONCE, [], 1),
        (LATE, Effect.REVERSIBLE, Repeat.ONCE, [], 1),
        (LATE, Effect.REVERSIBLE, Repeat.KEYED, [], 1),
        (failed(ErrorClass.NOT_SENT), Effect.UNDECLARED, Repeat.ONCE, [], 1),
        (failed(ErrorClass.NOT_SENT), Effect.REVERSIBLE, Repeat.ONCE, [], 1),
        (failed(ErrorClass.NOT_SENT), Effect.IRREVERSIBLE, Repeat.IDEMPOTENT, [], 1),
        (failed(ErrorClass.RATE_LIMIT), Effect.REVERSIBLE, Repeat.ONCE, [], 1),
        # It cannot help.
        (failed(ErrorClass.POLICY), Effect.READ, Repeat.ONCE, [], 1),
        (failed(ErrorClass.VALIDATION), Effect.READ, Repeat.ONCE, [], 1),
        (failed(ErrorClass.RULE), Effect.READ, Repeat.ONCE, [], 1),
        (failed(ErrorClass.MISSING), Effect.READ, Repeat.ONCE, [], 1),
    ],
)
async def test_a_call_is_made_again_only_where_that_helps_and_does_no_harm(
    first: Execution, effect: Effect, repeat: Repeat, answers: list[ErrorClass | None], tries: int
) -> None:
    world = World(*answers)

    outcomes = await world.play(first, effect, repeat)

    assert len(outcomes) == tries
    assert (Outcome.SUCCESS in outcomes) == (answers == [None])
    assert len(world.waits) == tries - 1


@pytest.mark.parametrize(
    ("world", "first", "mode", "waits"),
    [
        (World(None), failed(ErrorClass.RATE_LIMIT, retry_after=timedelta(seconds=3)), None, [3.0]),
        (World(), failed(ErrorClass.RATE_LIMIT, retry_after=timedelta(minutes=5)), None, []),
        (World(), LATE, Mode.OBSERVE, []),
        (World(budget=0.5), LATE, None, []),
        (World(breaker=1), LATE, None, []),
    ],
    ids=["as asked for", "beyond the total", "only observing", "budget empty", "breaker open"],
)
async def test_a_retry_waits_as_long_as_asked_and_keeps_to_its_limits(
    world: World, first: Execution, mode: Mode | None, waits: list[float]
) -> None:
    outcomes = await world.play(first, mode=mode or Mode.SUGGEST)

    assert (len(outcomes), world.waits) == (1 + len(waits), waits)


async def test_a_proof_speaks_for_its_own_try_and_the_one_before_is_looked_for_again() -> None:
    looks = []

    async def look(_: Execution) -> Execution | None:
        looks.append(1)
        return None

    world = World(NEVER_LEFT, None)
    world.using = replace(world.using, knowing=Knowing(look=look, keyed=True))

    outcomes = await world.play(LATE, Effect.REVERSIBLE, Repeat.ONCE)

    assert outcomes == [Outcome.FAILURE, Outcome.FAILURE, Outcome.SUCCESS]
    assert looks == [1, 1]


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


def test_only_so_many_tenants_are_remembered():
    by_tenant = TrafficByTenant()
    first = by_tenant.find("first")

    for number in range(MOST_TENANTS):
        by_tenant.find(str(number))

    assert by_tenant.find("first") is not first


def test_what_waits_is_bounded() -> None:
    calls = UnloggedCalls()
    for number in range(MOST_KINDS + 1):
        calls.add(("elm", str(number), True))

    assert calls.take(("elm", "0", True)) == 0
    assert calls.take(("elm", "1", True)) == 1
