from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.insights.filters import ViewFilter
from mulligan.insights.views import Views
from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import LessonState


@pytest.fixture
def views(lived: Mulligan) -> Views:
    return Views(lived.insights)


def test_lessons_are_there_with_those_built_in(views: Views) -> None:
    view = views.learned.read_lessons(ViewFilter())

    assert view.states["active"] == view.paging.total
    assert {seen.lesson.by for seen in view.rows} > {"seed"}


@pytest.mark.parametrize(
    ("act", "state"),
    [("quarantine", LessonState.QUARANTINED), ("revoke", LessonState.RETIRED)],
)
def test_a_persons_word_counts_at_once_and_is_on_record(views: Views, act, state) -> None:
    own = next(s for s in views.learned.read_lessons(ViewFilter()).rows if s.lesson.by != "seed")

    page = views.learned.decide_lesson(act, own.lesson.id, by="Mum", note="doubtful")

    assert (page.lesson.state, page.lesson.by) == (state, "Mum")
    assert views.learned.read_lessons(ViewFilter(), state=state.value).paging.total == 1
    assert views.acts.list_acts()[0].act == f"{act} lesson {own.lesson.id}"


def test_what_is_built_in_cannot_be_decided(views: Views) -> None:
    seed = next(s for s in views.learned.read_lessons(ViewFilter()).rows if s.lesson.by == "seed")

    assert views.learned.read_lesson(seed.lesson.id).choices == ()
    with pytest.raises(ConfigurationError, match="built in"):
        views.learned.decide_lesson("revoke", seed.lesson.id, by="Mum")


def test_a_task_is_pinned_unpinned_and_rolled_back(views: Views) -> None:
    learned = views.learned
    (row,) = learned.read_tasks(ViewFilter()).rows
    task = row.ground.task

    pinned = learned.pin_task(task, version="1", by="Mum")
    free = learned.pin_task(task, version="", by="Mum")
    learned.pin_task(task, version="1", by="Mum")
    back = learned.roll_task_back(task, by="Mum")

    assert (pinned.on_top, pinned.pinned, free.pinned, back.on_top) == (1, True, False, 0)
    assert len(views.acts.list_acts()) == 4


@pytest.mark.parametrize("version", ["x", "-1", "9999", "٣"])
def test_a_version_that_is_not_there_is_refused(views: Views, version: str) -> None:
    with pytest.raises(ConfigurationError):
        views.learned.pin_task("weekly-report", version=version, by="Mum")
