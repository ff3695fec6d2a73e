"""Bounds on retries and on judges: waits, budgets, a breaker. Time and chance are passed in."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import field
from datetime import timedelta

from mulligan.core.runtime.dataclass import dataclass

ATTEMPTS = 2
"""Tries of one turn, the one after a correction included."""
JUDGE_UNDOS = 10
"""Actions of one tenant that a judge alone may have undone within an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLimits:
    """How long a judge's answer may take, and be."""

    timeout: timedelta = timedelta(seconds=5)
    """For the whole question, where a person waits for the answer."""
    tokens: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait between tries: full jitter, bounded each time and in total."""

    first: timedelta = timedelta(seconds=0.2)
    longest: timedelta = timedelta(seconds=10)
    total: timedelta = timedelta(seconds=60)

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

    A judge that somebody owns, or that is simply wrong, does so much harm and no more.
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
        """Whether nobody was told that it is spent, since something was last taken out of it."""
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
