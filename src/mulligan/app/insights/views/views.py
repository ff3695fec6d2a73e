"""Every page's question to one store, with what may be kept between two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from mulligan.app.insights.figures import NOBODY, WINDOWS, name_tool
from mulligan.app.insights.goals import Criterion
from mulligan.app.insights.insights import Insights
from mulligan.app.insights.open_list import OpenList
from mulligan.app.insights.progress import find_middle
from mulligan.app.insights.series import SeriesStep
from mulligan.app.insights.views.acts import ActLog
from mulligan.app.insights.views.answers.condition import HealthView, build_health_view
from mulligan.app.insights.views.answers.overview import (
    Overview,
    TrendPoint,
    build_trend,
    read_windows,
)
from mulligan.app.insights.views.answers.repair_funnel import RepairsView, build_repairs
from mulligan.app.insights.views.answers.tool_table import (
    ToolsView,
    add_up_faults,
    build_heat,
    find_changed,
    rank_agents,
    rank_tools,
)
from mulligan.app.insights.views.answers.waiting import (
    Act,
    ActionPage,
    OpenItem,
    OpenPage,
    build_item,
    read_action_page,
)
from mulligan.app.insights.views.counts import CountReader
from mulligan.app.insights.views.filters import ViewFilter, Window
from mulligan.app.insights.views.keeper import LONG, AnswerCache
from mulligan.app.insights.views.learned import MOST_LESSONS, LearnedViews
from mulligan.app.insights.views.paging import cut_page
from mulligan.app.insights.views.pattern_counts import PatternReader
from mulligan.app.insights.views.pulse import ChangeToken, read_change_token
from mulligan.app.insights.views.thorough import ThoroughLook
from mulligan.app.insights.views.traced import TracedViews
from mulligan.core.action import Action, State
from mulligan.core.failures.lesson import LessonQuery
from mulligan.core.storage.rollup import Rollup, Slot

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
