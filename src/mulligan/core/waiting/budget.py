"""What a text may take in all: time, tokens, money. Nobody waits for one for ever."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.waiting.timeouts import run_with_timeout

TIME = timedelta(minutes=2)
"""For a whole text, every try of it included: longer than a slow model takes, and not for ever."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a text may take in all. `None`: no limit."""

    tokens: int | None = None
    money: float | None = None
    """In whatever unit the writer reports."""
    time: timedelta | None = TIME

    def __post_init__(self) -> None:
        if self.time is not None and not isinstance(self.time, timedelta):
            raise ConfigurationError(f"time is {self.time!r}; write timedelta(seconds=…), or None.")
        for name in ("tokens", "money", "time"):
            limit = getattr(self, name)
            if limit is not None and limit <= type(limit)(0):
                raise ConfigurationError(f"{name} is {limit}; nothing could ever be written.")


NO_LIMIT = Budget(time=None)


class Meter:
    """What was spent so far. Writers report tokens and money; time goes by itself."""

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
    def seconds_left(self) -> float | None:
        """Until the time is up; `None` when there is no limit."""
        if self._budget.time is None:
            return None
        return self._budget.time.total_seconds() - (self._monotonic() - self._began)

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
        """What the work comes to, or a `TimeoutError` when the time is up: it is left behind."""
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
