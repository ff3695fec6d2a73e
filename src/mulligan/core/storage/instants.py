"""Times as tables and rows hold them: whole microseconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.core.errors import NaiveTimeError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def require_aware(value: datetime, *, name: str) -> datetime:
    """Return `value` unchanged, or raise if it has no zone."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveTimeError(name=name, value=value)
    return value


def to_us(at: datetime, *, name: str) -> int:
    """Microseconds since the epoch; a time without a zone is refused by name."""
    return (require_aware(at, name=name) - _EPOCH) // _MICROSECOND


def from_us(at_us: int) -> datetime:
    """The instant, aware and in UTC. No float is involved, so nothing is rounded."""
    return _EPOCH + timedelta(microseconds=at_us)
