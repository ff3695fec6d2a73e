from __future__ import annotations

import pytest

from mulligan_dates.calendar import find_feast
from mulligan_dates.german import FEASTS
from mulligan_dates.tokens import END, tokenize


@pytest.mark.parametrize("word", sorted(FEASTS))
def test_every_name_has_a_day(word: str) -> None:
    tokens = [*tokenize(word), *[END] * 4]
    found = FEASTS.match(tokens, 0)

    # A name of several words is found only as a whole.
    assert found is None or find_feast(found[0], 2026, country="DE") is not None


def test_the_second_day_of_christmas_is_not_the_first() -> None:
    days = {
        name: find_feast(FEASTS.match([*tokenize(name), END], 0)[0], 2026, country=None)
        for name in ("Weihnachten", "Stephanstag")
    }

    assert {name: str(day) for name, day in days.items()} == {
        "Weihnachten": "2026-12-25",
        "Stephanstag": "2026-12-26",
    }
