"""Whatever is said at the end of a turn is true of the remote: the short form, in every run.

`MULLIGAN_TEST_HISTORIES=20000` plays more of them here; `python -m bench truth` does so by default.
"""

from __future__ import annotations

import dataclasses
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bench.truth.agents import AgentStep, RandomAgent
from bench.truth.campaign import play_histories
from bench.truth.oracle import find_untrue, read_ledger
from bench.truth.world import NOW, RIGHT, SAID, WRONG, Mood, TruthWorld
from mulligan import Done

pytestmark = [pytest.mark.promise(4), pytest.mark.full]

HISTORIES = int(os.environ.get("MULLIGAN_TEST_HISTORIES", "150"))


async def test_random_agents_get_no_untrue_word_said_of_them() -> None:
    tally = await play_histories(HISTORIES, seed=7)

    assert tally.histories == HISTORIES
    assert tally.examples == []
    assert {"accepted medium", "accepted high", "rejected low", "unchecked None"} <= set(
        tally.standings
    )
    assert tally.attempts[2] > 0


def step(tool: str, event: str, day: str, mark: str = "") -> AgentStep:
    given = {"event": event, "day": day} | ({"mark": mark} if mark else {})
    return AgentStep(tool=tool, arguments=given, swallows=True)


async def play(
    folder: Path,
    *scripts: list[AgentStep],
    kind: str = "plain",
    mood: Mood = Mood.RIGHT,
    judging: Mood = Mood.CONTENT,
) -> tuple[Done, Any]:
    """One turn, and what the oracle says of it, of another account of it or of another ledger."""
    world = TruthWorld(kind)
    world.begin(folder / "ledger", mood=mood, judging=judging)
    agent = RandomAgent(world, random.Random(1), scripts=list(scripts))
    done = await world.m.act(SAID, agent, now=NOW, timezone="Europe/Berlin")
    opened = world.m.insights.open_list.actions()
    ledger = read_ledger(world, opened)
    world.m.close()

    def tell(stands: set[str] | None = None, **other: Any) -> list[str]:
        there = ledger
        if stands is not None:
            there = dataclasses.replace(ledger, stands=frozenset(stands), made=Counter(stands))
        return list(find_untrue(replace(done, **other), agent, there, opened))

    return done, tell


WRONG_ONCE = [step("move", "e2", WRONG, "m1x")], [step("move", "e2", RIGHT, "m2x")]
WRONG_TWICE = [step("move", "e2", WRONG, "m1x")], [step("move", "e2", WRONG, "m2x")]
RIGHT_TWICE = [step("move", "e2", RIGHT, "m1x")], [step("move", "e2", RIGHT, "m2x")]
ADDED = [step("add", "n-1", WRONG, "m1x")], [step("move", "e2", WRONG, "m2x")]
SENT = ([step("send", "n-1", RIGHT, "m1x")],)


@pytest.mark.parametrize(
    ("scripts", "moods", "stands", "noticed"),
    [
        (WRONG_ONCE, (Mood.RIGHT, Mood.CONTENT), {"m1x", "m2x"}, "before attempt 2, it says"),
        (WRONG_TWICE, (Mood.RIGHT, Mood.CONTENT), {"m2x"}, "nothing is in effect, it says"),
        (ADDED, (Mood.RIGHT, Mood.CONTENT), set(), "still in effect, it says"),
        (RIGHT_TWICE, (Mood.CONTENT, Mood.HARSH), set(), "in effect, the note says"),
        (SENT, (Mood.RIGHT, Mood.CONTENT), {"m1x"}, "not done yet, the note says"),
    ],
)
async def test_the_oracle_reads_every_sentence_in_the_words_it_is_said_in(
    tmp_path: Path, scripts: Any, moods: tuple[Mood, Mood], stands: set[str], noticed: str
) -> None:
    """Said in other words than it looks for, an untrue one would pass unnoticed."""
    mood, judging = moods
    _, tell = await play(tmp_path, *scripts, mood=mood, judging=judging)

    assert tell() == []
    assert any(noticed in each for each in tell(stands))
