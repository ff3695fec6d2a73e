"""Turns of an application, and what they know before anybody says it."""

from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.types.errors import ConfigurationError


def test_where_people_are_may_be_a_setting_and_a_turn_knows_better() -> None:
    with Mulligan("memory:", timezone="Europe/Berlin") as m:
        assert m.turn("Go").turn.timezone == "Europe/Berlin"
        assert m.turn("Go", timezone="Asia/Tokyo").turn.timezone == "Asia/Tokyo"
        assert m.turn("Go", timezone=None).turn.timezone is None


def test_a_zone_that_nobody_knows_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean 'Europe/Berlin'"):
        Mulligan("memory:", timezone="Europe/Berln")


def test_a_turn_for_one_call_knows_what_the_one_beside_it_does() -> None:
    with Mulligan("memory:", timezone="Europe/Berlin", tenant="elm") as m:
        like = m.turn("Move dinner", agent="planner", known={"home": "12 Elm St"}).turn

        beside, alone = m._opener.open_alone(like).turn, m._opener.open_alone(None).turn

    assert (beside.message, beside.agent, beside.known) == (like.message, like.agent, like.known)
    assert beside.id != like.id
    assert (alone.message, alone.timezone, alone.tenant) == ("", "Europe/Berlin", "elm")
