"""How one tenant's calls of a tool have gone of late: what bounds its retries, and no other's."""

from __future__ import annotations

import threading

from mulligan.core.waiting.limits import Breaker, RetryBudget
from mulligan.learning.decide import TrackRecord

MOST_TENANTS = 1_000
"""Tenants whose traffic one process remembers, the latest to appear."""
MOST_KINDS = 10_000
"""Kinds of calls of one tool that wait for a row; of more, the oldest are forgotten."""

CallKind = tuple[str, str, bool]
"""What figures tell apart: the tenant, the agent, and whether there is a context."""


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
        """Whether nobody need look ahead or ask around."""
        return self._record.fails_rarely(self.calls)

    def count_failure(self, *, first_try: bool) -> None:
        """One failed: what its calls have earned for retries is counted, and begins anew."""
        self.budget.earn(self.calls)
        if first_try:
            self._record.count_failure(self.calls)
        self.calls = 0


class TrafficByTenant:
    """The traffic of each tenant, by its identity; what was not heard of for long begins anew."""

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
    """Successes of one tool without a row, until the next row of their kind stands for them."""

    __slots__ = ("_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[CallKind, int] = {}

    def add(self, kind: CallKind) -> None:
        """One more that no row is kept of."""
        with self._lock:
            self._waiting[kind] = self._waiting.get(kind, 0) + 1
            if len(self._waiting) > MOST_KINDS:
                self._waiting.pop(next(iter(self._waiting)))

    def take(self, kind: CallKind) -> int:
        """How many there were since the last row of the same kind."""
        with self._lock:
            return self._waiting.pop(kind, 0)
