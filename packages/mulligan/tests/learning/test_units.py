from __future__ import annotations

import pytest

from mulligan.learning.coerce import convert_unit


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("30 min", "seconds", 1800),
        ("1.5 hours", "minutes", 90),
        ("90s", "minutes", 1.5),
        ("250ms", "seconds", 0.25),
        ("2 MB", "bytes", 2_000_000),
        ("5 km", "metres", 5_000),
        # No unit, one of another kind, or none that is known.
        ("30", "seconds", None),
        ("5 km", "seconds", None),
        ("5 apples", "seconds", None),
        ("soon", "seconds", None),
        ("1 h 30 min", "seconds", None),
    ],
)
def test_an_amount_with_its_unit_is_converted(text: str, unit: str, amount: float | None) -> None:
    assert convert_unit(text, unit) == amount
