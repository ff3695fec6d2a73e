from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.process.event_loop import read_utc_now


def test_the_time_is_aware_and_now() -> None:
    now = read_utc_now()

    assert now.utcoffset() == timedelta()
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)
