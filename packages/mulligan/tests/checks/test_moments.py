"""Zones that are given by name: what is known, and what is said of one that is not."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from mulligan.checks import subject
from mulligan.checks.subject import require_zone
from mulligan.types.errors import ConfigurationError


def test_a_zone_that_there_is_is_found_and_none_is_none() -> None:
    assert require_zone("Europe/Berlin") == ZoneInfo("Europe/Berlin")
    assert require_zone(None) is None
    assert require_zone("") is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("Europe/Berln", "Nobody knows the time zone 'Europe/Berln'. Did you mean 'Europe/Berlin'"),
        ("Europe/Berln", "Leave it out where nobody knows it."),
        ("../etc/passwd", "Give one such as 'Europe/Berlin'."),
        ("Europe", "Nobody knows the time zone 'Europe'."),
        (ZoneInfo("Europe/Berlin"), "Pass timezone='Europe/Berlin'."),
    ],
)  # fmt: skip
def test_a_zone_nobody_knows_is_refused_with_what_to_do(given: object, says: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        require_zone(given)

    assert says in str(refused.value)


def test_a_machine_without_zones_says_where_they_come_from(monkeypatch) -> None:
    monkeypatch.setattr(subject, "find_zone", lambda name: None)
    monkeypatch.setattr(subject, "available_timezones", set)

    with pytest.raises(ConfigurationError, match="pip install tzdata"):
        require_zone("Europe/Berlin")
