"""Whatever is said at the end of a turn is true of the remote: the short form, in every run.

`MULLIGAN_TEST_HISTORIES=20000` plays more of them here; `python -m bench truth` does so by default.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bench import suites
from bench.truth.agents import AgentStep, RandomAgent
from bench.truth.campaign import play_histories
from bench.truth.oracle import find_untrue, read_ledger
from bench.truth.world import NOW, RIGHT, SAID, WRONG, Mood, TruthWorld
from mulligan import Confidence, Done, Standing

pytestmark = pytest.mark.promise(4)

HISTORIES = int(os.environ.get("MULLIGAN_TEST_HISTORIES", "300"))


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
    folder: Path, *scripts: list[AgentStep], kind: str = "plain", mood: Mood = Mood.RIGHT
) -> tuple[Done, Any]:
    """One turn, and what the oracle says of it, or of another account of it."""
    world = TruthWorld(kind)
    world.begin(folder / "ledger", mood=mood, judging=Mood.CONTENT)
    agent = RandomAgent(world, random.Random(1), scripts=list(scripts))
    done = await world.m.act(SAID, agent, now=NOW, timezone="Europe/Berlin")
    opened = world.m.insights.open_list.actions()
    ledger = read_ledger(world, opened)
    world.m.close()

    def tell(**other: Any) -> list[str]:
        return list(find_untrue(replace(done, **other), agent, ledger, opened))

    return done, tell


async def test_an_effect_that_is_said_to_be_gone_is_noticed(tmp_path: Path) -> None:
    wrong = [step("add", "n-1", WRONG, "m1x")]
    done, tell = await play(tmp_path, wrong, [step("move", "e2", WRONG, "m2x")])
    gone = "I could not do this reliably\n\nNothing of it is in effect: everything was taken back"

    assert done.standing is Standing.REJECTED
    assert tell() == []
    assert tell(question=gone)
    assert tell(open_actions=())
    assert tell(question=done.question.replace("m1x", "m2x"))


async def test_acceptance_that_nobody_gave_is_noticed(tmp_path: Path) -> None:
    done, tell = await play(tmp_path, [step("move", "e2", RIGHT, "m1x")], kind="bare")

    assert (done.standing, tell()) == (Standing.UNCHECKED, [])
    assert tell(standing=Standing.ACCEPTED)
    assert tell(standing=Standing.ACCEPTED, confidence=Confidence.HIGH)


async def test_acceptance_of_doing_nothing_is_noticed(tmp_path: Path) -> None:
    done, tell = await play(tmp_path, [step("move", "e1", WRONG, "m1x")], [], kind="scoped")

    assert (done.standing, tell()) == (Standing.UNCHECKED, [])
    assert tell(standing=Standing.ACCEPTED)


async def test_a_review_that_is_due_and_not_told_is_noticed(tmp_path: Path) -> None:
    moved = [step("move", "e1", RIGHT, "m1x")]
    done, tell = await play(tmp_path, moved, mood=Mood.DOWN)

    assert (done.standing, tell()) == (Standing.UNREVIEWED, [])
    assert tell(output="Moved.", note="")


def test_the_suite_fails_on_a_single_untrue_history() -> None:
    suite: Any = suites.load("truth")

    assert suite.failed({"untrue": 1})
    assert not suite.failed({"untrue": 0})


@pytest.mark.parametrize("name", ["truth"])
def test_the_suite_is_listed(name: str) -> None:
    assert name in suites.names()
