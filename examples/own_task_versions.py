"""Task versions of one's own: what was learned about tasks, in a shelf of the standard library.

Ten methods make a `TaskVersions`, and `mulligan_testing.store_contract.TaskVersionContract`
certifies it.
The rules are not written here: `mulligan.types.notes` brings them. What is left is a place to keep
things and a lock, so that two processes never write at once.
"""

from __future__ import annotations

import fcntl
import shelve
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mulligan.types.errors import StaleNotesError
from mulligan.types.notes import (
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
from mulligan.types.values import require_aware

RUNS_KEPT = 40


class ShelfOfVersions:
    """Keeps everything in one shelf, and opens it for each question."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, notes: Notes) -> None:
        """Add a version, numbered one above the last."""
        check_notes(notes)
        at = require_aware(notes.at, name="The time of notes").astimezone(UTC)
        with self._shelf() as shelf:
            known = shelf.get(_notes_key(notes.tenant, notes.task), [])
            if notes.version != (known[-1].version + 1 if known else 0):
                raise StaleNotesError(f"Version {notes.version} is not the next: read them again.")
            shelf[_notes_key(notes.tenant, notes.task)] = [*known, replace(notes, at=at)]

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        """The versions of a task, the newest first."""
        with self._shelf() as shelf:
            return list(shelf.get(_notes_key(tenant, task), []))[::-1][:limit]

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, and keep it among the latest."""
        check_run(ground, run)
        run = replace(run, at=require_aware(run.at, name="The time of a run").astimezone(UTC))
        with self._ground(ground) as kept:
            card = kept["cards"].get(run.version, Scorecard(version=run.version))
            kept["cards"][run.version] = add_run(card, run)
            kept["runs"] = [run, *kept["runs"]][:RUNS_KEPT]
            kept["seen"] += 1
            return int(kept["seen"])

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""
        with self._ground(ground) as kept:
            return [card for _, card in sorted(kept["cards"].items())]

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        """The latest runs on a ground, the newest first."""
        with self._ground(ground) as kept:
            return list(kept["runs"][:limit])

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        """Change where a version stands, if it still stands where it `was`."""
        check_move(version, state)
        with self._ground(ground) as kept:
            cards = kept["cards"]
            stands = cards[version].state if version in cards else None
            top = [card for card in cards.values() if card.state in ON_TOP]
            pinned = next((c.version for c in top if c.state is NotesState.PINNED), None)
            if stands is not was or not may_enter(state, version=version, pinned=pinned):
                return False
            for card in top if state in ON_TOP else []:
                cards[card.version] = change_state(card, NotesState.TRIAL)
            cards[version] = change_state(cards.get(version, Scorecard(version=version)), state)
            return True

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        """Let a person's rating be the score of a run that is still kept."""
        check_score(score)
        for ground in self.list_grounds():
            with self._ground(ground) as kept:
                rated = [each for each in kept["runs"] if run and each.id == run]
                if ground.tenant == tenant and rated:
                    card = kept["cards"][rated[0].version]
                    kept["cards"][card.version] = add_rating(card, rated[0], score=score)
                    at = kept["runs"].index(rated[0])
                    kept["runs"][at] = replace(rated[0], score=score)
                    return True
        return False

    def clear(self, task: str, *, tenant: str = "") -> int:
        """Forget a task: its versions, its evidence and its runs."""
        with self._shelf() as shelf:
            known = shelf.pop(_notes_key(tenant, task), [])
            gone = [g for g in shelf.get("grounds", []) if (g.task, g.tenant) == (task, tenant)]
            for ground in gone:
                del shelf[repr(ground)]
            shelf["grounds"] = [g for g in shelf.get("grounds", []) if g not in gone]
        return len(known)

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted."""
        with self._shelf() as shelf:
            return [ground for ground in shelf.get("grounds", []) if task in (None, ground.task)]

    def prune(self, *, before: datetime) -> int:
        """Forget old runs, and old versions that nothing rests on."""
        limit = require_aware(before, name="The time to prune before")
        gone = 0
        with self._shelf() as shelf:
            grounds = {ground: shelf[repr(ground)] for ground in shelf.get("grounds", [])}
            for tenant, task in {(ground.tenant, ground.task) for ground in grounds}:
                kept = [k for g, k in grounds.items() if (g.tenant, g.task) == (tenant, task)]
                known = shelf.get(_notes_key(tenant, task), [])
                old = {n.version for n in known if n.at < limit} - _needed(known, kept)
                shelf[_notes_key(tenant, task)] = [n for n in known if n.version not in old]
                for each in kept:
                    each["cards"] = {v: c for v, c in each["cards"].items() if v not in old}
                    each["runs"] = [run for run in each["runs"] if run.at >= limit]
                gone += len(old)
            for ground, each in grounds.items():
                shelf[repr(ground)] = each
        return gone

    @contextmanager
    def _shelf(self) -> Generator[shelve.Shelf[Any]]:
        """The shelf, for one process and one thread at a time."""
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with shelve.open(str(self._path)) as shelf:  # noqa: S301 - as above
                yield shelf

    @contextmanager
    def _ground(self, ground: Ground) -> Generator[dict[str, Any]]:
        """What is kept about a ground; changes to it are kept too, if nothing was raised."""
        with self._shelf() as shelf:
            known = shelf.get("grounds", [])
            kept = shelf.get(repr(ground), {"cards": {}, "runs": [], "seen": 0})
            yield kept
            if kept["cards"]:
                shelf[repr(ground)] = kept
                shelf["grounds"] = known if ground in known else [*known, ground]


def _notes_key(tenant: str, task: str) -> str:
    return repr(("notes", tenant, task))


def _needed(known: list[Notes], grounds: list[dict[str, Any]]) -> set[int]:
    cards = [card for kept in grounds for card in kept["cards"].values()]
    in_play = {card.version for card in cards if card.state is not NotesState.RETIRED}
    return find_needed_versions({notes.version: notes.parent for notes in known}, in_play=in_play)
