"""The views: one row each, from which its page, its JSON, its export and its schema follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mulligan.app.insights.views import Views
from mulligan.app.insights.views.overview import Overview
from mulligan.app.insights.views.waiting import ActionPage, OpenPage
from mulligan.dashboard.queries import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A view."""

    name: str
    """In the address of its page and its JSON."""
    title: str
    read: Callable[[Views, Asked], Any]
    answer: type
    """What `read` gives."""
    about: str
    """What it shows, in a sentence."""
    command: str
    """The same in a terminal."""
    rows: Callable[[Any], Sequence[Any]] | None = None
    """What of it is a table, for an export."""
    words: tuple[str, ...] = ()
    """What it can be asked beside the filters."""
    paged: bool = False
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


OVERVIEW = Section(
    name="overview",
    title="Overview",
    read=lambda views, asked: views.read_overview(asked.filter),
    answer=Overview,
    about="How calls go, whether the goals are met, and what needs a person.",
    command="mulligan stats --goals",
    rows=lambda view: view.trend,
)
OPEN = Section(
    name="open",
    title="Open",
    read=lambda views, asked: views.read_open(
        asked.filter, page=asked.page, state=asked.words.get("state", "")
    ),
    answer=OpenPage,
    about="Effects that need a person, the oldest first.",
    command="mulligan open",
    rows=lambda view: view.items,
    words=("state",),
    paged=True,
)
ACTION = Section(
    name="open",
    title="Open",
    read=lambda views, asked: views.read_action(asked.id),
    answer=ActionPage,
    about="One action, and all that happened to it.",
    command="mulligan show {id}",
    one=True,
)

SECTIONS: tuple[Section, ...] = (OVERVIEW, OPEN)
"""In the order of the menu."""
SINGLE: tuple[Section, ...] = (ACTION,)
"""Pages about one thing."""
