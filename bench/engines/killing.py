"""Kills the worker of a story at a point of chance, once or twice, and lets another go on."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash.processes import ChildError, in_child, start_child
from bench.engines import story
from mulligan.testing.faults import Deed, Faults, Strike

Live = Callable[[Path, str], dict[str, Any]]
"""One life of a worker: it begins the story or goes on with it, and waits for its end."""

MOST_LIVES = 4


def kill_and_count(folder: Path, live: Live, *, name: str, chance: random.Random) -> dict[str, Any]:
    """One story, from its beginning to its end through several processes."""
    folder.mkdir(parents=True)
    story.begin(folder)
    over = folder / "over"
    person = start_child(partial(story.approve_all, folder, until=over))
    killed, answer = 0, None
    try:
        while answer is None and killed < MOST_LIVES:
            # The last life is left alone; the others end at a point, if they come by so many.
            hit = chance.randint(1, 40) if killed < chance.choice((1, 1, 2)) else 0
            ended = in_child(partial(_live_until, live, folder, name, hit))
            killed += ended.killed
            answer = None if ended.killed else ended.said
    except ChildError as error:
        return {"killed": killed, "broken": [f"{name}: {str(error).splitlines()[-1]}"]}
    finally:
        over.touch()
        person()
    broken = in_child(lambda: story.count(folder, answer or {})).said
    return {"killed": killed, "broken": [f"{name}: {said}" for said in broken]}


def _live_until(live: Live, folder: Path, name: str, hit: int) -> dict[str, Any]:
    strikes = (Strike(deed=Deed.KILL, hit=hit),) if hit else ()
    with Faults(*strikes):
        return live(folder, name)
