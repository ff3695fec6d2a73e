"""Long lists, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from mulligan.core.runtime.dataclass import dataclass

SIZE = 20
"""Rows of a page."""
MOST_PAGES = 100_000

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """Which part of a list is shown."""

    number: int
    """From 1 on."""
    size: int
    total: int

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
