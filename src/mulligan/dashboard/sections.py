"""Every view and every act of the pages, one row each: page, JSON, export and schema follow.

An address is read strictly: a word that means nothing is an error, not a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from mulligan.dashboard.security import Role
from mulligan.insights.filters import MOST_PAGES, ViewFilter, Window
from mulligan.insights.health import HealthView
from mulligan.insights.lessons import LessonPage, LessonsView, WorthView
from mulligan.insights.open_actions import Act, ActionPage, OpenPage
from mulligan.insights.overview import Overview
from mulligan.insights.patterns import PatternPage, PatternsView
from mulligan.insights.tasks import TaskPage, TasksView
from mulligan.insights.texts import TextsView
from mulligan.insights.tools import RepairsView, ToolsView
from mulligan.insights.turns import TurnPage, TurnsView
from mulligan.insights.views import Views
from mulligan.types.errors import ConfigurationError

FILTERS = ("window", "tool", "agent", "tenant")
"""What every page keeps in its address."""
LONGEST = 512


class ViewRequest(Struct, frozen=True, kw_only=True):
    """A request to a view."""

    filter: ViewFilter = field(default_factory=ViewFilter)
    page: int = 1
    id: str = ""
    """Of the one thing that is asked for, where the view has such."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What only some views know: a state, a sort."""
    decides: bool = False
    """Whoever asks may decide, and so must see whom a call is about."""

    def read_word(self, name: str) -> str:
        """What was said of one of them; empty: nothing."""
        return self.words.get(name, "")


def parse_query(params: Mapping[str, str], *, id_: str = "") -> ViewRequest:
    """A request out of the parameters of an address."""
    long = [name for name, value in params.items() if len(value) > LONGEST]
    if long:
        raise ConfigurationError(f"{long[0]!r} is longer than {LONGEST} characters.")
    window = params.get("window") or Window.WEEK.value
    if window not in list(Window):
        raise ConfigurationError(f"{window!r} is no window; there are {', '.join(Window)}.")
    page = params.get("page") or "1"
    numbered = page.isascii() and page.isdecimal() and len(page) < 9
    if not numbered or not 1 <= int(page) <= MOST_PAGES:
        raise ConfigurationError(f"{page!r} is no page; they are numbered from 1.")
    return ViewRequest(
        filter=ViewFilter(
            window=Window(window),
            tool=params.get("tool") or None,
            agent=params.get("agent") or None,
            tenant=params.get("tenant") or None,
        ),
        page=int(page),
        id=id_,
        words={name: value for name, value in params.items() if name not in (*FILTERS, "page")},
    )


Read = Callable[[Views, ViewRequest], Any]
"""Asks for what a page shows."""


class Section(Struct, frozen=True, kw_only=True):
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


class ActOrder(Struct, frozen=True, kw_only=True):
    """An act that somebody asks for."""

    id: str
    """Of what it is about."""
    by: str
    words: Mapping[str, str]


class ActRoute(Struct, frozen=True, kw_only=True):
    """An act, and its address."""

    name: str
    subject: str
    """The view whose things it is about."""
    about: str
    role: Role
    answer: type
    run: Callable[[Views, ActOrder], Any]
    words: tuple[str, ...] = ()
    """What may be said along with it."""
    effect: bool = False
    """It takes the tool's code, so that an application has to carry it out."""

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return f"/api/v1/{self.subject}/{{id}}/{self.name}"


def _build_decision(act: Act, about: str, *, words: tuple[str, ...] = ()) -> ActRoute:
    return ActRoute(
        name=act.value,
        subject="open",
        about=about,
        role=Role.DECIDE,
        answer=ActionPage,
        run=lambda views, order: views.decide(
            act, order.id, by=order.by, note=order.words.get("note", "")
        ),
        words=words,
        effect=act in (Act.APPROVE, Act.UNDO),
    )


def _build_lesson_act(name: str, about: str) -> ActRoute:
    return ActRoute(
        name=name,
        subject="lessons",
        about=about,
        role=Role.ADMIN,
        answer=LessonPage,
        run=lambda views, order: views.learned.decide_lesson(
            name, order.id, by=order.by, note=order.words.get("note", "")
        ),
        words=("note",),
    )


ACTS: tuple[ActRoute, ...] = (
    _build_decision(Act.APPROVE, "Let a held call run, once."),
    _build_decision(Act.DENY, "Never run a held call.", words=("note",)),
    _build_decision(Act.UNDO, "Have an action undone."),
    _build_decision(Act.SETTLE, "Close an open action with a note.", words=("note",)),
    _build_lesson_act("approve", "Use a lesson from now on, whatever the evidence."),
    _build_lesson_act("quarantine", "Use a lesson no more, until it is approved."),
    _build_lesson_act("revoke", "Take a lesson out for good."),
    ActRoute(
        name="pin",
        subject="tasks",
        about="Give a version every run from now on; without one, let runs decide again.",
        role=Role.ADMIN,
        answer=TaskPage,
        run=lambda views, order: views.learned.pin_task(
            order.id, version=order.words.get("version", ""), by=order.by
        ),
        words=("version",),
    ),
    ActRoute(
        name="roll_back",
        subject="tasks",
        about="Take the version on top out; version 0 takes its place.",
        role=Role.ADMIN,
        answer=TaskPage,
        run=lambda views, order: views.learned.roll_task_back(order.id, by=order.by),
    ),
)
