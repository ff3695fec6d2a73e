from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.patterns import PatternLife, read_pattern, read_patterns
from mulligan.types.errors import ConfigurationError
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract.contract import make_lesson

MONTH = ViewFilter(window=Window.MONTH)


@pytest.mark.parametrize(
    ("days", "life"),
    [
        ((1,), PatternLife.NEW),
        ((1, 5), PatternLife.KNOWN),
        ((5,), PatternLife.KNOWN),
        ((20,), PatternLife.FIXED),
        ((1, 20), PatternLife.REGRESSED),
    ],
)
def test_where_a_pattern_stands_follows_from_when_it_was_seen(
    days: tuple[int, ...], life: PatternLife
) -> None:
    now = datetime.fromisoformat("2026-11-16T09:30+00:00")
    clock = FixedClock(now - timedelta(days=25))
    with Mulligan("memory:", clock=clock, recover=False) as m:

        @m.tool
        def break_down() -> None:
            raise RuntimeError("no")

        for ago in sorted(days, reverse=True):
            clock.now = now - timedelta(days=ago)
            with pytest.raises(RuntimeError):
                break_down()
        clock.now = now
        m.flush()
        (row,) = read_patterns(m.insights, ViewRequest(filter=MONTH)).rows

    assert (row.life, row.count) == (life, len(days))


def test_a_failing_call_stands_beside_the_one_that_worked(lived: Mulligan) -> None:
    insights = lived.insights
    wanted = next(
        r
        for r in read_patterns(insights, ViewRequest(filter=MONTH)).rows
        if r.tool == "update_ticket"
    )

    page = read_pattern(insights, ViewRequest(id=wanted.fingerprint, filter=MONTH))

    assert page.failed is not None
    assert page.worked is not None
    assert page.worked.outcome == "success"
    assert {change.name for change in page.changes} == {"ticket", "state"}


def test_a_lesson_is_found_by_what_it_is_about(lived: Mulligan) -> None:
    insights = lived.insights
    rows = read_patterns(insights, ViewRequest(filter=MONTH)).rows

    found = {
        row.tool: read_pattern(insights, ViewRequest(id=row.short, filter=MONTH)).lessons
        for row in rows
        if row.error_class in ("validation", "tool_exception")
    }

    assert any(found.values())


def test_of_many_lessons_about_it_the_first_are_shown(lived: Mulligan) -> None:
    insights = lived.insights
    row = next(
        r
        for r in read_patterns(insights, ViewRequest(filter=MONTH)).rows
        if r.tool == "update_ticket"
    )
    like = replace(make_lesson(), tool=row.tool, tenant="", fingerprint=row.fingerprint)
    others = replace(like, fingerprint="another", when="nothing of the kind")
    lived.insights.store.casebook.append(
        [replace(like, id=f"like {n}") for n in range(12)]
        + [replace(others, id=f"other {n}") for n in range(12)]
    )

    page = read_pattern(insights, ViewRequest(id=row.fingerprint, filter=MONTH))

    assert len(page.lessons) == 10
    assert 12 <= page.lessons_in_all <= 14
    assert {each.fingerprint for each in page.lessons} == {row.fingerprint}


def test_one_that_was_never_seen_is_said(lived: Mulligan) -> None:
    with pytest.raises(ConfigurationError, match="no such pattern"):
        read_pattern(lived.insights, ViewRequest(id="3:ffff", filter=MONTH))
