from __future__ import annotations

from mulligan import Mulligan
from mulligan.insights.filters import ActOrder, ViewRequest
from mulligan.insights.lessons import decide_lesson, read_lesson
from mulligan.insights.tasks import read_task
from mulligan.types.notes import NotesState
from mulligan_testing.store_contract.contract import make_lesson, make_use
from tests.dashboard.stage import Stage


def test_a_task_is_a_tree_of_versions(lived: Mulligan) -> None:
    page = read_task(lived.insights, ViewRequest(id="weekly-report"))

    numbers = [each.notes.version for each in page.versions]
    assert numbers == sorted(numbers, reverse=True)
    assert page.versions[-1].depth == 0
    assert {each.notes.version for each in page.versions if each.leads} >= {0, page.on_top}
    assert all(each.depth > 0 for each in page.versions[:-1])
    assert any(line.startswith("+") for line in page.versions[-2].difference)
    assert {each.state for each in page.versions} & set(NotesState)


def test_a_lesson_offers_what_its_state_lets_it(lived: Mulligan) -> None:
    insights = lived.insights
    lesson = next(s for s in lived.insights.lesson_list.list_lessons(_every()) if s).lesson.id

    assert read_lesson(insights, ViewRequest(id=lesson)).choices == ("quarantine", "revoke")
    decide_lesson(insights, ActOrder(act="quarantine", id=lesson, by="Mum"))
    assert read_lesson(insights, ViewRequest(id=lesson)).choices == ("approve", "revoke")
    assert len(read_lesson(insights, ViewRequest(id=lesson)).versions) > 1


def test_calls_that_a_lesson_touched_are_pages_with_the_newest_first(stage: Stage) -> None:
    casebook, insights = stage.m.insights.store.casebook, stage.m.insights
    casebook.append([make_lesson()])
    casebook.use([make_use(number) for number in range(130)])

    first, last = (read_lesson(insights, ViewRequest(id="l1", page=page)) for page in (1, 99))

    assert (first.paging.total, first.paging.pages, last.paging.number) == (130, 7, 7)
    assert [use.call for use in first.uses] == [make_use(n).call for n in range(129, 109, -1)]
    assert [use.call for use in last.uses] == [make_use(n).call for n in range(9, -1, -1)]


def _every():
    from mulligan.types.lesson import LessonQuery, LessonState

    return LessonQuery(state=LessonState.ACTIVE)
