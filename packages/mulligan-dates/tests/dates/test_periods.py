from __future__ import annotations

import pytest

from mulligan_dates.english import ENGLISH
from mulligan_dates.parts import Edge, Month, Period, Puzzle, Quarter, WeekOf, Year
from mulligan_dates.period_rules import (
    parse_edge,
    parse_lone_year,
    parse_month,
    parse_period,
    parse_quarter,
)
from mulligan_dates.scan import scan
from mulligan_dates.tables import Side, Unit, Which


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("this week", Period(Unit.WEEK, Which.THIS)),
        ("next month", Period(Unit.MONTH, Which.NEXT)),
        ("week after next", Period(Unit.WEEK, Which.AFTER_NEXT)),
        ("month before last", Period(Unit.MONTH, Which.BEFORE_LAST)),
        ("year 2019", Year(2019)),
        ("this week 42", Puzzle()),
        ("next hour", None),
        ("week", None),
        ("next dinner", None),
    ],
)
def test_a_stretch_is_told_by_its_unit_and_which_one(said: str, part: object) -> None:
    found = parse_period(scan(said, ENGLISH), 0)

    assert (found[0][0] if found else None) == part


@pytest.mark.parametrize(
    ("parse", "said", "part"),
    [
        (parse_month, "March 2019", Month(3, 2019, None)),
        (parse_month, "next March", Month(3, None, Which.NEXT)),
        (parse_month, "March of '19", Month(3, 2019, None)),
        (parse_month, "march on", None),
        (parse_quarter, "Q3", Quarter(3)),
        (parse_quarter, "third quarter 2019", Quarter(3, 2019)),
        (parse_quarter, "2019-Q3", Quarter(3, 2019)),
        (parse_quarter, "Q5", None),
        (parse_lone_year, "2019", Year(2019)),
        (parse_lone_year, "2014 to 2018", Year(2014)),
        (parse_lone_year, "1990s", Puzzle()),
        (parse_lone_year, "2019 people came", None),
        (parse_edge, "end of the month", Edge(Side.END)),
        (parse_edge, "week of", WeekOf()),
        (parse_edge, "end it", None),
    ],
)
def test_months_quarters_years_and_edges_are_told_from_words_that_look_like_them(
    parse: object, said: str, part: object
) -> None:
    found = parse(scan(said, ENGLISH), 0)

    assert (found[0][0] if found else None) == part
