"""Lists in which one row that cannot be read hides no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any, Protocol, TypeVar

from mulligan.stores.database.driver import Row, UnreadableError

W = TypeVar("W")


class Ask(Protocol):
    """Fetches rows of one list: at most so many, beyond those to skip."""

    def __call__(self, *, most: int, skip: int) -> list[Row]:
        """The rows, in an order that does not change."""


def list_readable(ask: Ask, *, read: Callable[[Any], W], limit: int) -> list[W]:
    """What can be read of a list."""
    try:
        return [read(row) for row in ask(most=limit, skip=0)]
    except UnreadableError:
        found = _read_one_by_one(ask, read=read)
        whole = (each for each in found if not isinstance(each, UnreadableError))
        return list(islice(whole, limit))


def list_unreadable(ask: Ask, *, read: Callable[[Any], W], limit: int) -> list[str]:
    """A sentence for each row of a list that cannot be read."""
    try:
        for row in ask(most=limit, skip=0):
            read(row)
    except UnreadableError:
        found = islice(_read_one_by_one(ask, read=read), limit)
        return [str(each) for each in found if isinstance(each, UnreadableError)]
    return []


def _read_one_by_one(ask: Ask, *, read: Callable[[Any], W]) -> Iterator[W | UnreadableError]:
    # Slow, and only for a damaged store: a text that is none spoils all rows fetched with it.
    for skip in count():
        try:
            rows = ask(most=1, skip=skip)
            if not rows:
                return
            found: W | UnreadableError = read(rows[0])
        except UnreadableError as error:
            found = error
        yield found
