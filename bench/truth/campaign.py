"""Plays histories, and counts what was said that is not so."""

from __future__ import annotations

import logging
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.truth.agents import RandomAgent
from bench.truth.oracle import find_unaccounted, find_untrue, read_ledger
from bench.truth.world import NOW, SAID, Mood, TruthWorld
from mulligan import Standing

KINDS = ("plain", "scoped", "bare")
A_BATCH = 150
"""Histories of one application: its store is in memory, and only grows."""
MOST_EXAMPLES = 20


class TruthTally:
    """What was played, and what was not so."""

    def __init__(self) -> None:
        self.histories = 0
        self.untrue = 0
        self.standings: Counter[str] = Counter()
        self.attempts: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.examples: list[str] = []

    def add(self, seed: str, found: list[str]) -> None:
        """Count one history."""
        self.histories += 1
        self.untrue += bool(found)
        self.kinds.update(each.partition(":")[0] for each in found)
        if found and len(self.examples) < MOST_EXAMPLES:
            self.examples.append(f"{seed}: {'; '.join(found)}")


async def play_histories(
    count: int, *, seed: int, shown: Callable[[str], None] = lambda _: None
) -> TruthTally:
    """Play so many histories, each by itself drawn from the seed and its number."""
    tally = TruthTally()
    report = logging.getLogger("mulligan")
    level = report.level
    report.setLevel(logging.CRITICAL)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for start in range(0, count, A_BATCH):
                numbers = range(start, min(start + A_BATCH, count))
                await _play_batch(numbers, seed=seed, folder=Path(folder), tally=tally, shown=shown)
    finally:
        report.setLevel(level)
    return tally


async def _play_batch(
    numbers: range, *, seed: int, folder: Path, tally: TruthTally, shown: Callable[[str], None]
) -> None:
    worlds = [TruthWorld(kind) for kind in KINDS]
    try:
        for number in numbers:
            named = f"{seed}/{number}"
            chance = random.Random(named)
            world = chance.choice(worlds)
            world.begin(folder / "ledger", mood=_draw_mood(chance), judging=_draw_mood(chance))
            found = await play_history(world, chance, number=number, tally=tally)
            tally.add(named, found)
            shown(f"{tally.untrue} untrue")
    finally:
        for world in worlds:
            world.m.close()


def _draw_mood(chance: random.Random) -> Mood:
    moods: list[Mood] = [Mood.RIGHT, Mood.RIGHT, *Mood]
    return chance.choice(moods)


async def play_history(
    world: TruthWorld, chance: random.Random, *, number: int, tally: TruthTally
) -> list[str]:
    """One turn of one random agent, and what is not so about it."""
    agent = RandomAgent(world, chance)
    agent.draw(number)
    about: dict[str, Any] = {"now": NOW, "timezone": "Europe/Berlin"}
    listing = world.m.insights.open_list
    before = {action.id for action in listing.actions(limit=10_000)}
    try:
        done = await world.m.act(SAID, agent, **about)
    except Exception as error:
        done = None
        tally.standings[f"raised {type(error).__name__}"] += 1
    opened = [each for each in listing.actions(limit=10_000) if each.id not in before]
    ledger = read_ledger(world, opened)
    if done is None:
        rejected = [Standing.REJECTED] * (len(agent.by_attempt) - 1)
        return list(find_unaccounted(agent, ledger, rejected))
    tally.standings[f"{done.standing} {done.confidence}"] += 1
    tally.attempts[len(done.attempts)] += 1
    return list(find_untrue(done, agent, ledger, opened))
