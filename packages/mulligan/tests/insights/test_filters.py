from __future__ import annotations

import pytest

from mulligan.insights.figures import NOBODY, SeriesStep
from mulligan.insights.filters import ViewFilter, Window
from mulligan.types.log import Slot

SLOT = Slot(0, "acme", "crm", "find", "")


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        ({}, True),
        ({"tool": "find"}, True),
        ({"tool": "crm/find"}, True),
        ({"tool": "crm"}, False),
        ({"agent": NOBODY}, True),
        ({"agent": "planner"}, False),
        ({"tenant": "acme"}, True),
        ({"tenant": "other"}, False),
        ({"tool": "find", "tenant": "other"}, False),
    ],
)
def test_what_is_asked_for(asked: dict[str, str], fits: bool) -> None:
    assert ViewFilter(**asked).fits(SLOT) is fits


def test_a_day_is_drawn_by_the_hour() -> None:
    assert [window.step for window in Window] == [
        SeriesStep.HOUR, SeriesStep.DAY, SeriesStep.DAY,
    ]  # fmt: skip
