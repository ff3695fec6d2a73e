"""One search over what may be searched: ids, tools, agents, contexts, failures and lessons.

Arguments, results and requests are not looked through: the log hides their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.figures import name_agent, name_tool
from mulligan.insights.filters import EVERY_ROW, ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import read_lessons
from mulligan.insights.open_actions import OpenList
from mulligan.insights.patterns import read_patterns
from mulligan.insights.turns import list_turns
from mulligan.types.action import ActionQuery
from mulligan.types.log import LogQuery

MOST_OF_A_KIND = 20
_ID = re.compile(r"[0-9a-fA-F-]{4,40}")


class Match(Struct, frozen=True, kw_only=True):
    """One thing that was found."""

    kind: str
    """`action`, `turn`, `tool`, `agent`, `failure` or `lesson`."""
    what: str
    about: str
    view: str
    """Where it is shown."""
    id: str
    """By what name it is shown there."""


class SearchView(Struct, frozen=True, kw_only=True):
    """What was found, by kind."""

    asked: ViewFilter
    text: str
    found: tuple[Match, ...]
    cut: tuple[str, ...]
    """Kinds of which there is more than is listed."""
    every_turn: bool
    """`False`: only the newest turns were looked through."""


def read_search(ask: Insights, asked: ViewRequest) -> SearchView:
    """All that has every word that is looked for, or an id that begins with it."""
    text = asked.read_word("text").strip()
    month = ViewFilter(window=Window.MONTH, tenant=asked.filter.tenant)
    kinds = _Search(ask, replace(asked, filter=month, size=EVERY_ROW), text) if text else ()
    lists = [list(islice(kind, MOST_OF_A_KIND + 1)) for kind in kinds]
    return SearchView(
        asked=asked.filter,
        text=text,
        found=tuple(each for some in lists for each in some[:MOST_OF_A_KIND]),
        cut=tuple(some[0].kind for some in lists if len(some) > MOST_OF_A_KIND),
        every_turn=not text or list_turns(ask, month)[1],
    )


class _Search:
    """Looks for one text, kind by kind."""

    def __init__(self, ask: Insights, asked: ViewRequest, text: str) -> None:
        self._ask, self._asked, self._text = ask, asked, text
        self._words = text.casefold().split()
        self._prefix = text.replace("-", "").lower() if _ID.fullmatch(text) else ""

    def __iter__(self) -> Iterator[Iterator[Match]]:
        yield from (self._find_actions(), self._find_turns(), self._find_names())
        yield from (self._find_failures(), self._find_lessons())

    def _fits(self, *names: str, told: str = "") -> bool:
        """Whether it goes by a name that begins with the text, or says all words of it."""
        said = told.casefold()
        begun = bool(self._prefix) and any(name.startswith(self._prefix) for name in names)
        return begun or all(word in said for word in self._words)

    def _find_actions(self) -> Iterator[Match]:
        if not self._prefix:
            return
        listed = OpenList(self._ask, people=self._asked.decides)
        query = ActionQuery(
            id_prefix=self._prefix, tenant=self._asked.filter.tenant, limit=MOST_OF_A_KIND + 1
        )
        for action in listed.search(query):
            yield Match(
                kind="action",
                what=listed.describe(action),
                about=f"{action.state.value} · {action.opening.agent or 'an unnamed agent'}",
                view="open",
                id=action.id,
            )

    def _find_turns(self) -> Iterator[Match]:
        """By their own ids, those of their calls, their contexts; also old ones by a whole id."""
        calls = LogQuery(
            id_prefix=self._prefix, tenant=self._asked.filter.tenant, limit=MOST_OF_A_KIND
        )
        exact = replace(calls, id_prefix="", turn=self._text.lower(), limit=1)
        rows = [*self._ask.log(calls), *self._ask.log(exact)] if self._prefix else []
        named = {row.turn: row.context for row in rows if row.turn}
        for turn in list_turns(self._ask, self._asked.filter)[0]:
            if self._fits(turn.turn.replace("-", ""), told=f"{turn.context} {turn.agent}"):
                named.setdefault(turn.turn, turn.context)
        for name, context in named.items():
            yield Match(
                kind="turn", what=context or "no context", about=name, view="turns", id=name
            )

    def _find_names(self) -> Iterator[Match]:
        asked = self._asked.filter
        slots = self._ask.counts.join_slots(asked.window.length, asked)
        named = [("tool", "tools", name_tool(slot)) for slot in slots]
        named += [("agent", "turns", name_agent(slot)) for slot in slots]
        for kind, view, name in sorted(set(named), reverse=True):
            if self._fits(told=name):
                yield Match(kind=kind, what=name, about="", view=view, id=name)

    def _find_failures(self) -> Iterator[Match]:
        for row in read_patterns(self._ask, self._asked).rows:
            told = f"{row.template} {row.tool} {row.error_class}"
            if self._fits(row.fingerprint, row.short, told=told):
                yield Match(
                    kind="failure",
                    what=row.template or row.error_class,
                    about=f"{row.tool} · {row.count} times in 30 days",
                    view="patterns",
                    id=row.fingerprint,
                )

    def _find_lessons(self) -> Iterator[Match]:
        for seen in read_lessons(self._ask, self._asked).rows:
            lesson = seen.lesson
            if self._fits(lesson.id, told=f"{lesson.statement} {lesson.tool} {lesson.when}"):
                yield Match(
                    kind="lesson",
                    what=lesson.statement,
                    about=f"{lesson.state.value} · {lesson.tool or 'tools of any kind'}",
                    view="lessons",
                    id=lesson.id,
                )
