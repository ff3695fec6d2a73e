from __future__ import annotations

import math

import pytest

from mulligan.learning.parsing import evaluate_sum


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("2 * 3.5", 7.0),
        ("1/4", 0.25),
        ("-(2 + 3)", -5),
        ("2 * math.pi", 2 * math.pi),
        ("np.pi/2", math.pi / 2),
    ],
)
def test_a_plain_sum_is_worked_out(words: str, value: float) -> None:
    assert evaluate_sum(words) == pytest.approx(value)


@pytest.mark.parametrize(
    "words",
    [
        "2026-01-05",
        "1/2/2026",
        "1-2-3",
        "10-20",
        "5 6",
        "1/0",
        "2**99",
        "x + 1",
        "pi.real",
        "",
        "1+" * 40,
    ],
)
def test_what_may_be_something_else_is_no_sum(words: str) -> None:
    assert evaluate_sum(words) is None
