"""What counts as right, wrong and silent where resolvers of dates are compared."""

from __future__ import annotations

import pytest

from bench.answers import Answer, score

MARCH = Answer.read(["stretch", "2027-03-01T00:00", "2027-04-01T00:00"])
TENTH = Answer.read(["day", "2027-03-10T00:00", "2027-03-11T00:00"])


@pytest.mark.parametrize(
    ("group", "value", "answers", "expected"),
    [
        ("period", "2027-03-01", [MARCH], "right"),
        ("period", "2027-03-10", [MARCH], "silent"),
        ("period", "2027-04-01", [MARCH], "wrong"),
        ("core", "2027-03-01", [MARCH], "silent"),
        ("core", "2027-03-10", [TENTH], "right"),
        ("negative", "2027-03-10", [], "right"),
        ("negative", "2027-03-10", [TENTH], "wrong"),
    ],
)
def test_a_period_is_asked_for_its_first_day_and_no_time_for_silence(
    group: str, value: str, answers: list[Answer], expected: str
) -> None:
    case = {"group": group, "kind": "date", "value": value, "alternatives": [], "holiday": False}

    assert score(case, answers) == expected
