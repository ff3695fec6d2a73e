"""Retries a failed tool call, only where that is safe.

A tenant's retries of a tool are bounded by that tenant's own recent calls of it.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from datetime import timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.learning.decide import TrackRecord
from mulligan.types.call import Execution, Failure, Outcome
from mulligan.types.effect import Effect, Mode, Repeat
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.events import CallRetried
from mulligan.types.failure import ErrorClass, Move
from mulligan.types.limits import Backoff, Breaker, RetryBudget
from mulligan.types.policy import Failed, Step, choose_move

MOST_TENANTS = 1_000
"""Tenants whose traffic one process remembers: the most recent ones."""
MOST_KINDS = 10_000
"""Kinds of calls of one tool that wait for a row; beyond that the oldest are forgotten."""

CallKind = tuple[str, str, bool]
"""The key of a figure: tenant, agent, and whether there is a context."""


class Traffic:
    """Counts and bounds of one tenant's calls of one tool."""

    __slots__ = ("_record", "breaker", "budget", "calls")

    def __init__(self) -> None:
        self.breaker = Breaker()
        self.budget = RetryBudget()
        self.calls = 0
        """First tries since the last failure."""
        self._record = TrackRecord()

    @property
    def rarely_fails(self) -> bool:
        """Whether no precheck and no advice are needed."""
        return self._record.fails_rarely(self.calls)

    def count_failure(self, *, first_try: bool) -> None:
        """Record a failure: the earned retry budget is booked, and counting restarts."""
        self.budget.earn(self.calls)
        if first_try:
            self._record.count_failure(self.calls)
        self.calls = 0


class TrafficByTenant:
    """The traffic of each tenant, by its identity; the least recent tenants are forgotten."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Traffic] = {}

    def find(self, tenant: str) -> Traffic:
        """One tenant's own."""
        known = self._known.get(tenant)
        if known is None:
            known = self._known.setdefault(tenant, Traffic())
            if len(self._known) > MOST_TENANTS:
                self._known.pop(next(iter(self._known)), None)
        return known


class UnloggedCalls:
    """Successes of one tool without a row, until the next row of their kind counts them."""

    __slots__ = ("_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[CallKind, int] = {}

    def add(self, kind: CallKind) -> None:
        """Count one more call without a row."""
        with self._lock:
            self._waiting[kind] = self._waiting.get(kind, 0) + 1
            if len(self._waiting) > MOST_KINDS:
                self._waiting.pop(next(iter(self._waiting)))

    def take(self, kind: CallKind) -> int:
        """How many there were since the last row of the same kind."""
        with self._lock:
            return self._waiting.pop(kind, 0)


Again = Callable[[int], Awaitable[Execution]]
"""Makes the identical call again, as the given try."""


Look = Callable[[Execution], Awaitable[Execution | None]]
"""Probes whether a failed call took effect. Returns what its caller gets if so, which is the
failure itself where the tool has said so; `None` if it did not."""


class UnsureError(Exception):
    """A probe could not tell whether a call took effect."""


class _NotRefreshedError(Exception):
    """There are no new credentials."""


class Knowing(Struct, frozen=True, kw_only=True):
    """What a tool declares about its calls, for when one gave no answer."""

    look: Look | None = None
    once: bool = False
    """The call cannot be repeated: it may only be probed."""
    keyed: bool = False
    """Every try carries the same key, and the remote still remembers it."""
    lands_within: timedelta = timedelta()
    """How late a call can still take effect."""
    deletes: bool = False
    refresh: Callable[[], Awaitable[object]] | None = None
    """Gets new credentials."""
    in_progress: Callable[[BaseException], bool] | None = None
    """Whether a conflict is with our own first call."""

    def is_in_progress(self, failure: Failure) -> bool:
        """Whether the same key polls the call in progress instead of making a second one."""
        if self.in_progress is None or failure.error is None or not self.keyed:
            return False
        try:
            return self.in_progress(failure.error)
        except Exception:  # noqa: BLE001 - a user's function; then it is unknown
            return False

    def allows(self, move: Move) -> bool:
        """Whether this move repeats the call."""
        if self.once:
            return move is Move.PROBE
        if move is Move.REFRESH:
            return self.refresh is not None
        return move in (Move.SAME, Move.PROBE, Move.POLL)


class NextTry(Struct, frozen=True, kw_only=True):
    """The plan for the next try: how long to wait, and what comes before it."""

    wait: timedelta
    move: Move


class Retrying(Struct, frozen=True, kw_only=True):
    """The limits of a retry, and its clock and sleep."""

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


async def retry_call(
    failed: Execution, *, again: Again, effect: Effect, repeat: Repeat, mode: Mode, using: Retrying
) -> tuple[Execution, ...]:
    """All executions of a failed call: the first, then each later try."""
    call = _FailedCall(failed, again=again, effect=effect, repeat=repeat, mode=mode, using=using)
    rounds: tuple[Round[Execution, Move], ...] = await run_loop(call.build_loop(), first=failed)
    return tuple(_adopt_outcome(played) for played in rounds)


def _adopt_outcome(played: Round[Execution, Move]) -> Execution:
    """The result of a round: a failure that is as good as a success counts as one."""
    if played.step is Step.ACCEPT and played.subject.failure is not None:
        return replace(played.subject, outcome=Outcome.SUCCESS, failure=None)
    return played.subject


class _FailedCall:
    """The functions of the loop, and what they remember between rounds."""

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
        self._proven = True
        """Every try so far is proven to have changed nothing."""
        self._ended: Move | None = None
        """A step between the tries has failed: there is no next one."""

    def build_loop(self) -> Loop[Execution, Move, NextTry]:
        return Loop(
            attempt=self._attempt,
            review=self._review,
            decide=self._decide,
            correct=self._plan_next_try,
        )

    async def _attempt(self, number: int, told: NextTry | None) -> Execution:
        if told is None:
            return await self._again(number)
        await self._using.sleep(told.wait.total_seconds())
        try:
            landed = await self._prepare_try(told.move)
        except UnsureError:
            self._ended = Move.ASK
            return self._failed
        except _NotRefreshedError:
            self._ended = Move.STOP
            return self._failed
        if landed is None and self._using.knowing.once:
            self._ended = Move.STOP
            return self._failed
        if landed is not None and landed.failure is not None:
            self._ended = Move.STOP
        return landed if landed is not None else await self._again(number)

    async def _prepare_try(self, move: Move) -> Execution | None:
        """The step before the next try; an execution, if no further try is needed."""
        if move is Move.PROBE:
            return await self._look()
        refresh = self._using.knowing.refresh
        if move is Move.REFRESH and refresh is not None:
            try:
                await refresh()
            except Exception as error:
                raise _NotRefreshedError from error
        return None

    async def _look(self) -> Execution | None:
        """The result of the call, or `None` once it is proven absent."""
        knowing, using = self._using.knowing, self._using
        if knowing.look is None:
            raise UnsureError("the tool declares no probe")
        landed = await knowing.look(self._failed)
        if landed is not None or knowing.keyed:
            return landed
        # Without a key, a late first call could still land beside a second one.
        if self._waited + knowing.lands_within > using.backoff.total:
            raise UnsureError("it may still arrive")
        since = using.monotonic()
        await using.sleep(knowing.lands_within.total_seconds())
        if using.monotonic() - since < knowing.lands_within.total_seconds():
            raise UnsureError("there was no time to wait for it")
        self._waited += knowing.lands_within
        return await knowing.look(self._failed)

    async def _review(self, execution: Execution) -> Move:
        failure = execution.failure
        if self._ended is not None:
            return self._ended
        self._failed = execution
        # A proof covers its own try only: an earlier one may have landed.
        self._proven = self._proven and failure is not None and failure.nothing_done
        if execution.outcome is Outcome.SUCCESS or failure is None:
            self._using.breaker.succeed()
            return Move.ADOPT
        self._using.breaker.fail(self._using.monotonic())
        knowing = self._using.knowing
        made = self._made.get(failure.error_class, 0)
        self._made[failure.error_class] = made + 1
        return choose_move(
            Failed(
                error_class=failure.error_class,
                effect=Effect.UNDECLARED if failure.acted_within else self._effect,
                repeat=self._repeat,
                tries=execution.try_number,
                made=made,
                can_probe=knowing.look is not None,
                key_alive=knowing.keyed,
                in_progress=knowing.is_in_progress(failure),
                deletes=knowing.deletes,
                nothing_done=failure.nothing_done and self._proven,
                by_words=failure.by_words,
            )
        )

    def _decide(self, execution: Execution, move: Move, number: int) -> Step:  # noqa: ARG002
        if execution.outcome is Outcome.SUCCESS:
            return Step.ACCEPT
        if move is Move.ADOPT:
            return Step.ACCEPT
        may_repeat = self._using.knowing.allows(move) and not self._mode.only_watches
        return Step.RETRY if may_repeat else Step.GIVE_UP

    async def _plan_next_try(self, execution: Execution, move: Move) -> NextTry | None:
        """When to try again. `None` when there is no more time, budget or allowed move."""
        failure = execution.failure
        if failure is None or self._using.breaker.is_open(self._using.monotonic()):
            return None
        pause = self._using.backoff.compute_wait(
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
        return NextTry(wait=pause, move=move)
