"""The suite `tasks`: its keys, and that its world is the one it says. Few seeds, so no figures."""

from __future__ import annotations

import asyncio
import random

import pytest

from bench.suites import tasks
from mulligan.types.task import Gate
from tests.bench.running import read_result

KEYS = {
    "suite", "n", "seconds", "versions", "static", "oracle", "accept_all", "gated", "gated_graded",
    "regret", "below_static", "worst_window_below_static", "rolled_back_share",
    "worst_below_static", "yes_or_no_limit",
}  # fmt: skip


def test_json_has_every_key_and_a_figure_for_each_reflector() -> None:
    result = read_result("tasks", "--seeds", "1", "--runs", "20")

    assert result.keys() >= KEYS
    assert result["n"] == 1
    for key in ("oracle", "accept_all", "gated"):
        assert result[key].keys() >= {"even", "weak", "strong"}
        assert all(0 <= share <= 1 for share in result[key].values())
    assert {"always harmful", "hostile", "without a score"} <= result["below_static"].keys()
    assert 0.3 < result["yes_or_no_limit"] < 0.6


def test_the_same_seed_tells_the_same_story() -> None:
    def tell(seed: int) -> list[float]:
        reflector = tasks.REFLECTORS["even"]
        return asyncio.run(tasks.story(reflector, gate=Gate.EVIDENCE, seed=seed, runs=60))

    assert tell(3) == tell(3)
    assert tell(3) != tell(4)


def test_where_all_is_accepted_every_run_has_another_version() -> None:
    reflector = tasks.REFLECTORS["even"]

    told = asyncio.run(tasks.story(reflector, gate=Gate.ACCEPT, seed=1, runs=20))

    assert told[0] == tasks.START
    assert len(set(told)) == 20


@pytest.mark.parametrize(("name", "mean"), [("even", -0.003), ("weak", -0.019), ("strong", 0.0195)])
def test_a_reflector_helps_and_hurts_as_it_is_said_to(name: str, mean: float) -> None:
    chance = random.Random(5)

    effects = [tasks.REFLECTORS[name](chance) for _ in range(20_000)]

    assert sum(effects) / len(effects) == pytest.approx(mean, abs=0.002)


def test_a_planted_version_is_champion_until_it_is_rolled_back() -> None:
    async def planted() -> tuple[int, int]:
        world = tasks.World(tasks.REFLECTORS["even"], gate=Gate.EVIDENCE, seed=1)
        for _ in range(tasks.BEFORE):
            await world.run()
        return world.plant(lambda _: -0.3), world.champion()

    number, champion = asyncio.run(planted())

    assert champion == number
    assert asyncio.run(
        tasks.runs_to_roll_back(lambda _: -0.3, seed=1, scored=tasks.Scored.GRADED)
    ) in range(1, 61)


def test_the_shortfall_is_that_of_the_worst_window_of_the_mean() -> None:
    dip = [0.60] * 50 + [0.58] * 50 + [0.90] * 100
    steady = [0.60] * 200

    assert tasks.shortfall([dip, steady]) == pytest.approx(0.01)
    assert tasks.shortfall([steady]) == 0.0
