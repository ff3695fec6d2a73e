"""The clock of a store that was given none."""

from __future__ import annotations

from datetime import UTC, datetime


def read_utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)
