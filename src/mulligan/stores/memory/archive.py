"""The archive in dictionaries."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace

from mulligan.core.errors import StaleNotesError
from mulligan.core.instants import from_us, to_us
from mulligan.core.notes import (
    Ground,
    Notes,
    NotesState,
    Scorecard,
    TaskRun,
    add_run,
    check_move,
    stand,
)

RUNS_KEPT = 40


class MemoryArchive:
    """Versions, scorecards and the latest runs, under one lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._notes: dict[tuple[str, str], list[Notes]] = {}
        self._cards: dict[Ground, dict[int, Scorecard]] = {}
        self._runs: dict[Ground, deque[TaskRun]] = {}
        self._seen: dict[Ground, int] = {}

    def append(self, notes: Notes) -> None:
        """Add a version, numbered one above the last."""
        at = from_us(to_us(notes.at, name="The time of notes"))
        with self._lock:
            versions = self._notes.setdefault((notes.tenant, notes.task), [])
            if notes.version != len(versions):
                raise StaleNotesError(
                    f"Version {notes.version} of task {notes.task} is not the next one, which is "
                    f"{len(versions)}: read its versions again, and append under that number."
                )
            versions.append(replace(notes, at=at))

    def versions(self, task: str, *, tenant: str = "", limit: int | None = None) -> list[Notes]:
        """The versions of a task, the newest first."""
        with self._lock:
            return self._notes.get((tenant, task), [])[::-1][:limit]

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, and keep it among the latest."""
        run = replace(run, at=from_us(to_us(run.at, name="The time of a run")))
        with self._lock:
            cards = self._cards.setdefault(ground, {})
            card = cards.get(run.version) or Scorecard(version=run.version)
            cards[run.version] = add_run(card, run)
            self._runs.setdefault(ground, deque(maxlen=RUNS_KEPT)).append(run)
            self._seen[ground] = self._seen.get(ground, 0) + 1
            return self._seen[ground]

    def cards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""
        with self._lock:
            return [card for _, card in sorted(self._cards.get(ground, {}).items())]

    def runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        """The latest runs on a ground, the newest first."""
        with self._lock:
            return list(self._runs.get(ground, ()))[::-1][:limit]

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        """Change where a version stands, if it still stands where it `was`."""
        check_move(version, state)
        with self._lock:
            cards = self._cards.setdefault(ground, {})
            card = cards.get(version)
            if (card.state if card else None) is not was:
                return False
            cards[version] = stand(card or Scorecard(version=version), state)
            if state in (NotesState.CHAMPION, NotesState.PINNED):
                for other in cards.values():
                    on_top = other.state in (NotesState.CHAMPION, NotesState.PINNED)
                    if on_top and other.version != version:
                        cards[other.version] = stand(other, NotesState.TRIAL)
            return True

    def grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted."""
        with self._lock:
            return [ground for ground in self._cards if task in (None, ground.task)]

    def forked(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()
