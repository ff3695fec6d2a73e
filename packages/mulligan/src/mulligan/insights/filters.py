"""What a request asks of a page or wants done by it, and paging of long lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct, field

from mulligan.insights.figures import SeriesStep, name_agent, name_tool
from mulligan.redaction import Redactor
from mulligan.types.action import Opening
from mulligan.types.finding import FindingCount
from mulligan.types.log import Slot
from mulligan.types.values import IdentityKind, is_identity, read_label


class Window(StrEnum):
    """A span of time up to now."""

    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"

    @property
    def length(self) -> timedelta:
        """As a duration."""
        return timedelta(days={"24h": 1, "7d": 7, "30d": 30}[self.value])

    @property
    def step(self) -> SeriesStep:
        """How finely it is drawn."""
        return SeriesStep.HOUR if self is Window.DAY else SeriesStep.DAY


class ViewFilter(Struct, frozen=True, kw_only=True):
    """What is asked for. `None` means every one."""

    window: Window = Window.WEEK
    tool: str | None = None
    """By its name, with its server and a slash before it where it has one."""
    agent: str | None = None
    tenant: str | None = None
    """By its identity in the store."""

    @property
    def tool_name(self) -> str | None:
        """The tool without its server."""
        return None if self.tool is None else self.tool.rpartition("/")[2]

    def fits(self, call: Slot | Opening) -> bool:
        """Whether these calls, or this one, are asked for."""
        return self.fits_finding(call) and self.tenant in (None, call.tenant)

    def fits_finding(self, found: Slot | Opening | FindingCount) -> bool:
        """The same of what names no tenant."""
        named = self.tool in (None, found.tool, name_tool(found))
        return named and self.agent in (None, name_agent(found))


SIZE = 20
"""Rows of a page."""
EVERY_ROW = 1_000_000
"""More rows than any list has: an export is not cut into pages."""
MOST_PAGES = 100_000


class ViewRequest(Struct, frozen=True, kw_only=True):
    """A request to a page."""

    filter: ViewFilter = field(default_factory=ViewFilter)
    page: int = 1
    size: int = SIZE
    """Rows of a page."""
    id: str = ""
    """Of the one thing that is asked for, where the page has such."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What only some pages know: a state, a sort."""
    decides: bool = False
    """Whoever asks may decide, and so must see whom a call is about."""

    def read_word(self, name: str) -> str:
        """What was said of one of them; empty: nothing."""
        return self.words.get(name, "")


class ActOrder(Struct, frozen=True, kw_only=True):
    """An act that a request asks for."""

    act: str
    id: str
    """Of what it is about."""
    by: str
    words: Mapping[str, str] = field(default_factory=dict)
    """What was said along with it, such as a note."""


R = TypeVar("R")


class Paging(Struct, frozen=True, kw_only=True):
    """Which part of a list is shown."""

    number: int
    """From 1 on."""
    size: int
    total: int
    whole: bool = True
    """`False`: there are more than are listed, older ones."""

    @property
    def pages(self) -> int:
        """How many there are; an empty list has one."""
        return max(1, -(-self.total // self.size))

    @property
    def first(self) -> int:
        """The number of the first row shown; 0 where there is none."""
        return min(self.total, (self.number - 1) * self.size + 1)

    @property
    def last(self) -> int:
        """That of the last."""
        return min(self.total, self.number * self.size)


def build_paging(total: int, *, number: int, size: int = SIZE) -> Paging:
    """Where a page lies in a list; beyond its end it is the last one."""
    last = max(1, -(-total // size))
    return Paging(number=min(max(1, number), last), size=size, total=total)


def cut_page(rows: Sequence[R], *, number: int, size: int = SIZE) -> tuple[Paging, Sequence[R]]:
    """A part of a list; beyond its end it is the last one."""
    paging = build_paging(len(rows), number=number, size=size)
    return paging, rows[(paging.number - 1) * size : paging.number * size]


def sort_out(
    rows: Sequence[R], stand: Callable[[R], str], *, asked: ViewRequest, word: str = "state"
) -> tuple[dict[str, int], Paging, Sequence[R]]:
    """How many stand where, and a page of those that stand where is asked for."""
    wanted = asked.read_word(word)
    fitting = [row for row in rows if wanted in ("", stand(row))]
    return dict(Counter(map(stand, rows))), *cut_page(fitting, number=asked.page, size=asked.size)


class NameLookup:
    """A tenant or an agent by its name, or by the identity that a surface has shown."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def find_tenant(self, name: str | None) -> str | None:
        """Whose rows are meant; `None` is every tenant."""
        return self._find(name, IdentityKind.TENANT)

    def find_agent(self, name: str | None) -> str | None:
        """Whose failures are meant; `None` is every agent."""
        return self._find(name, IdentityKind.AGENT)

    def find_label(self, name: str) -> str:
        """What the log shows of the name of an agent or a tool."""
        return read_label(name) if is_identity(name) else self._redactor.redact_label(name)

    def _find(self, name: str | None, kind: IdentityKind) -> str | None:
        if name is None or is_identity(name):
            return name
        return self._redactor.identify(name, kind)
