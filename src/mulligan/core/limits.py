"""Bounds on retries: a budget against storms, a breaker against the dead. Time is passed in."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class RetryBudget:
    """Retries may be a share of the traffic, plus a burst."""

    share: float = 0.1
    burst: float = 10.0
    tokens: float = 10.0

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
    _seen: deque[float] = field(default_factory=deque)

    def fail(self, at: float) -> None:
        """Count a failure."""
        self._seen.append(at)
        while len(self._seen) > self.failures:
            self._seen.popleft()

    def succeed(self) -> None:
        """A success closes it."""
        self._seen.clear()

    def open(self, at: float) -> bool:
        """Whether retries are to be left alone for now."""
        return len(self._seen) >= self.failures and at - self._seen[0] <= self.window
