"""Pitfalls say what an agent would be told at the failure: the same lessons, as they count now."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mulligan import Memory, Mulligan
from mulligan.types.lesson import LessonQuery, LessonState


class RefusedError(Exception):
    status_code = 422


def declare_first(m: Mulligan):
    @m.tool(effect="read")
    def find(order_id: str) -> str:
        if not order_id.startswith("#"):
            raise LookupError(f"Order {order_id} not found")
        return "ok"

    return find


def declare_next(m: Mulligan):
    @m.tool(effect="read")
    def find(order_id: int) -> str:
        raise LookupError(f"Order {order_id} not found")

    return find


def teach(m: Mulligan, *, agent: str = "ann") -> None:
    find = declare_first(m)
    for number in range(6):
        with m.turn(f"find W{number}7", agent=agent):
            with pytest.raises(LookupError):
                find(f"W{number}7")
            find(f"#W{number}7")
    m.flush()
    m.insights.lesson_list.consolidate()


def test_an_agent_is_told_what_helps_against_its_failures_whoever_found_out() -> None:
    with Mulligan("memory:", memory=Memory(control=0, seeds=False)) as m:
        teach(m)
        again = declare_first(m)
        with m.turn("find K77", agent="bob"), pytest.raises(LookupError) as caught:
            again("K77")
        m.flush()

        told = m.pitfalls("find", agent="bob")
        stranger = m.pitfalls("find", agent="eve")

    assert "order_id='#K77'" in str(caught.value.mulligan)  # type: ignore[attr-defined]
    assert "`order_id` must be given with '#' in front" in told
    assert "No remedy" not in told
    assert stranger == ""


def test_a_lesson_of_another_schema_is_a_candidate_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lessons.db"
    with Mulligan(url, memory=Memory(control=0, seeds=False), recover=False) as m:
        teach(m)
        assert "must be given with '#'" in m.pitfalls("find")

    with Mulligan(url, memory=Memory(control=0, seeds=False), recover=False) as m:
        find = declare_next(m)
        with m.turn("find 77"), pytest.raises(LookupError):
            find(77)
        m.flush()
        lessons = m.insights.lesson_list

        [seen] = lessons.list_lessons(LessonQuery())
        assert seen.lesson.state is LessonState.CANDIDATE
        assert seen.lesson.why == "the tool's schema has changed"
        assert lessons.list_lessons(LessonQuery(state=LessonState.ACTIVE)) == []
        assert len(lessons.list_lessons(LessonQuery(state=LessonState.CANDIDATE))) == 1
        assert "must be given with '#'" not in m.pitfalls("find")


def test_what_a_turn_got_over_is_counted_by_call() -> None:
    with Mulligan("memory:", memory=Memory(control=0, seeds=False)) as m:

        @m.tool(effect="read", mode="auto")
        def search(limit: int) -> str:
            if not isinstance(limit, int):
                raise RefusedError("limit: Input should be a valid integer")
            raise LookupError("no such index")

        for _ in range(5):
            with m.turn("search"), pytest.raises(RefusedError):
                search(limit="5")
        m.flush()
        figures = m.insights.figures(timedelta(hours=2))

    assert figures.all_calls.failed == 5
    assert figures.all_calls.tries >= 10
    assert figures.recovered.n == 5
    assert figures.recovered.figure == 0


def test_figures_of_a_sampled_log_are_of_every_call() -> None:
    with Mulligan("memory:", sample=0.2, recover=False) as m:

        @m.tool(effect="undeclared")
        def look(number: int) -> str:
            if number % 50 == 0:
                raise KeyError("gone")
            return "ok"

        for number in range(1000):
            try:
                look(number)
            except KeyError:
                continue
        m.flush()
        counted = m.insights.figures(timedelta(hours=2)).all_calls

    # Those after the last row wait for the next one: at five of six, hardly ever as many as forty.
    assert 960 < counted.calls <= 1000
    assert counted.failed == 20
    assert counted.succeeded.n == round(counted.calls)
