"""The views: one row each, from which its page, its JSON, its export and its schema follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mulligan.app.insights.task_list import TaskPage, TasksView
from mulligan.app.insights.views.answers.condition import HealthView
from mulligan.app.insights.views.answers.notebook import LessonPage, LessonsView
from mulligan.app.insights.views.answers.overview import Overview
from mulligan.app.insights.views.answers.pattern_table import PatternPage, PatternsView
from mulligan.app.insights.views.answers.repair_funnel import RepairsView
from mulligan.app.insights.views.answers.text_figures import TextsView
from mulligan.app.insights.views.answers.tool_table import ToolsView
from mulligan.app.insights.views.answers.turn_story import TurnPage, TurnsView
from mulligan.app.insights.views.answers.waiting import ActionPage, OpenPage
from mulligan.app.insights.views.answers.worth import WorthView
from mulligan.app.insights.views.views import Views
from mulligan.core.runtime.dataclass import dataclass
from mulligan.dashboard.queries import ViewRequest

Read = Callable[[Views, ViewRequest], Any]
"""Asks for what a page shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A view."""

    name: str
    """In the address of its page and its JSON."""
    title: str
    read: Read
    answer: type
    """What `read` gives."""
    about: str
    """What it shows, in a sentence."""
    command: str
    """The same in a terminal."""
    rows: str = ""
    """What of the answer is a table, for an export; empty: nothing."""
    words: tuple[str, ...] = ()
    """What it can be asked beside the filters."""
    paged: bool = False
    windowed: bool = True
    """Whether it is about a span of time."""
    filters: tuple[str, ...] = ("tool", "agent", "tenant")
    """What else it can be narrowed down by."""
    one: bool = False
    """It is about one thing, which its address names."""

    @property
    def path(self) -> str:
        """Of its page."""
        stem = "/" if self.name == "overview" else f"/{self.name}"
        return f"{stem}/{{id}}" if self.one else stem

    @property
    def json_path(self) -> str:
        """Of its JSON."""
        return f"/api/v1/{self.name}" + ("/{id}" if self.one else "")

    @property
    def template(self) -> str:
        """Its page."""
        return f"{self.name}_one.html" if self.one else f"{self.name}.html"

    def list_rows(self, view: Any) -> Sequence[Any]:
        """The table of an answer."""
        rows: Sequence[Any] = getattr(view, self.rows)
        return rows

    def build_single(
        self, read: Read, *, answer: type, about: str, command: str, paged: bool = False
    ) -> Section:
        """The page about one of the things that it lists."""
        return Section(
            name=self.name,
            title=self.title,
            read=read,
            answer=answer,
            about=about,
            command=command,
            paged=paged,
            one=True,
        )


OVERVIEW = Section(
    name="overview",
    title="Overview",
    read=lambda views, asked: views.read_overview(asked.filter),
    answer=Overview,
    about="How calls go, whether the goals are met, and what needs a person.",
    command="mulligan stats --goals",
    rows="trend",
)
OPEN = Section(
    name="open",
    title="Open",
    read=lambda views, asked: views.read_open(
        asked.filter, page=asked.page, state=asked.read_word("state"), people=asked.decides
    ),
    answer=OpenPage,
    about="Effects that need a person, the oldest first.",
    command="mulligan open",
    rows="items",
    words=("state",),
    paged=True,
    windowed=False,
)
ACTION = OPEN.build_single(
    lambda views, asked: views.read_action(asked.id, people=asked.decides),
    answer=ActionPage,
    about="One action, and all that happened to it.",
    command="mulligan show {id}",
)
TURNS = Section(
    name="turns",
    title="Turns",
    read=lambda views, asked: views.traced.read_turns(asked.filter, page=asked.page),
    answer=TurnsView,
    about="Requests of people, and what agents did for them, the newest first.",
    command="mulligan view turns",
    rows="rows",
    paged=True,
)
TURN = TURNS.build_single(
    lambda views, asked: views.traced.read_turn(asked.id),
    answer=TurnPage,
    about="One turn as it went.",
    command="mulligan log --turn {id}",
)
TOOLS = Section(
    name="tools",
    title="Tools",
    read=lambda views, asked: views.read_tools(asked.filter),
    answer=ToolsView,
    about="Where calls fail more than elsewhere, whose fault it is, and how long they take.",
    command="mulligan view tools",
    rows="tools",
)
PATTERNS = Section(
    name="patterns",
    title="Patterns",
    read=lambda views, asked: views.traced.read_patterns(
        asked.filter, page=asked.page, life=asked.read_word("life")
    ),
    answer=PatternsView,
    about="Failures that are one and the same, the most frequent first.",
    command="mulligan view patterns",
    rows="rows",
    words=("life",),
    paged=True,
)
PATTERN = PATTERNS.build_single(
    lambda views, asked: views.traced.read_pattern(asked.id, asked.filter),
    answer=PatternPage,
    about="One failure that keeps coming, and what mended it.",
    command="mulligan view patterns {id}",
)
REPAIRS = Section(
    name="repairs",
    title="Repairs",
    read=lambda views, asked: views.read_repairs(asked.filter),
    answer=RepairsView,
    about="How far failures come on their way to a success, and who leans on that.",
    command="mulligan view repairs",
    rows="agents",
)
WORTH = Section(
    name="worth",
    title="Does it help?",
    read=lambda views, asked: views.learned.read_worth(asked.filter, page=asked.page),
    answer=WorthView,
    about="Failures with a correction against those that were left alone, over 90 days.",
    command="mulligan view worth",
    rows="lessons",
    paged=True,
    windowed=False,
    filters=("tool", "tenant"),
)
LESSONS = Section(
    name="lessons",
    title="Lessons",
    read=lambda views, asked: views.learned.read_lessons(
        asked.filter, page=asked.page, state=asked.read_word("state")
    ),
    answer=LessonsView,
    about="What was learned from failures, and the evidence for it.",
    command="mulligan lessons list",
    rows="rows",
    words=("state",),
    paged=True,
    windowed=False,
)
LESSON = LESSONS.build_single(
    lambda views, asked: views.learned.read_lesson(asked.id, page=asked.page),
    answer=LessonPage,
    about="One lesson with all its versions, and the calls it touched.",
    command="mulligan lessons show {id}",
    paged=True,
)
TEXTS = Section(
    name="texts",
    title="Replies and drafts",
    read=lambda views, asked: views.traced.read_texts(asked.filter),
    answer=TextsView,
    about="How often texts had to be written again, and why.",
    command="mulligan view texts",
    rows="trend",
    filters=("agent", "tenant"),
)
TASKS = Section(
    name="tasks",
    title="Tasks",
    read=lambda views, asked: views.learned.read_tasks(asked.filter),
    answer=TasksView,
    about="Work that is run many times, and the version of its notes that is on top.",
    command="mulligan tasks list",
    rows="rows",
    windowed=False,
    filters=("tenant",),
)
TASK = TASKS.build_single(
    lambda views, asked: views.learned.read_task(asked.id),
    answer=TaskPage,
    about="One task with all versions of its notes.",
    command="mulligan tasks show {id}",
)
HEALTH = Section(
    name="health",
    title="Health",
    read=lambda views, asked: views.read_health(asked.filter),
    answer=HealthView,
    about="How the store is, what was lost, how long things are kept, and who did what.",
    command="mulligan view health",
    rows="acts",
    filters=(),
)

SECTIONS: tuple[Section, ...] = (
    OVERVIEW, OPEN, TURNS, TOOLS, PATTERNS, REPAIRS, WORTH, LESSONS, TEXTS, TASKS, HEALTH,
)  # fmt: skip
"""In the order of the menu."""
SINGLE: tuple[Section, ...] = (ACTION, TURN, PATTERN, LESSON, TASK)
"""Pages about one thing."""
