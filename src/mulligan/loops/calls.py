"""A tool call that failed: made again where that is safe, and only there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mulligan.core.call import ErrorClass, Execution, Outcome
from mulligan.core.effect import Effect, Mode, Repeat
from mulligan.core.engine import Loop, Round, run_loop
from mulligan.core.event import CallRetried
from mulligan.core.limits import Backoff, Breaker, RetryBudget
from mulligan.core.policy import Failed, Move, Step, next_move

Again = Callable[[int], Awaitable[Execution]]
"""Makes the identical call once more, as the given try."""


Look = Callable[[], Awaitable[Execution | None]]
"""Finds out whether the call has landed: what came of it, `None` if it is not there."""


class UnsureError(Exception):
    """A look could not tell whether a call has landed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowing:
    """What a tool knows about its own calls, once one of them gave no answer."""

    look: Look | None = None
    keyed: bool = False
    """Every try carries the same key, and the remote still remembers it."""
    lands_within: timedelta = timedelta()
    """How late a call can take effect after all."""
    deletes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """How long to wait before the next try, and whether to look first."""

    wait: timedelta
    look: bool


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
    knowing: Knowing = field(default_factory=Knowing)


async def second_try(
    failed: Execution, *, again: Again, effect: Effect, repeat: Repeat, mode: Mode, using: Retrying
) -> tuple[Execution, ...]:
    """Everything that came of a failed call: its first execution, then each later try."""
    call = _FailedCall(failed, again=again, effect=effect, repeat=repeat, mode=mode, using=using)
    rounds: tuple[Round[Execution, Move], ...] = await run_loop(call.loop(), first=failed)
    return tuple(_adopted(played) for played in rounds)


def _adopted(played: Round[Execution, Move]) -> Execution:
    """What came of a round: a failure that is as good as a success counts as one."""
    if played.step is Step.ACCEPT and played.subject.failure is not None:
        return replace(played.subject, outcome=Outcome.SUCCESS, failure=None)
    return played.subject


class _FailedCall:
    """The five functions of the loop, and what they remember between rounds."""

    def __init__(
        self,
        failed: Execution,
        *,
        again: Again,
        effect: Effect,
        repeat: Repeat,
        mode: Mode,
        using: Retrying,
    ) -> None:
        self._again = again
        self._effect = effect
        self._repeat = repeat
        self._mode = mode
        self._using = using
        self._made: dict[ErrorClass, int] = {}
        self._waited = timedelta()
        self._failed = failed
        self._unsure = False
        """A look could not tell: from here on only a person can."""

    def loop(self) -> Loop[Execution, Move, Pause]:
        return Loop(
            attempt=self._attempt,
            review=self._review,
            decide=self._decide,
            undo=self._undo,
            correct=self._correct,
        )

    async def _attempt(self, number: int, pause: Pause | None) -> Execution:
        if pause is None:
            return await self._again(number)
        await self._using.sleep(pause.wait.total_seconds())
        if pause.look:
            try:
                landed = await self._look()
            except UnsureError:
                self._unsure = True
                return self._failed
            if landed is not None:
                return landed
        return await self._again(number)

    async def _look(self) -> Execution | None:
        """What came of the call, or `None` once it can be called absent for good."""
        knowing, using = self._using.knowing, self._using
        if knowing.look is None:
            raise UnsureError("there is no way to look")
        landed = await knowing.look()
        if landed is not None or knowing.keyed:
            return landed
        # Without a key, what is not there yet could still arrive beside a second call.
        if self._waited + knowing.lands_within > using.backoff.total:
            raise UnsureError("it may still arrive")
        since = using.monotonic()
        await using.sleep(knowing.lands_within.total_seconds())
        if using.monotonic() - since < knowing.lands_within.total_seconds():
            raise UnsureError("there was no time to wait for it")
        self._waited += knowing.lands_within
        return await knowing.look()

    async def _review(self, execution: Execution) -> Move:
        failure = execution.failure
        if self._unsure:
            return Move.ASK
        self._failed = execution
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
                can_probe=self._using.knowing.look is not None,
                key_alive=self._using.knowing.keyed,
                deletes=self._using.knowing.deletes,
            )
        )

    def _decide(self, execution: Execution, move: Move, number: int) -> Step:  # noqa: ARG002
        if execution.outcome is Outcome.SUCCESS:
            return Step.ACCEPT
        if move is Move.ADOPT:
            return Step.ACCEPT
        may_repeat = move in (Move.SAME, Move.PROBE) and self._mode is not Mode.OBSERVE
        return Step.RETRY if may_repeat else Step.GIVE_UP

    async def _undo(self, execution: Execution, move: Move) -> None:
        """Nothing to take back: only calls whose repeat is harmless come this far."""

    async def _correct(self, execution: Execution, move: Move) -> Pause | None:
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
        return Pause(wait=pause, look=move is Move.PROBE)
