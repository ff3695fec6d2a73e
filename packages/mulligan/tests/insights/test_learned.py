from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.insights.filters import ActOrder, ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import decide_lesson, read_lesson, read_lessons
from mulligan.insights.tasks import decide_task, read_tasks
from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import LessonState


@pytest.fixture
def insights(lived: Mulligan) -> Insights:
    return lived.insights


def test_lessons_are_there_with_those_built_in(insights: Insights) -> None:
    view = read_lessons(insights, ViewRequest())

    assert view.states["active"] == view.paging.total
    assert {seen.lesson.by for seen in view.rows} > {"seed"}


@pytest.mark.parametrize(
    ("act", "state"),
    [("quarantine", LessonState.QUARANTINED), ("revoke", LessonState.RETIRED)],
)
def test_a_persons_word_counts_at_once_and_is_on_record(insights: Insights, act, state) -> None:
    own = next(s for s in read_lessons(insights, ViewRequest()).rows if s.lesson.by != "seed")

    page = decide_lesson(
        insights, ActOrder(act=act, id=own.lesson.id, by="Mum", words={"note": "doubtful"})
    )

    assert (page.lesson.state, page.lesson.by) == (state, "Mum")
    assert read_lessons(insights, ViewRequest(words={"state": state.value})).paging.total == 1
    assert insights.acts.list_acts()[0].act == f"{act} lesson {own.lesson.id}"


def test_what_is_built_in_cannot_be_decided(insights: Insights) -> None:
    seed = next(s for s in read_lessons(insights, ViewRequest()).rows if s.lesson.by == "seed")

    assert read_lesson(insights, ViewRequest(id=seed.lesson.id)).choices == ()
    with pytest.raises(ConfigurationError, match="built in"):
        decide_lesson(insights, ActOrder(act="revoke", id=seed.lesson.id, by="Mum"))


def test_a_task_is_pinned_unpinned_and_rolled_back(insights: Insights) -> None:
    (row,) = read_tasks(insights, ViewRequest()).rows
    task = row.ground.task

    pinned = decide_task(insights, ActOrder(act="pin", id=task, by="Mum", words={"version": "1"}))
    free = decide_task(insights, ActOrder(act="pin", id=task, by="Mum", words={"version": ""}))
    decide_task(insights, ActOrder(act="pin", id=task, by="Mum", words={"version": "1"}))
    back = decide_task(insights, ActOrder(act="roll_back", id=task, by="Mum"))

    assert (pinned.on_top, pinned.pinned, free.pinned, back.on_top) == (1, True, False, 0)
    assert len(insights.acts.list_acts()) == 4


@pytest.mark.parametrize("version", ["x", "-1", "9999", "٣"])
def test_a_version_that_is_not_there_is_refused(insights: Insights, version: str) -> None:
    with pytest.raises(ConfigurationError):
        decide_task(
            insights, ActOrder(act="pin", id="weekly-report", by="Mum", words={"version": version})
        )
