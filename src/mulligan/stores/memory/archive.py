"""The archive in dictionaries."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from datetime import datetime

from mulligan.core.errors import StaleNotesError
from mulligan.core.notes import (
    ON_TOP,
    Ground,
    Notes,
    NotesState,
    Scorecard,
    TaskRun,
    add_rating,
    add_run,
    change_state,
    check_move,
    check_notes,
    check_run,
    check_score,
    find_needed_versions,
    may_enter,
)
from mulligan.core.storage.instants import from_us, to_us

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
        check_notes(notes)
        at = from_us(to_us(notes.at, name="The time of notes"))
        with self._lock:
            versions = self._notes.setdefault((notes.tenant, notes.task), [])
            following = versions[-1].version + 1 if versions else 0
            if notes.version != following:
                raise StaleNotesError(
                    f"Version {notes.version} of task {notes.task} is not the next one, which is "
                    f"{following}: read its versions again, and append under that number."
                )
            versions.append(replace(notes, at=at))

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        """The versions of a task, the newest first."""
        with self._lock:
            return self._notes.get((tenant, task), [])[::-1][:limit]

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, and keep it among the latest."""
        check_run(ground, run)
        run = replace(run, at=from_us(to_us(run.at, name="The time of a run")))
        with self._lock:
            cards = self._cards.setdefault(ground, {})
            card = cards.get(run.version) or Scorecard(version=run.version)
            cards[run.version] = add_run(card, run)
            self._runs.setdefault(ground, deque(maxlen=RUNS_KEPT)).append(run)
            self._seen[ground] = self._seen.get(ground, 0) + 1
            return self._seen[ground]

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""
        with self._lock:
            return [card for _, card in sorted(self._cards.get(ground, {}).items())]

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
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
            top = next((card for card in cards.values() if card.state in ON_TOP), None)
            pinned = top.version if top and top.state is NotesState.PINNED else None
            stands = card.state if card else None
            if stands is not was or not may_enter(state, version=version, pinned=pinned):
                return False
            if state in ON_TOP and top is not None:
                cards[top.version] = change_state(top, NotesState.TRIAL)
            cards[version] = change_state(card or Scorecard(version=version), state)
            return True

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        """Let a person's word be the score of a run that is still kept."""
        check_score(score)
        with self._lock:
            for ground, runs in self._runs.items():
                for at, each in enumerate(runs):
                    if run and each.id == run and ground.tenant == tenant:
                        card = self._cards[ground][each.version]
                        self._cards[ground][each.version] = add_rating(card, each, score=score)
                        runs[at] = replace(each, score=score)
                        return True
        return False

    def clear(self, task: str, *, tenant: str = "") -> int:
        """Forget a task: its versions, its evidence and its runs."""
        with self._lock:
            for ground in [g for g in self._cards if (g.task, g.tenant) == (task, tenant)]:
                for kept in (self._cards, self._runs, self._seen):
                    kept.pop(ground, None)
            return len(self._notes.pop((tenant, task), ()))

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted."""
        with self._lock:
            return [ground for ground in self._cards if task in (None, ground.task)]

    def prune(self, *, before: datetime) -> int:
        """Forget old runs, and old versions that nothing rests on."""
        limit = from_us(to_us(before, name="The time to prune before"))
        with self._lock:
            for runs in self._runs.values():
                while runs and runs[0].at < limit:
                    runs.popleft()
            return sum(self._forget(tenant, task, limit) for tenant, task in list(self._notes))

    def _forget(self, tenant: str, task: str, limit: datetime) -> int:
        versions = self._notes[tenant, task]
        grounds = [
            cards
            for ground, cards in self._cards.items()
            if (ground.tenant, ground.task) == (tenant, task)
        ]
        in_play = {
            card.version
            for cards in grounds
            for card in cards.values()
            if card.state is not NotesState.RETIRED
        }
        needed = find_needed_versions({n.version: n.parent for n in versions}, in_play=in_play)
        gone = {n.version for n in versions if n.at < limit} - needed
        self._notes[tenant, task] = [n for n in versions if n.version not in gone]
        for cards in grounds:
            for version in gone & cards.keys():
                del cards[version]
        return len(gone)

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()
