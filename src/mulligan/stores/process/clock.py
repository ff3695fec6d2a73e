"""The clocks of a store: the time of day, and one that nobody can set."""

from __future__ import annotations

import time
from datetime import UTC, datetime

_COUNTS_SLEEP: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def read_utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def read_uptime() -> float:
    """Seconds that never jump; where the system can tell, those it slept through as well."""
    return time.monotonic() if _COUNTS_SLEEP is None else time.clock_gettime(_COUNTS_SLEEP)
