"""A tool call that failed: made again where that is safe, and only there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from mulligan.core.call import ErrorClass, Execution, Outcome
from mulligan.core.effect import Effect, Mode, Repeat
from mulligan.core.engine import Loop, Round, run_loop
from mulligan.core.event import CallRetried
from mulligan.core.limits import Backoff, Breaker, RetryBudget
from mulligan.core.policy import Failed, Move, Step, next_move

Again = Callable[[int], Awaitable[Execution]]
"""Makes the identical call once more, as the given try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """What a retry may use up, and how it passes the time."""

    budget: RetryBudget
    breaker: Breaker
    backoff: Backoff
    sleep: Callable[[float], Awaitable[None]]
    chance: Callable[[], float]
    """A random number from 0 to 1."""
    monotonic: Callable[[], float]
    """Seconds, on a clock that never goes back."""
    announce: Callable[[CallRetried], None]


async def second_try(
    failed: Execution, *, again: Again, effect: Effect, repeat: Repeat, mode: Mode, using: Retrying
) -> tuple[Execution, ...]:
    """Everything that came of a failed call: its first execution, then each later try."""
    call = _FailedCall(again=again, effect=effect, repeat=repeat, mode=mode, using=using)
    rounds: tuple[Round[Execution, Move], ...] = await run_loop(call.loop(), first=failed)
    return tuple(played.subject for played in rounds)


class _FailedCall:
    """The five functions of the loop, and what they remember between rounds."""

    def __init__(
        self, *, again: Again, effect: Effect, repeat: Repeat, mode: Mode, using: Retrying
    ) -> None:
        self._again = again
        self._effect = effect
        self._repeat = repeat
        self._mode = mode
        self._using = using
        self._made: dict[ErrorClass, int] = {}
        self._waited = timedelta()

    def loop(self) -> Loop[Execution, Move, timedelta]:
        return Loop(
            attempt=self._attempt,
            review=self._review,
            decide=self._decide,
            undo=self._undo,
            correct=self._correct,
        )

    async def _attempt(self, number: int, pause: timedelta | None) -> Execution:
        if pause is not None:
            await self._using.sleep(pause.total_seconds())
        return await self._again(number)

    async def _review(self, execution: Execution) -> Move:
        failure = execution.failure
        if execution.outcome is Outcome.SUCCESS or failure is None:
            self._using.breaker.succeed()
            return Move.ADOPT
        self._using.breaker.fail(self._using.monotonic())
        made = self._made.get(failure.error_class, 0)
        self._made[failure.error_class] = made + 1
        return next_move(
            Failed(
                error_class=failure.error_class,
                effect=self._effect,
                repeat=self._repeat,
                tries=execution.try_number,
                made=made,
            )
        )

    def _decide(self, execution: Execution, move: Move, number: int) -> Step:  # noqa: ARG002
        if execution.outcome is Outcome.SUCCESS:
            return Step.ACCEPT
        may_repeat = move is Move.SAME and self._mode is not Mode.OBSERVE
        return Step.RETRY if may_repeat else Step.GIVE_UP

    async def _undo(self, execution: Execution, move: Move) -> None:
        """Nothing to take back: only calls whose repeat is harmless come this far."""

    async def _correct(self, execution: Execution, move: Move) -> timedelta | None:  # noqa: ARG002
        """How long to wait. `None` when there is no more time, budget or hope."""
        failure = execution.failure
        if failure is None or self._using.breaker.open(self._using.monotonic()):
            return None
        pause = self._using.backoff.wait(
            tries=execution.try_number,
            chance=self._using.chance(),
            spent=self._waited,
            asked=failure.retry_after,
        )
        if pause is None or not self._using.budget.spend():
            return None
        self._waited += pause
        self._using.announce(
            CallRetried(
                call=execution.call.id,
                tool=execution.call.tool,
                error_class=failure.error_class,
                try_number=execution.try_number + 1,
                wait=pause,
            )
        )
        return pause
