from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan import Effect, Mulligan, MulliganError
from mulligan.core.errors import ConfigurationError, NaiveTimeError, UnknownStoreError


def test_a_store_nobody_knows_is_refused_in_one_sentence() -> None:
    with pytest.raises(UnknownStoreError) as caught:
        Mulligan("mongodb://anna:secret@db/x")

    message = str(caught.value)
    assert "mongodb" in message
    assert "sqlite:///" in message
    assert "secret" not in message


def test_a_time_without_a_zone_is_refused_with_the_value_and_the_way_out() -> None:
    with Mulligan("memory:") as m, pytest.raises(NaiveTimeError) as caught:
        m.turn("Move dinner", now=datetime(2026, 11, 15, 9, 0))

    assert "2026-11-15 09:00" in str(caught.value)
    assert "ZoneInfo" in str(caught.value)


def test_an_aware_time_is_taken_as_it_is() -> None:
    now = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    with Mulligan("memory:") as m:
        turn = m.turn("Move dinner", now=now, known={"home": "12 Elm St"}).turn

    assert turn.now == now
    assert turn.known == {"home": "12 Elm St"}


def test_decorating_something_that_cannot_be_called_is_refused() -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match="needs a function"):
        m.tool(3)


def test_an_effect_that_does_not_exist_is_refused_when_it_is_declared() -> None:
    with Mulligan("memory:") as m, pytest.raises((MulliganError, ValueError), match="maybe"):
        m.tool(effect="maybe")(len)


def test_every_row_is_accounted_for_in_the_tally() -> None:
    with Mulligan("memory:") as m:
        find = m.tool(effect=Effect.READ)(len)
        for _ in range(1000):
            find([1])
        m.flush()

        tally = m.tally()

    assert (tally.emitted, tally.stored, tally.dropped, tally.waiting) == (1000, 1000, 0, 0)


def test_closing_twice_is_fine() -> None:
    m = Mulligan("memory:")

    m.close()
    m.close()
