"""Which versions of an object are our own work, also across turns and processes.

Undoing the second update of an event puts the first one's content back under a version of its own.
The first update's undo must expect that one, and not take it for a person's edit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from mulligan.core.action import Kept
from mulligan.core.interfaces import Vault
from mulligan.turns.journal.book import LiveAction

LONGEST_CHAIN = 1_000
"""Undos on top of each other that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVersions:
    """Where what an action left stands now, and what else on that object is our own."""

    current: str | None
    others: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnVersions:
    """The versions that our own undos have written to the objects of one action."""

    vault: Vault
    action: LiveAction

    async def load(self, together: Iterable[LiveAction]) -> KnownVersions:
        """What is known now; `together` are the actions that are undone with it."""
        objects = self.action.objects
        siblings = {
            other.record.version
            for other in together
            if other is not self.action and not objects.isdisjoint(other.objects)
        }
        version = self.action.record.version
        written: set[str] = set()
        if objects:
            version, written = await asyncio.to_thread(self._follow, version)
        own = {each for each in siblings if each is not None} | written
        return KnownVersions(current=version, others=frozenset(own - {version}))

    def keep(self, *, old: str | None, new: str | None, until: datetime) -> list[Kept]:
        """Values that say: what was at version `old` stands at version `new`, by our own undo."""
        if new is None:
            return []
        said = {f"written:{new}": b"1"}
        if old is not None and old != new:
            said[f"was:{old}"] = f"{self.action.id} {new}".encode()
        return [
            Kept(owner=owner, name=name, value=value, expires_at=until)
            for owner in self._list_owners()
            for name, value in said.items()
        ]

    async def has_written(self, version: str | None) -> bool:
        """Whether an undo of ours has written that version, of which no call is left to tell."""
        if version is None:
            return False
        names = [(owner, f"written:{version}") for owner in self._list_owners()]
        found = [await asyncio.to_thread(self.vault.get, *each) for each in names]
        return any(value is not None for value in found)

    def _follow(self, version: str | None) -> tuple[str | None, set[str]]:
        written: set[str] = set()
        for owner in self._list_owners():
            for _ in range(LONGEST_CHAIN):
                found = self.vault.get(owner, f"was:{version}") if version is not None else None
                by, _, new = (found or b"").decode().partition(" ")
                if by <= self.action.id:
                    # None, or of an undo of what was done before: that object may be gone.
                    break
                version = new
                written.add(version)
        return version, written

    def _list_owners(self) -> list[str]:
        return [f"object:{server}:{name}" for server, name in sorted(self.action.objects)]
