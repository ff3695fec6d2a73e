from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mulligan.types.errors import NaiveTimeError
from mulligan.types.values import from_us, require_aware, to_us


def test_a_time_goes_there_and_back_to_the_microsecond_in_any_century() -> None:
    for year in (1, 1969, 2026, 9999):
        at = datetime(year, 6, 15, 12, 0, 0, 1, tzinfo=UTC)

        assert from_us(to_us(at, name="at")) == at


def test_zones_do_not_matter_and_what_comes_back_is_utc() -> None:
    east = datetime(2026, 11, 15, 10, 0, tzinfo=timezone(timedelta(hours=1)))

    assert from_us(to_us(east, name="at")).isoformat() == "2026-11-15T09:00:00+00:00"


def test_a_time_without_a_zone_is_refused_by_name() -> None:
    with pytest.raises(NaiveTimeError, match="since"):
        require_aware(datetime(2026, 11, 15), name="since")
