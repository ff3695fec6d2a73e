from __future__ import annotations

import pytest

from mulligan_dates.tables import ZONES
from mulligan_dates.tokens import tokenize


@pytest.mark.parametrize(
    ("letters", "hours"),
    [("UTC", 0), ("z", 0), ("CET", 1), ("cest", 2), ("ist", 5.5), ("EST", -5), ("pdt", -7)],
)
def test_letters_say_how_far_east_of_greenwich_a_clock_is(letters: str, hours: float) -> None:
    assert ZONES.match(tokenize(letters), 0) == (60 * hours, 1)
