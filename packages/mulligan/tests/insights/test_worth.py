from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.insights.filters import ViewRequest
from mulligan.insights.lessons import LessonCases, read_worth
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    Ending,
    Episode,
    Group,
    Kind,
    Lesson,
    LessonQuery,
    Offer,
    Origin,
    Remedy,
)
from tests.dashboard.stage import Stage

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def make_episode(number: int, lesson: str, *, group: Group = Group.TREATED) -> Episode:
    return Episode(
        id=f"e{number:05d}", at=NOW, tool="find", fingerprint="f", error_class=ErrorClass.RULE,
        ending=Ending.REPAIRED, group=group,
        offer=Offer(source=Origin.MEMORY, kinds=(Kind.CLAMP,), probability=0.5, n=1, lesson=lesson),
    )  # fmt: skip


def make_lesson(name: str) -> Lesson:
    return Lesson(
        id=name, version=1, tool="find", error_class=ErrorClass.RULE, when="full", statement=name,
        remedy=Remedy(), learned_at=NOW,
    )  # fmt: skip


def test_every_lesson_is_measured_or_said_not_to_be(lived: Mulligan) -> None:
    view = read_worth(lived.insights, ViewRequest())

    assert view.lessons
    for each in view.lessons:
        assert (each.lift is None) == (min(each.treated, each.control) < 5)
        assert each.treated_repaired <= each.treated


def test_without_a_control_group_nothing_is_said(stage: Stage) -> None:
    view = read_worth(stage.m.insights, ViewRequest())

    assert (view.lift, view.enough, view.calibration.n) == (None, False, 0)
    assert (view.paging.total, view.lessons) == (0, ())


def test_only_lessons_that_are_shown_are_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    casebook = stage.m.insights.store.casebook
    casebook.append([make_lesson(f"l{n:02d}") for n in range(60)])
    casebook.record([make_episode(n, f"l{n % 45:02d}") for n in range(90)])
    casebook.record([make_episode(90, "l44", group=Group.CONTROL), make_episode(91, "gone")])
    asked: list[LessonQuery] = []
    listed = type(casebook).list_lessons
    monkeypatch.setattr(
        type(casebook),
        "list_lessons",
        lambda self, query: asked.append(query) or listed(self, query),
    )
    insights = stage.m.insights

    first, last = (read_worth(insights, ViewRequest(page=page)) for page in (1, 3))

    assert (first.paging.total, first.paging.pages, first.failures) == (46, 3, 92)
    assert [each.lesson for each in first.lessons][:2] == ["l44", "l00"]
    assert (first.lessons[0].treated, first.lessons[0].control) == (2, 1)
    assert [each.lesson for each in last.lessons] == [f"l{n:02d}" for n in range(39, 44)]
    assert [len(query.ids) for query in asked] == [20, 6]


def test_a_lesson_that_is_built_in_is_measured_too(stage: Stage) -> None:
    listed = stage.m.insights.lesson_list
    seed = listed.list_built_in(LessonQuery())[0].lesson
    stage.m.insights.store.casebook.record([make_episode(1, seed.id)])

    (row,) = read_worth(stage.m.insights, ViewRequest()).lessons

    assert (row.lesson, row.statement, row.treated) == (seed.id, seed.statement, 1)


def test_few_failures_say_nothing_and_many_how_much() -> None:
    few = LessonCases(treated=9, treated_repaired=9, control=4, control_repaired=0)
    many = LessonCases(treated=90, treated_repaired=90, control=40, control_repaired=0)

    assert few.compare() == {"lift": None}
    assert many.compare()["lift"] == 1.0


def test_who_counts_a_failure_counts_how_it_ended() -> None:
    cases, episode = LessonCases(), make_episode(1, "l1")

    for each in (episode, replace(episode, ending=Ending.LEFT)):
        cases.add(each)
        cases.add(replace(each, group=Group.CONTROL))

    assert cases == LessonCases(treated=2, treated_repaired=1, control=2, control_repaired=1)
