"""What a turn refuses to be told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest

from mulligan.types.errors import ConfigurationError, NaiveTimeError
from mulligan.types.turn import Turn, require_aware


class Unsure(tzinfo):
    """A zone that does not know its offset, which is as good as none."""

    def utcoffset(self, moment):
        return None

    def dst(self, moment):
        return None

    def tzname(self, moment):
        return "?"


@pytest.mark.parametrize(
    "now", [datetime(2026, 11, 16, 9, 30), datetime(2026, 11, 16, 9, 30, tzinfo=Unsure())]
)
def test_a_time_without_a_zone_is_refused_with_the_value_and_the_way_out(now):
    with pytest.raises(NaiveTimeError) as refused:
        Turn(id="t1", now=now)

    message = str(refused.value)
    assert "now" in message
    assert "2026-11-16 09:30" in message
    assert "datetime.now(ZoneInfo(" in message


def test_an_aware_time_is_kept_as_it_is():
    for zone in (UTC, timezone(timedelta(hours=-3)), ZoneInfo("Europe/Berlin")):
        now = datetime(2026, 11, 16, 9, 30, tzinfo=zone)

        assert Turn(id="t1", now=now).now is now
        assert require_aware(now, name="since") is now


@pytest.mark.parametrize("name", ["agent", "context", "tenant", "principal"])
def test_what_must_be_text_is_refused_by_name_and_kind_when_it_is_not(name):
    with pytest.raises(ConfigurationError) as refused:
        Turn(id="t1", now=datetime(2026, 11, 16, tzinfo=UTC), **{name: 7})

    assert str(refused.value) == f"{name} must be text, not int. Pass {name}='…' or leave it out."


def test_what_a_turn_knows_by_default_cannot_leak_into_another_turn():
    turn = Turn(id="t1", now=datetime(2026, 11, 16, tzinfo=UTC))

    with pytest.raises(TypeError):
        turn.known["home"] = "Elm Street 1"
