"""Kills the worker of a story at a point of chance, once or twice, and lets another go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash.processes import ChildError, in_child, start_child
from bench.engines import story
from mulligan_testing.faults import Deed, Faults, Strike

Live = Callable[[Path, str], dict[str, Any]]
"""One life of a worker: it begins the story or goes on with it, and waits for its end."""


def kill_and_count(folder: Path, live: Live, *, name: str, hits: Sequence[int]) -> dict[str, Any]:
    """One story, from its beginning to its end: a life that ends at each point, and one that does
    not. How many were killed, what is broken, and how many points the last one came by."""
    folder.mkdir(parents=True)
    story.begin(folder)
    over = folder / "over"
    person = start_child(partial(story.approve_all, folder, until=over))
    killed, said = 0, None
    try:
        for hit in (*hits, 0):
            ended = in_child(partial(_live_until, live, folder, name, hit))
            killed += ended.killed
            said = ended.said
            if not ended.killed:
                break
    except ChildError as error:
        why = str(error).strip().splitlines()[-1]
        return {"killed": killed, "points": 0, "broken": [f"{name}: {why}"]}
    finally:
        over.touch()
        person()
    answer, points = said or ({}, 0)
    broken = in_child(lambda: story.count(folder, answer)).said
    return {
        "killed": killed, "points": points, "broken": [f"{name}: {each}" for each in broken]
    }  # fmt: skip


def _live_until(live: Live, folder: Path, name: str, hit: int) -> tuple[dict[str, Any], int]:
    strikes = (Strike(deed=Deed.KILL, hit=hit),) if hit else ()
    with Faults(*strikes) as faults:
        return live(folder, name), faults.hits
