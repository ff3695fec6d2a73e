"""What we did to an object ourselves, in its order: also across turns and processes.

Each call that is about an object takes the next place there, in the transaction that says that it
will be made, so that no clock has to be right. From that an undo knows what came after it, whose
work stands there now, and at which version: undoing the second update of an event puts the first
one's content back under a version of its own, which the first one's undo must expect.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from datetime import datetime

from mulligan.codec.values import decode_value
from mulligan.core.action import ACCEPTED, STANDING, UNANSWERED, Action, Kept, State
from mulligan.core.errors import StoreError
from mulligan.core.interfaces import Journal, Vault
from mulligan.core.runtime.dataclass import dataclass
from mulligan.undo.assessment import LaterCalls

Objects = frozenset[tuple[str, str]]
"""What a call is about, by server and id."""

LONGEST = 1_000
"""Places of an object that are looked back on."""

BESIDE = 10
"""Earlier places among which one may be of a call that was made at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCall:
    """One call of ours on an object, as it stands now."""

    action: Action
    version: str | None
    """The version of what it left, as far as it is known."""
    beside: bool = False
    """It was asked for before the other, and came back after that was asked for, or not yet."""

    @property
    def stands(self) -> bool:
        """Whether something of it is there, and is to be undone first or to stay.

        Of two that were made beside each other and are both being undone, neither waits.
        """
        return self.action.state in (ACCEPTED if self.beside else STANDING)

    @property
    def may_stand(self) -> bool:
        """Whether nobody knows that."""
        return self.action.state in UNANSWERED

    @property
    def has_written(self) -> bool:
        """Whether it, or an undo of it, has changed the object."""
        return self.stands or self.action.state in (State.UNDONE, State.CLOSED)


@dataclass(slots=True, kw_only=True)
class ObjectHistory:
    """The calls on each object, kept under its name."""

    vault: Vault
    journal: Journal
    _taken: dict[str, int] = field(default_factory=dict)
    """The last place of each object that this process has given away, which may not be kept yet."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take_places(
        self, calls: Iterable[tuple[str, Objects]], *, until: datetime
    ) -> Iterator[Kept]:
        """Give each call the next place on its objects: what is to be kept for that."""
        for action, objects in calls:
            for owner in _list_owners(objects):
                with suppress(StoreError):  # damaged, it is not known any more, and that is said
                    place = self._take_place(owner)
                    for name, value in ((_PLACE.format(place), action), (_LAST, str(place))):
                        yield Kept(owner=owner, name=name, value=value.encode(), expires_at=until)

    def _take_place(self, owner: str) -> int:
        with self._lock:
            if len(self._taken) > LONGEST:
                self._taken.clear()
            last = max(self._read_last(owner), self._taken.get(owner, 0))
            self._taken[owner] = last + 1
            return last + 1

    def list_later(self, action: str, objects: Objects, *, since: datetime) -> list[OwnCall]:
        """Our own calls on the same objects that came after one, the latest first.

        `since` is when it was asked for: one that was asked for before and came back after that
        was made beside it, and may have written last.
        """
        found: dict[str, OwnCall | None] = {}
        for owner in _list_owners(objects):
            places = list(self._walk_back(owner))
            # Its own place may have been lost to another process in the same moment.
            here = places.index(action) if action in places else len(places)
            known = here < len(places)
            later = places[:here] if known else [each for each in places if each > action]
            before = places[here + 1 :]
            found |= {each: self._find_deed(each, owner) for each in later}
            for each in before[:BESIDE]:
                if each not in found and self._may_come_later(each, since=since):
                    found[each] = self._find_deed(each, owner, beside=True)
        return [deed for deed in found.values() if deed is not None]

    def find_version(self, action: str, objects: Objects, *, left: str | None) -> str | None:
        """The version at which what a call left stands now, by our own undos of later ones."""
        kept = (self.vault.get(owner, _STANDS.format(action)) for owner in _list_owners(objects))
        return next((value.decode() for value in kept if value is not None), left)

    def keep_undo(
        self, action: str, objects: Objects, *, old: str | None, new: str | None, until: datetime
    ) -> Iterator[Kept]:
        """Values that say: what was at version `old` stands at version `new`, by our own undo."""
        if new is None:
            return
        for owner in _list_owners(objects):
            said = {_WRITTEN.format(new): "1"}
            whose = None if old is None or old == new else self._find_whose(old, action, owner)
            if whose is not None:
                said[_STANDS.format(whose)] = new
            for name, value in said.items():
                yield Kept(owner=owner, name=name, value=value.encode(), expires_at=until)

    def has_undo_written(self, version: str | None, objects: Objects) -> bool:
        """Whether an undo of ours has written that version, of which no call is left to tell."""
        return version is not None and any(
            self.vault.get(owner, _WRITTEN.format(version)) is not None
            for owner in _list_owners(objects)
        )

    def _find_whose(self, version: str, action: str, owner: str) -> str | None:
        """The call before this one that had left the object at a version."""
        places = list(self._walk_back(owner))
        before = places[places.index(action) + 1 :] if action in places else ()
        return next((each for each in before if self._read_version(each, owner) == version), None)

    def _find_deed(self, action: str, owner: str, *, beside: bool = False) -> OwnCall | None:
        found = self.journal.find_action(action)
        if found is None:
            return None
        return OwnCall(action=found, version=self._read_version(action, owner), beside=beside)

    def _may_come_later(self, action: str, *, since: datetime) -> bool:
        entries = list(self.journal.list_entries(action))
        came = any(each.state is State.EXECUTED and each.at >= since for each in entries)
        return came or (bool(entries) and entries[-1].state in UNANSWERED)

    def _read_version(self, action: str, owner: str) -> str | None:
        stands = self.vault.get(owner, _STANDS.format(action))
        if stands is not None:
            return stands.decode()
        kept = self.vault.get(action, "result")
        came = None if kept is None else decode_value(kept)
        version = came.get("version") if isinstance(came, dict) else None
        return None if version is None else str(version)

    def _walk_back(self, owner: str) -> Iterator[str]:
        """The calls on an object, the latest first, each once."""
        last = self._read_last(owner)
        kept = (self.vault.get(owner, _PLACE.format(n)) for n in range(last, 0, -1)[:LONGEST])
        yield from dict.fromkeys(value.decode() for value in kept if value is not None)

    def _read_last(self, owner: str) -> int:
        kept = self.vault.get(owner, _LAST)
        return int(kept) if kept is not None and kept.isdigit() else 0


_LAST = "last"
_PLACE = "call:{}"
_STANDS = "stands:{}"
_WRITTEN = "written:{}"


def summarize(deeds: Iterable[OwnCall], *, among: Collection[str] = ()) -> LaterCalls:
    """What an undo must know of later calls. Those `among` which it is made are in order there."""
    later = list(deeds)
    others = [each for each in later if each.action.id not in among]
    unversioned = [
        each
        for each in later
        if (each.has_written and each.version is None) or (each.beside and each.may_stand)
    ]
    return LaterCalls(
        standing=_name_first(each for each in others if each.stands),
        unanswered=_name_first(each for each in others if each.may_stand and not each.beside),
        unversioned=_name_first(unversioned),
        versions=frozenset(each.version for each in later if each.version is not None),
    )


def _name_first(deeds: Iterable[OwnCall]) -> str:
    return next((each.action.opening.tool for each in deeds), "")


def _list_owners(objects: Objects) -> list[str]:
    return [f"object:{server}:{name}" for server, name in sorted(objects)]
