"""Every view and every act of the pages, one row each: page, JSON, export and schema follow.

An address is read strictly: a word that means nothing is an error, not a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from msgspec import Struct

from mulligan.insights.cost import read_cost
from mulligan.insights.filters import MOST_PAGES, ActOrder, ViewFilter, ViewRequest, Window
from mulligan.insights.health import read_health
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import decide_lesson, read_lesson, read_lessons, read_worth
from mulligan.insights.open_actions import (
    ActionPage,
    decide_action,
    read_action,
    read_done,
    read_open,
)
from mulligan.insights.overview import read_overview
from mulligan.insights.patterns import read_pattern, read_patterns
from mulligan.insights.rules import decide_rule, read_rules
from mulligan.insights.search import read_search
from mulligan.insights.shadow import read_shadow
from mulligan.insights.tasks import decide_task, read_task, read_tasks
from mulligan.insights.texts import read_texts
from mulligan.insights.tools import read_repairs, read_tools
from mulligan.insights.turns import read_turn, read_turns
from mulligan.insights.undo_plans import UndoPlan, decide_undo, read_undo
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.security import Role

FILTERS = ("window", "tool", "agent", "tenant")
"""What every page keeps in its address."""
LONGEST = 512


def find_longest(word: str) -> int:
    """Characters of a word that goes with an act: changed arguments may hold a whole letter."""
    return 50_000 if word == "changes" else LONGEST


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


class Section(Struct, frozen=True):
    """A view."""

    name: str
    """In the address of its page and its JSON."""
    read: Callable[[Insights, ViewRequest], Any]
    """Asks for what a page shows."""
    about: str
    """What it shows, in a sentence."""
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
    called: str = ""
    """Its title, where that is not its name."""
    typed: str = ""
    """The same in a terminal, where that is not `mulligan view` with its name."""

    @property
    def title(self) -> str:
        """What people call it."""
        return self.called or self.name.capitalize()

    @property
    def command(self) -> str:
        """The same in a terminal."""
        return self.typed or f"mulligan view {self.name}"

    @property
    def answer(self) -> type:
        """What `read` gives."""
        found: type = get_type_hints(self.read)["return"]
        return found

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


SECTIONS: tuple[Section, ...] = (
    Section(
        "overview",
        read_overview,
        "Calls, goals, and what needs attention.",
        rows="trend",
        typed="mulligan stats --goals",
    ),
    Section(
        "open",
        read_open,
        "Actions that need attention, oldest first.",
        rows="items",
        words=("state",),
        paged=True,
        windowed=False,
        typed="mulligan open",
    ),
    Section(
        "actions",
        read_done,
        "What agents changed, settled or not, newest first; most of it can still be undone.",
        rows="items",
        words=("state",),
        paged=True,
        typed="mulligan actions",
    ),
    Section(
        "turns",
        read_turns,
        "Requests and what agents did for them, newest first.",
        rows="rows",
        words=("only",),
        paged=True,
    ),
    Section(
        "tools", read_tools, "Failure rates, causes and latency by tool and agent.", rows="tools"
    ),
    Section(
        "patterns",
        read_patterns,
        "Recurring failures, most frequent first.",
        rows="rows",
        words=("life",),
        paged=True,
    ),
    Section(
        "repairs",
        read_repairs,
        "From failure to success, and which agents depend on repairs.",
        rows="agents",
    ),
    Section(
        "worth",
        read_worth,
        "Failures with a correction compared with a control group, over 90 days.",
        rows="lessons",
        paged=True,
        windowed=False,
        filters=("tool", "tenant"),
        called="Does it help?",
    ),
    Section(
        "cost",
        read_cost,
        "What judges, retries and approvals took, and the results.",
        rows="spent",
        filters=("agent", "tenant"),
        typed="mulligan stats --cost",
    ),
    Section(
        "rules",
        read_rules,
        "What checks found, rule by rule, and what is muted, softened or hardened.",
        rows="rows",
    ),
    Section(
        "shadow",
        read_shadow,
        "What would have been held, undone or corrected where shadow mode only reports.",
        rows="rows",
        called="Shadow mode",
    ),
    Section(
        "lessons",
        read_lessons,
        "What was learned from failures, and the evidence for it.",
        rows="rows",
        words=("state",),
        paged=True,
        windowed=False,
        typed="mulligan lessons list",
    ),
    Section(
        "texts",
        read_texts,
        "How often texts were rewritten, and why.",
        rows="trend",
        filters=("agent", "tenant"),
        called="Replies and drafts",
    ),
    Section(
        "tasks",
        read_tasks,
        "Recurring tasks, and the active version of their notes.",
        rows="rows",
        windowed=False,
        filters=("tenant",),
        typed="mulligan tasks list",
    ),
    Section(
        "search",
        read_search,
        "Ids, tools, agents, contexts of turns, failures and lessons of the last 30 days.",
        rows="found",
        words=("text",),
        windowed=False,
        filters=("tenant",),
        typed="mulligan view search --text WORDS",
    ),
    Section(
        "health",
        read_health,
        "State of the store, losses, retention, processes and decisions.",
        rows="acts",
        filters=(),
    ),
)
"""In the order of the menu."""

SINGLE: tuple[Section, ...] = (
    Section(
        "open", read_action, "One action with its history.", one=True, typed="mulligan show {id}"
    ),
    Section(
        "turns", read_turn, "One turn, step by step.", one=True, typed="mulligan log --turn {id}"
    ),
    Section(
        "undo",
        read_undo,
        "What undoing all of a turn, a session or an agent would do, in which order.",
        words=("of", "since"),
        one=True,
        typed="mulligan undo --{id} … --plan",
    ),
    Section(
        "patterns",
        read_pattern,
        "One recurring failure, and what repaired it.",
        one=True,
        typed="mulligan view patterns {id}",
    ),
    Section(
        "lessons",
        read_lesson,
        "One lesson with its versions and the calls it affected.",
        paged=True,
        one=True,
        typed="mulligan lessons show {id}",
    ),
    Section(
        "tasks",
        read_task,
        "One task with all versions of its notes.",
        one=True,
        typed="mulligan tasks show {id}",
    ),
)
"""Pages about one thing."""


class ActRoute(Struct, frozen=True, kw_only=True):
    """An act, and its address."""

    name: str
    subject: str
    """The view whose things it is about."""
    about: str
    role: Role
    run: Callable[[Insights, ActOrder], Any]
    words: tuple[str, ...] = ()
    """What may be said along with it."""
    again: Callable[[Insights, ActOrder], Any] | None = None
    """It takes the tool's code: what is answered once an application here has carried it out."""

    @property
    def answer(self) -> type:
        """What `run` gives."""
        found: type = get_type_hints(self.run)["return"]
        return found

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return f"/api/v1/{self.subject}/{{id}}/{self.name}"


def _build_act(
    subject: str,
    name: str,
    about: str,
    *words: str,
    again: Callable[[Insights, ActOrder], Any] | None = None,
) -> ActRoute:
    run, role = _DECIDERS[subject]
    return ActRoute(
        name=name, subject=subject, about=about, role=role, run=run, words=words, again=again
    )


def _read_action_again(insights: Insights, order: ActOrder) -> ActionPage:
    return read_action(insights, ViewRequest(id=order.id, decides=True))


def _read_undo_again(insights: Insights, order: ActOrder) -> UndoPlan:
    return read_undo(insights, ViewRequest(id=order.id, words=order.words))


_DECIDERS: Mapping[str, tuple[Callable[[Insights, ActOrder], Any], Role]] = {
    "open": (decide_action, Role.DECIDE),
    "undo": (decide_undo, Role.DECIDE),
    "lessons": (decide_lesson, Role.ADMIN),
    "rules": (decide_rule, Role.ADMIN),
    "tasks": (decide_task, Role.ADMIN),
}
_SCOPE = ("tool", "agent", "until", "note")
_PIN = "Use a version for every run; without one, runs decide again."
ACTS: tuple[ActRoute, ...] = (
    _build_act(
        "open",
        "approve",
        "Let a held call run, once; `changes`: a JSON object of arguments to give it instead.",
        "version",
        "changes",
        again=_read_action_again,
    ),
    _build_act("open", "deny", "Never run a held call.", "note"),
    _build_act("open", "undo", "Undo an action.", again=_read_action_again),
    _build_act("open", "settle", "Close an open action with a note.", "note"),
    _build_act(
        "undo",
        "request",
        "Undo what a plan shows.",
        "of",
        "since",
        "tenant",
        "mark",
        again=_read_undo_again,
    ),
    _build_act("lessons", "approve", "Use a lesson from now on, whatever the evidence.", "note"),
    _build_act("lessons", "quarantine", "Stop using a lesson until it is approved.", "note"),
    _build_act("lessons", "revoke", "Remove a lesson for good.", "note"),
    _build_act("rules", "mute", "Report no findings of a rule until a day.", *_SCOPE),
    _build_act("rules", "soften", "Have errors of a rule be warnings until a day.", *_SCOPE),
    _build_act("rules", "harden", "Have warnings of a rule be errors until a day.", *_SCOPE),
    _build_act("rules", "end", "Have a rule count again as it says.", "tool", "agent"),
    _build_act("tasks", "pin", _PIN, "version"),
    _build_act("tasks", "roll_back", "Retire the active version and return to version 0."),
)
