"""What a rule changes in a text: stretches of it, and what is shown instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Edit(NamedTuple):
    """A stretch that is not shown."""

    start: int
    end: int
    shown: str


Find = Callable[[str], Iterable[Edit]]
"""A rule: what it hides in a text, from left to right, no two of them overlapping."""

Found = re.Match[str]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text as it may be shown."""
    parts: list[str] = []
    done = 0
    for start, end, shown in edits:
        parts += (text[done:start], shown)
        done = end
    if not parts:
        return text
    parts.append(text[done:])
    return "".join(parts)


def hide_matches(pattern: re.Pattern[str], shown: str, *, after: int = 0) -> Find:
    """A rule that hides what a pattern matches, or what is left of it after one of its groups."""

    def find(text: str) -> Iterator[Edit]:
        for found in pattern.finditer(text):
            yield Edit(found.end(after) if after else found.start(), found.end(), shown)

    return find


def hide_where(pattern: re.Pattern[str], judge: Callable[[Found], str | None]) -> Find:
    """A rule that asks of each match what is shown instead; `None` leaves it alone."""

    def find(text: str) -> Iterator[Edit]:
        for found in pattern.finditer(text):
            shown = judge(found)
            if shown is not None:
                yield Edit(found.start(), found.end(), shown)

    return find
