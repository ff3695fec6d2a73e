"""Limits: retries, judges, time, tokens and money for a text, how long things are kept."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, TypeVar

from msgspec import Struct

from mulligan.process.user_functions import run_with_timeout
from mulligan.types.errors import ConfigurationError

STUCK_AFTER = 10
"""Identical failures of a call in one turn, after which it is not made again in it."""
ATTEMPTS = 2
"""Tries of one turn, the one after a correction included."""
JUDGE_UNDOS = 10
"""Actions of one tenant that a judge alone may have undone within an hour."""


Seconds = Annotated[timedelta, "seconds"]
"""A setting that is given in seconds, where a plain duration is given in days."""


class JudgeLimits(Struct, frozen=True, kw_only=True):
    """What a judge may take, and do."""

    timeout: Seconds = timedelta(seconds=5)
    """How long an answer may take while a caller waits, the whole question."""
    tokens: int = 1_000
    """How long its answer may be, in tokens."""
    undos: int = JUDGE_UNDOS
    """How many actions of one tenant a judge alone may have undone within an hour, in one process;
    what it rejects beyond that stands and needs attention. 0: always a person."""

    def __post_init__(self) -> None:
        if self.timeout <= timedelta(0):
            raise ConfigurationError(
                f"A judge's timeout is {self.timeout}; no answer could ever be in time: say how "
                "many seconds there are."
            )
        if self.tokens < 1:
            raise ConfigurationError(f"A judge's tokens are {self.tokens}; it is at least 1.")
        if self.undos < 0:
            raise ConfigurationError(
                f"A judge's undos are {self.undos}; it is how many actions a judge alone may have "
                "undone within an hour: 0 or more."
            )


class Backoff(Struct, frozen=True, kw_only=True):
    """How long to wait between tries: full jitter, bounded each time and in total."""

    first: Seconds = timedelta(seconds=0.2)
    """At most so long before the second try; twice as long before each that follows."""
    longest: Seconds = timedelta(seconds=10)
    """Before any of them."""
    total: Seconds = timedelta(seconds=60)
    """For all of them."""

    def compute_wait(
        self, *, tries: int, chance: float, spent: timedelta, asked: timedelta | None = None
    ) -> timedelta | None:
        """The wait before the next try, or `None` when the total would be exceeded.

        `chance` is a random number from 0 to 1; `asked` is the remote's own Retry-After.
        """
        ceiling = min(self.longest, self.first * 2 ** min(tries - 1, 20))
        pause = max(ceiling * chance, asked or timedelta())
        return pause if spent + pause <= self.total else None


@dataclass(slots=True, kw_only=True)
class RetryBudget:
    """Retries may be a share of the traffic, plus a burst."""

    share: float = 0.1
    burst: float = 10.0
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def earn(self, calls: int = 1) -> None:
        """Count first tries."""
        self.tokens = min(self.burst, self.tokens + calls * self.share)

    def spend(self) -> bool:
        """Take a retry out of the budget, if there is one."""
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


@dataclass(slots=True, kw_only=True)
class Breaker:
    """Stops retries of a tool that has failed too often of late."""

    failures: int = 5
    window: float = 30.0
    """Seconds, on a monotonic clock."""
    failing: bool = False
    """Whether there is a failure that no success has followed: asked at every call."""
    _seen: deque[float] = field(default_factory=deque)

    def fail(self, at: float) -> None:
        """Count a failure."""
        self.failing = True
        self._seen.append(at)
        while len(self._seen) > self.failures:
            self._seen.popleft()

    def succeed(self) -> None:
        """A success closes it."""
        self.failing = False
        self._seen.clear()

    def is_open(self, at: float) -> bool:
        """Whether retries are to be left alone for now."""
        return len(self._seen) >= self.failures and at - self._seen[0] <= self.window


@dataclass(slots=True, kw_only=True)
class UndoBudget:
    """How many actions a judge alone may have undone in a while, for each tenant.

    A judge that is compromised, or simply wrong, does so much harm and no more.
    """

    most: int = JUDGE_UNDOS
    window: float = 3_600.0
    """Seconds, on a monotonic clock."""
    monotonic: Callable[[], float] = time.monotonic
    _spent: dict[str, deque[float]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, tenant: str, actions: int) -> bool:
        """Take undos out of the budget, if there are so many left; else none."""
        now = self.monotonic()
        with self._lock:
            self._forget(before=now - self.window)
            spent = self._spent.setdefault(tenant, deque())
            if len(spent) + actions > self.most:
                return False
            spent.extend([now] * actions)
            self._told.discard(tenant)
            return True

    def is_news(self, tenant: str) -> bool:
        """Whether its exhaustion was not reported since the last withdrawal."""
        with self._lock:
            told = tenant in self._told
            self._told.add(tenant)
            return not told

    def _forget(self, *, before: float) -> None:
        for tenant, spent in list(self._spent.items()):
            while spent and spent[0] <= before:
                spent.popleft()
            if not spent:
                del self._spent[tenant]


TEXT_TIME = timedelta(minutes=2)
"""For a whole text, every try of it included: longer than a slow model takes, and not for ever."""

T = TypeVar("T")


class Budget(Struct, frozen=True, kw_only=True):
    """What a text may take in all. `None`: no limit."""

    tokens: int | None = None
    money: float | None = None
    """In whatever unit the writer reports."""
    time: timedelta | None = TEXT_TIME

    def __post_init__(self) -> None:
        if self.time is not None and not isinstance(self.time, timedelta):
            raise ConfigurationError(f"time is {self.time!r}; write timedelta(seconds=…), or None.")
        for name in ("tokens", "money", "time"):
            limit = getattr(self, name)
            if limit is not None and limit <= type(limit)(0):
                raise ConfigurationError(f"{name} is {limit}; nothing could ever be written.")


NO_LIMIT = Budget(time=None)


def require_budget(value: object) -> None:
    """Refuse what is no budget, such as a bare time."""
    if not isinstance(value, Budget):
        raise ConfigurationError(f"budget={value!r} is none: use Budget(time=…).")


class Meter:
    """What was spent so far. Writers and judges report tokens and money; time is measured."""

    def __init__(self, budget: Budget, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._monotonic = monotonic
        self._began = monotonic()
        self.tokens = 0
        self.money = 0.0

    def spend(self, *, tokens: object = 0, money: object = 0.0) -> None:
        """Report what a model call took. What is no amount counts as nothing: a text is not lost
        for what its writer says of its price."""
        self.tokens += int(_read_amount(tokens))
        self.money += _read_amount(money)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self._monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """Until the time is up; `None` when there is no limit."""
        if self._budget.time is None:
            return None
        return self._budget.time.total_seconds() - self.seconds

    @property
    def spent(self) -> str:
        """Which limit is reached: `time`, `tokens` or `money`; empty while none is."""
        left = self.seconds_left
        if left is not None and left <= 0:
            return "time"
        if self._budget.tokens is not None and self.tokens >= self._budget.tokens:
            return "tokens"
        if self._budget.money is not None and self.money >= self._budget.money:
            return "money"
        return ""

    @property
    def used_up(self) -> bool:
        """Whether no further model call may be made."""
        return bool(self.spent)

    async def wait_for(
        self, work: Coroutine[Any, Any, T], *, at_most: timedelta | None = None
    ) -> T:
        """The result of the work, or a `TimeoutError` when the time is up: it is left behind."""
        left = self.seconds_left
        limits = [] if left is None else [timedelta(seconds=max(left, 0.0))]
        limits += [] if at_most is None else [at_most]
        return await run_with_timeout(work, within=min(limits) if limits else None)


def _read_amount(said: object) -> float:
    try:
        amount = float(said) if isinstance(said, int | float) else 0.0
    except OverflowError:
        return 0.0
    return max(amount, 0.0) if math.isfinite(amount) else 0.0


class Retention(Struct, frozen=True, kw_only=True):
    """How long each kind of record is kept. Open actions are kept for ever."""

    log: timedelta = timedelta(days=30)
    """Of the log, after the call."""
    settled: timedelta = timedelta(days=90)
    """Of the journal, after the action was settled."""
    kept: timedelta = timedelta(days=7)
    """Of the vault, after the action was settled."""
    learned: timedelta = timedelta(days=90)
    """What was learned from: episodes of failures, runs of tasks and retired versions."""
