"""Questions about what was learned, and a person's word on it: lessons, tasks, their worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mulligan.app.insights.estimates import Estimate
from mulligan.app.insights.insights import Insights
from mulligan.app.insights.lesson_list import BUILT_IN, LessonSeen
from mulligan.app.insights.task_list import TaskPage, TasksView, build_task_page
from mulligan.app.insights.views.acts import ActLog
from mulligan.app.insights.views.answers.notebook import LessonPage, LessonsView, build_lesson_page
from mulligan.app.insights.views.answers.worth import WorthView, build_worth, weigh_failures
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.keeper import LONG, AnswerCache
from mulligan.app.insights.views.liking import MOST_TURNS, estimate_liking
from mulligan.app.insights.views.paging import SIZE, cut_page
from mulligan.core.errors import ConfigurationError
from mulligan.core.failures.lesson import LessonQuery, LessonState, Use

MOST_LESSONS = 10_000


class LearnedViews:
    """What was learned."""

    def __init__(self, insights: Insights, *, cache: AnswerCache, acts: ActLog) -> None:
        self._insights = insights
        self._cache = cache
        self._acts = acts

    def read_lessons(self, asked: ViewFilter, *, page: int = 1, state: str = "") -> LessonsView:
        """Lessons, those that wait for a word first."""
        found = self._list_lessons(asked)
        states: dict[str, int] = {}
        for seen in found:
            states[seen.lesson.state.value] = states.get(seen.lesson.state.value, 0) + 1
        fitting = [seen for seen in found if state in ("", seen.lesson.state.value)]
        paging, shown = cut_page(fitting, number=page)
        return LessonsView(asked=asked, paging=paging, states=states, rows=tuple(shown))

    def read_lesson(self, lesson: str, *, page: int = 1) -> LessonPage:
        """One lesson, with its evidence; of the calls it touched no more than a page needs."""
        listed = self._insights.lesson_list
        history = listed.read_history(lesson, newest=max(page * SIZE, MOST_TURNS))
        return build_lesson_page(
            history,
            page=page,
            rated_up=self.estimate_liking(history.uses),
            built_in=history.lesson.id.startswith(f"{BUILT_IN}-"),
        )

    def estimate_liking(self, uses: Sequence[Use]) -> Estimate:
        """What people thought of replies that a lesson may have had a hand in."""
        return estimate_liking(self._insights.store.log, uses)

    def decide_lesson(self, act: str, lesson: str, *, by: str, note: str = "") -> LessonPage:
        """Approve, quarantine or revoke; it is on record who did."""
        listed = self._insights.lesson_list
        acts: dict[str, Callable[..., object]] = {
            "approve": listed.approve,
            "quarantine": listed.quarantine,
            "revoke": listed.revoke,
        }
        self._acts.record(
            lambda: acts[act](lesson, by=by, note=note), by=by, what=f"{act} lesson {lesson}"
        )
        self._cache.forget()
        return self.read_lesson(lesson)

    def read_worth(self, asked: ViewFilter, *, page: int = 1) -> WorthView:
        """Whether learning helped."""
        listed = self._insights.lesson_list
        casebook = self._insights.store.casebook
        weighed = self._cache.keep(
            ("worth", asked.tool, asked.tenant),
            lambda: weigh_failures(listed, casebook=casebook, asked=asked),
            life=LONG,
        )
        return self._cache.keep(
            ("worth", asked, page),
            lambda: build_worth(weighed, listed, asked=asked, page=page),
            life=LONG / 6,
        )

    def read_tasks(self, asked: ViewFilter) -> TasksView:
        """Every task, on each ground."""
        found = self._insights.task_list.list_tasks()
        rows = [each for each in found if asked.tenant in (None, each.ground.tenant)]
        return TasksView(asked=asked, rows=tuple(rows))

    def read_task(self, task: str) -> TaskPage:
        """One task with all its versions."""
        listed = self._insights.task_list
        history = listed.read_history(task)
        differences = {
            notes.version: tuple(listed.diff(task, one=notes.parent, other=notes.version))
            for notes in history.versions
            if notes.parent is not None
        }
        return build_task_page(history, differences)

    def pin_task(self, task: str, *, version: str, by: str) -> TaskPage:
        """Give a version every run from now on; an empty one lets runs decide again."""
        if version and not (version.isascii() and version.isdecimal() and len(version) < 9):
            raise ConfigurationError(f"{version!r} is no version; they are numbered from 0.")
        wanted = int(version) if version else None
        pin = self._insights.task_list.pin
        what = f"pin task {task} to {version}" if version else f"unpin task {task}"
        self._acts.record(lambda: pin(task, version=wanted), by=by, what=what)
        return self.read_task(task)

    def roll_task_back(self, task: str, *, by: str) -> TaskPage:
        """Take the version on top out."""
        roll_back = self._insights.task_list.roll_back
        self._acts.record(lambda: roll_back(task), by=by, what=f"roll back task {task}")
        return self.read_task(task)

    def _list_lessons(self, asked: ViewFilter) -> list[LessonSeen]:
        tool = None if asked.tool is None else asked.tool.rpartition("/")[2]
        query = LessonQuery(tool=tool, tenant=asked.tenant, agent=asked.agent, limit=MOST_LESSONS)
        listed = self._insights.lesson_list
        order = list(LessonState)
        return self._cache.keep(
            ("lessons", query),
            lambda: sorted(
                listed.list_lessons(query) + listed.list_built_in(query),
                key=lambda seen: (order.index(seen.lesson.state), -seen.balance.helped),
            ),
        )
