"""Every page's question to one store, with what may be kept between two of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.cache import LONG, AnswerCache, CountReader
from mulligan.insights.figures import NOBODY, WINDOWS, Estimate, SeriesStep, name_tool
from mulligan.insights.filters import SIZE, ViewFilter, Window, cut_page
from mulligan.insights.health import ActLog, HealthView, ThoroughLook, build_health_view
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import (
    BUILT_IN,
    MOST_RATED_TURNS,
    LessonPage,
    LessonSeen,
    LessonsView,
    WorthView,
    build_lesson_page,
    build_worth,
    estimate_ratings,
    weigh_failures,
)
from mulligan.insights.open_actions import (
    Act,
    ActionPage,
    OpenItem,
    OpenList,
    OpenPage,
    build_item,
    read_action_page,
)
from mulligan.insights.overview import (
    Criterion,
    Overview,
    TrendPoint,
    build_trend,
    find_middle,
    read_windows,
)
from mulligan.insights.patterns import (
    PatternPage,
    PatternReader,
    PatternRow,
    PatternsView,
    count_lives,
    list_pattern_rows,
    read_pattern_page,
)
from mulligan.insights.tasks import TaskPage, TasksView, build_task_page
from mulligan.insights.texts import TextsView, read_texts
from mulligan.insights.tools import (
    RepairsView,
    ToolsView,
    add_up_faults,
    build_heat,
    build_repairs,
    find_changed,
    rank_agents,
    rank_tools,
)
from mulligan.insights.turns import TurnPage, TurnRow, TurnsView, list_turn_rows, read_turn_page
from mulligan.types.action import Action, State
from mulligan.types.call import LogRow
from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import LessonQuery, LessonState, Use
from mulligan.types.log import LogQuery, Rollup, Slot

MOST_IN_TOKEN = 1_000
MOST_NEW_ROWS = 500


class ChangeToken(Struct, frozen=True, kw_only=True):
    """The newest row of the log, and a mark of the open list."""

    last_row: str
    open_mark: str

    @property
    def mark(self) -> str:
        """What a page is told of it, to tell whether it was made before or after."""
        return hashlib.sha256(f"{self.last_row} {self.open_mark}".encode()).hexdigest()[:16]


def read_change_token(insights: Insights) -> ChangeToken:
    """What the store's newest things are."""
    newest = insights.log(LogQuery(limit=1))
    found = insights.store.journal.list_open_actions(limit=MOST_IN_TOKEN)
    marks = "".join(f"{action.id}{action.version}" for action in found)
    return ChangeToken(
        last_row=newest[0].id if newest else "",
        open_mark=hashlib.sha256(marks.encode()).hexdigest()[:16],
    )


def list_new_rows(insights: Insights, *, after: str) -> list[LogRow]:
    """Rows that were logged since, the oldest first."""
    return insights.log(LogQuery(after=after, oldest_first=True, limit=MOST_NEW_ROWS))


DAY = timedelta(days=1)
MANY = 30_000
"""Rows that are looked at one by one, at most."""


class TracedViews:
    """What happened, one by one."""

    def __init__(
        self,
        insights: Insights,
        *,
        cache: AnswerCache,
        counts: CountReader,
        patterns: PatternReader,
    ) -> None:
        self._insights = insights
        self._cache = cache
        self._counts = counts
        self._patterns = patterns

    def read_patterns(self, asked: ViewFilter, *, page: int = 1, life: str = "") -> PatternsView:
        """Failures that are one and the same, the most frequent first."""
        rows = self._list_patterns(asked)
        paging, shown = cut_page([row for row in rows if life in ("", row.life)], number=page)
        return PatternsView(asked=asked, paging=paging, lives=count_lives(rows), rows=tuple(shown))

    def read_pattern(self, fingerprint: str, asked: ViewFilter) -> PatternPage:
        """One of them, with what mended it."""
        month = replace(asked, window=Window.MONTH, tool=None, agent=None)
        return self._cache.keep(
            ("pattern", fingerprint, month),
            lambda: read_pattern_page(
                self._insights,
                self._list_patterns(month),
                wanted=fingerprint,
                within=None if self._has_few(month) else DAY,
            ),
            life=LONG / 6,
        )

    def read_turns(self, asked: ViewFilter, *, page: int = 1) -> TurnsView:
        """The latest turns."""
        rows = self._cache.keep(("turns", asked), lambda: self._list_turns(asked))
        paging, shown = cut_page(rows, number=page)
        return TurnsView(asked=asked, paging=paging, rows=tuple(shown))

    def read_turn(self, turn: str) -> TurnPage:
        """One turn as it went."""
        return read_turn_page(self._insights, turn)

    def read_texts(self, asked: ViewFilter) -> TextsView:
        """Replies and drafts."""
        ask = self._insights
        return self._cache.keep(
            ("texts", asked), lambda: read_texts(ask.store, asked, now=ask.clock())
        )

    def _list_turns(self, asked: ViewFilter) -> list[TurnRow]:
        """Rows are found by their time and tool; whose they are takes a look at each."""
        hours = None
        if (asked.agent or asked.tenant) and not self._has_few(asked):
            hours = self._counts.list_hours(asked, most=MANY)
        return list_turn_rows(self._insights, asked, hours=hours)

    def _has_few(self, asked: ViewFilter) -> bool:
        """Whether all rows of a span can be looked at while a page waits."""
        return self._counts.count_calls(asked.window.length) <= MANY

    def _list_patterns(self, asked: ViewFilter) -> list[PatternRow]:
        return self._cache.keep(
            ("patterns", asked), lambda: list_pattern_rows(self._patterns, asked), life=LONG / 6
        )


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
        history = listed.read_history(lesson, newest=max(page * SIZE, MOST_RATED_TURNS))
        return build_lesson_page(
            history,
            page=page,
            rated_up=self.estimate_ratings(history.uses),
            built_in=history.lesson.id.startswith(f"{BUILT_IN}-"),
        )

    def estimate_ratings(self, uses: Sequence[Use]) -> Estimate:
        """What people thought of replies that a lesson may have had a hand in."""
        return estimate_ratings(self._insights.store.log, uses)

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


HEALTH = timedelta(seconds=5)
"""How old the quick part of a look at the store may be."""
MOST_OPEN = 10_000
"""Open actions that a page looks at; beyond that somebody has another problem."""
FEW = 5


class Views:
    """What the pages ask. Safe to use from any thread."""

    def __init__(self, insights: Insights) -> None:
        self.insights = insights
        self._clock = insights.clock
        self._counts = CountReader(insights.store.log, clock=insights.clock)
        self._cache = AnswerCache(insights.clock)
        self._patterns = PatternReader(
            log=insights.store.log, clock=insights.clock, cache=self._cache
        )
        self.thorough = ThoroughLook(insights.store.check_health, clock=insights.clock)
        self.acts = ActLog(insights.store, clock=insights.clock, tenant=insights.tenant or "")
        self.traced = TracedViews(
            insights, cache=self._cache, counts=self._counts, patterns=self._patterns
        )
        self.learned = LearnedViews(insights, cache=self._cache, acts=self.acts)

    def read_overview(self, asked: ViewFilter) -> Overview:
        """How calls went, and what needs a person."""
        now = self._clock()
        month = asked.window is not Window.DAY
        length = Window.MONTH.length if month else Window.DAY.length
        step = SeriesStep.DAY if month else SeriesStep.HOUR
        waiting = self._list_open(asked)
        return Overview(
            asked=asked,
            at=now,
            windows=read_windows(self._counts, asked, now=now),
            trend=build_trend(self._counts.list_parts(length, step=step), asked),
            goals=self._read_goals(),
            open_actions=len(waiting),
            waiting=tuple(self._build_items(waiting[:FEW], listed=self.insights.open_list)),
            patterns=tuple(self._patterns.list_patterns(asked)[:FEW]),
        )

    def read_tools(self, asked: ViewFilter) -> ToolsView:
        """Every tool and agent, the one with the most failures too many first."""
        slots, trend = self._read_slots(asked)
        tools = rank_tools(slots, self._patterns.list_patterns(asked))
        heat, heat_tools, heat_agents = build_heat(slots)
        return ToolsView(
            asked=asked,
            tools=tuple(tools),
            agents=tuple(rank_agents(slots)),
            faults=add_up_faults(tools),
            trend=trend,
            heat=heat,
            heat_tools=tuple(heat_tools),
            heat_agents=tuple(heat_agents),
            changed=self._list_changed_tools(asked.window),
        )

    def read_repairs(self, asked: ViewFilter) -> RepairsView:
        """What became of failures."""
        slots, trend = self._read_slots(asked)
        return build_repairs(asked, slots, trend=trend)

    def read_health(self, asked: ViewFilter) -> HealthView:
        """How the store and all around it are."""
        diagnosis = self._cache.keep(
            "health", lambda: self.insights.diagnose(thorough=False), life=HEALTH
        )
        return build_health_view(
            diagnosis,
            looked=self.thorough.read_latest(),
            insights=self.insights,
            acts=self.acts,
            asked=asked,
            actions=self._list_open(ViewFilter()),
        )

    def read_open(
        self, asked: ViewFilter, *, page: int = 1, state: str = "", people: bool = False
    ) -> OpenPage:
        """What needs a person, a page of it. `people`: for who decides, see `show_people`."""
        found = self._list_open(asked)
        states: dict[str, int] = {}
        for action in found:
            states[action.state.value] = states.get(action.state.value, 0) + 1
        paging, shown = cut_page([a for a in found if state in ("", a.state)], number=page)
        items = tuple(self._build_items(shown, listed=self._list_for(people=people)))
        return OpenPage(asked=asked, paging=paging, states=states, items=items)

    def read_action(self, id_or_prefix: str, *, people: bool = False) -> ActionPage:
        """One action with all that a person needs in order to decide."""
        return read_action_page(self._list_for(people=people), id_or_prefix)

    def _list_for(self, *, people: bool) -> OpenList:
        listed = self.insights.open_list
        return listed.show_people() if people else listed

    def decide(self, act: Act, id_or_prefix: str, *, by: str, note: str = "") -> ActionPage:
        """Approve, deny, undo or settle; it is on record who did."""
        listed = self._list_for(people=True)
        carry_out: dict[Act, Callable[[], Action]] = {
            Act.APPROVE: lambda: listed.approve(id_or_prefix, by=by),
            Act.DENY: lambda: listed.deny(id_or_prefix, by=by, note=note),
            Act.UNDO: lambda: listed.undo(
                id_or_prefix, by=by, ours=listed.find(id_or_prefix).state is State.NEEDS_HUMAN
            ),
            Act.SETTLE: lambda: listed.settle(id_or_prefix, note=note),
        }
        done = self.acts.record(carry_out[act], by=by, what=f"{act} {id_or_prefix}")
        self._cache.forget()
        return read_action_page(listed, done.id)

    def count_open(self) -> int:
        """How many actions need a person, of every tool, agent and tenant."""
        return len(self._list_open(ViewFilter()))

    def list_names(self) -> dict[str, list[str]]:
        """What can be filtered by: the tools, agents and tenants of the last thirty days."""

        def read() -> dict[str, list[str]]:
            slots = self._counts.join_slots(WINDOWS["30d"], ViewFilter())
            return {
                "tool": sorted({name_tool(slot) for slot in slots}),
                "agent": sorted({slot.agent or NOBODY for slot in slots}),
                "tenant": sorted({slot.tenant for slot in slots}),
            }

        return self._cache.keep("names", read, life=LONG / 3)

    def read_change_token(self) -> ChangeToken:
        """What would have to change for a page to be out of date."""
        return read_change_token(self.insights)

    def take_news(self) -> None:
        """The token has changed: a page that is made from here on shows why."""
        self._cache.forget_short()

    def _read_slots(self, asked: ViewFilter) -> tuple[dict[Slot, Rollup], tuple[TrendPoint, ...]]:
        parts = self._counts.list_parts(asked.window.length, step=asked.window.step)
        slots = self._counts.join_slots(asked.window.length, asked)
        return slots, build_trend(parts, asked)

    def _list_open(self, asked: ViewFilter) -> list[Action]:
        store = self.insights.store
        found = self._cache.keep("open", lambda: store.journal.list_open_actions(limit=MOST_OPEN))
        return [
            action
            for action in found
            if asked.fits_call(
                tool=action.opening.tool,
                server=action.opening.server,
                agent=action.opening.agent,
                tenant=action.opening.tenant,
            )
        ]

    def _build_items(self, actions: Sequence[Action], *, listed: OpenList) -> list[OpenItem]:
        return [build_item(listed, listed.with_findings(action)) for action in actions]

    def _read_goals(self) -> tuple[Criterion, ...]:
        return self._cache.keep("goals", self._judge_goals, life=LONG)

    def _judge_goals(self) -> tuple[Criterion, ...]:
        """As `mulligan stats --goals` does, of what was read already."""
        now, month = self._clock(), Window.MONTH
        since = now - month.length
        halves = self._counts.add_up_halves(since, middle=find_middle(since, now))
        patterns = self._patterns.list_patterns(ViewFilter(window=month))
        return self.insights.progress.judge_goals(month.length, halves=halves, patterns=patterns)

    def _list_changed_tools(self, window: Window) -> tuple[str, ...]:
        since = self._clock() - window.length

        def read() -> tuple[str, ...]:
            exports = self.acts.list_exports()
            query = LessonQuery(since=min([since, *exports.values()]), limit=MOST_LESSONS)
            lessons = self.insights.store.casebook.list_lessons(query)
            return find_changed(lessons, exports, since=since)

        return self._cache.keep(("changed", window), read, life=LONG / 6)
