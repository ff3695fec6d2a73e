"""What an address asks for, read strictly: a word that means nothing is an error, not a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mulligan.app.insights.views.filters import ViewFilter, Window
from mulligan.app.insights.views.paging import MOST_PAGES
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass

FILTERS = ("window", "tool", "agent", "tenant")
"""What every page keeps in its address."""
LONGEST = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
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
