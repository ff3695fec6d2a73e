"""Times as the tables hold them: whole microseconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.core.errors import NaiveTimeError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_us(at: datetime, *, name: str) -> int:
    """Microseconds since the epoch; a time without a zone is refused by name."""
    if at.tzinfo is None or at.utcoffset() is None:
        raise NaiveTimeError(name=name, value=at)
    return (at - _EPOCH) // _MICROSECOND


def from_us(at_us: int) -> datetime:
    """The instant, aware and in UTC. No float is involved, so nothing is rounded."""
    return _EPOCH + timedelta(microseconds=at_us)


def utc_now() -> datetime:
    """The clock of a store that was given none."""
    return datetime.now(UTC)
