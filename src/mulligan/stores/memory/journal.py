"""The journal and the vault in dictionaries."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from mulligan.core.action import SETTLED, Action, ActionQuery, Entry, Kept, check_entry
from mulligan.core.errors import MulliganError, StoreUnavailableError
from mulligan.core.interfaces import Clock, Damage
from mulligan.core.storage.instants import to_us
from mulligan.stores.columns.encoding import decode_entry, encode_entry


class MemoryVault:
    """Raw values that expire, under the journal's lock."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self.lock = threading.RLock()
        self._kept: dict[tuple[str, str], Kept] = {}

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it."""
        if kept.expires_at is not None:
            to_us(kept.expires_at, name="expires_at")
        with self.lock:
            self._kept[kept.owner, kept.name] = kept

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired."""
        with self.lock:
            kept = self._kept.get((owner, name))
        if kept is None or (kept.expires_at is not None and kept.expires_at <= self._clock()):
            return None
        return kept.value

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""
        to_us(at, name="at")
        with self.lock:
            for key, kept in self._kept.items():
                if kept.owner == owner:
                    self._kept[key] = replace(kept, expires_at=at)

    def expire_after_settlement(self, owner: str, *, at: datetime) -> None:
        """Start the retention of what was kept until its action is settled."""
        with self.lock:
            for key, kept in self._kept.items():
                if kept.owner == owner and kept.expires_at is None:
                    self._kept[key] = replace(kept, expires_at=at)

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired."""
        to_us(now, name="now")
        with self.lock:
            expired = [
                key
                for key, kept in self._kept.items()
                if kept.expires_at is not None and kept.expires_at <= now
            ]
            for key in expired:
                del self._kept[key]
        return len(expired)

    def forget(self, owner: str) -> None:
        """Delete everything of an owner."""
        with self.lock:
            for key in [key for key in self._kept if key[0] == owner]:
                del self._kept[key]


class MemoryJournal:
    """Entries and actions. Nothing can damage them, so no chain guards them."""

    def __init__(self, vault: MemoryVault, *, kept_for: timedelta) -> None:
        self._vault = vault
        self._kept_for = kept_for
        self._actions: dict[str, Action] = {}
        self._entries: dict[str, list[Entry]] = {}
        self.closed = False

    def submit(self, entries: Sequence[Entry], *, keep: Sequence[Kept] = ()) -> Future[None]:
        """Write entries and kept values, all or none."""
        done: Future[None] = Future()
        try:
            with self._vault.lock:
                self._record(entries, keep)
        except MulliganError as error:
            done.set_exception(error)
        else:
            done.set_result(None)
        return done

    def find_action(self, action: str) -> Action | None:
        """An action as it stands now."""
        return self._actions.get(action)

    def list_open_actions(
        self, *, tenant: str | None = None, after: str = "", limit: int = 100
    ) -> list[Action]:
        """Actions that are not settled, oldest first, those with an id above `after`."""
        with self._vault.lock:
            fitting = [
                action
                for name, action in sorted(self._actions.items())
                if not action.settled
                and name > after
                and (tenant is None or action.opening.tenant == tenant)
            ]
        return fitting[:limit]

    def list_actions(self, query: ActionQuery) -> list[Action]:
        """Actions as a query wants them, the newest first."""
        with self._vault.lock:
            newest = sorted(self._actions.values(), key=lambda each: each.id, reverse=True)
        return list(islice(filter(query.fits, newest), query.limit))

    def list_entries(self, action: str) -> list[Entry]:
        """Every entry of an action, oldest first."""
        with self._vault.lock:
            return list(self._entries.get(action, ()))

    def identify_writer(self) -> str:
        """This process: a copy of it after a fork is another."""
        return f"memory-{os.getpid()}"

    def beat(self) -> None:
        """Nobody else can see it, so there is nothing to say."""

    def holds_lease(self, action: str | None = None) -> bool:  # noqa: ARG002 - all are ours
        """Nobody else can go on with anything here."""
        return True

    def find_dead_writers(self, writers: Collection[str]) -> set[str]:
        """Everybody but this process: what a fork copied is gone with the copy."""
        return set(writers) if self.closed else set(writers) - {self.identify_writer()}

    def verify(self) -> list[Damage]:
        """Nothing is ever damaged here."""
        return []

    def accept_damage(self, note: str) -> int:  # noqa: ARG002 - there is nothing to note
        """There is none to accept."""
        return 0

    def prune(self, *, settled_before: datetime) -> int:
        """Forget settled actions that changed last before then."""
        to_us(settled_before, name="settled_before")
        with self._vault.lock:
            old = [
                action.id
                for action in self._actions.values()
                if action.settled and action.changed_at < settled_before
            ]
            for action in old:
                del self._actions[action], self._entries[action]
                self._vault.forget(action)
        return len(old)

    def _record(self, entries: Sequence[Entry], keep: Sequence[Kept]) -> None:
        if self.closed:
            raise StoreUnavailableError("The store is closed: open it again.")
        moved: dict[str, Action] = {}
        for entry in entries:
            now = moved.get(entry.action) or self._actions.get(entry.action)
            moved[entry.action] = _advance_action(now, entry, writer=self.identify_writer())
        # Everything fits: from here on nothing can fail.
        for value in keep:
            self._vault.put(value)
        for entry in entries:
            self._entries.setdefault(entry.action, []).append(_as_stored(entry))
            if entry.state in SETTLED:
                self._vault.expire_after_settlement(entry.action, at=entry.at + self._kept_for)
        self._actions.update(moved)


def _advance_action(now: Action | None, entry: Entry, *, writer: str) -> Action:
    check_entry(entry, state=now.state if now else None, version=now.version if now else 0)
    stored = _as_stored(entry)
    opening = now.opening if now else entry.opening
    assert opening is not None  # noqa: S101 - check_entry has seen to it
    return Action(
        id=entry.action,
        opening=opening,
        state=entry.state,
        version=entry.version,
        opened_at=now.opened_at if now else stored.at,
        changed_at=stored.at,
        writer=writer,
        detail=stored.detail,
    )


def _as_stored(entry: Entry) -> Entry:
    """The entry as another store would give it back: in UTC, its detail through JSON."""
    made = encode_entry(entry)
    return decode_entry((entry.action, entry.version, entry.state, made.at_us, made.body))
