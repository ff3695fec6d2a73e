"""Commits that a server has acknowledged before they were on its disk, kept until they are.

A server that dies takes its last moments with it; the process that wrote them may live on, knows
what it was told, and writes it again. So only what was synced, the *promised* head, can be missed.
"""

from __future__ import annotations

from collections.abc import Sequence

from mulligan.stores.relational.writing.head import Head
from mulligan.stores.relational.writing.transaction import Work

MOST = 1_000
"""Works: with so many of them the next commit is synced, whoever asks for it."""


class Unsynced:
    """The works of a writer since its last synced commit."""

    def __init__(self) -> None:
        self.promised: Head | None = None
        """Where the writer was when it was last synced."""
        self._works: list[tuple[int, Work]] = []

    @property
    def full(self) -> bool:
        """Whether it is time to sync."""
        return len(self._works) >= MOST

    def keep(self, head: Head, works: Sequence[Work]) -> None:
        """A commit that was not synced has brought the writer there."""
        self._works.extend((head.commits, work) for work in works)

    def settle(self, head: Head | None) -> None:
        """All up to there is on the disk; with `None`, there is no writer any more."""
        self.promised = head
        self._works.clear()

    def list_works_after(self, commits: int) -> list[Work]:
        """What a server has lost that has only so many of the commits."""
        return [work for number, work in self._works if number > commits]
