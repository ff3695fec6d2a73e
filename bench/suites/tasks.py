"""Whether a task's instructions get better over runs, against static and against accept-all.

The loop, the task versions and the selection are the real ones; only the world is simulated. Each
version has a true success, which a run draws its score from and which nobody else knows.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bench.report import Step, progress
from bench.rounds import digits
from bench.simulated_tasks import (
    ADVERSE,
    PLANTED,
    REFLECTORS,
    START,
    Effect,
    Scored,
    World,
    bounded,
    draw_pair,
    harmful,
    helpful,
)
from mulligan.types.task import Gate

Result = dict[str, Any]
Stories = list[list[float]]

RUNS = 300
WINDOW = 50
"""Runs over which a mean is held against the static one."""
BEFORE = 30
"""Runs of the static text before a version is planted as champion."""
DRAWS = 4_000
WITHIN = 60
"""Runs in which a harmful champion has to be rolled back."""


def follow_oracle(reflector: Effect, *, seed: int, runs: int) -> float:
    """The mean success of one that is told at once what a proposal does, and gets one each run."""
    chance, success, total = random.Random(seed), START, 0.0
    for _ in range(runs):
        total += success
        success = max(success, bounded(success + reflector(chance)))
    return total / runs


async def story(
    reflector: Effect, *, gate: Gate, seed: int, runs: int, scored: Scored = Scored.YES_OR_NO
) -> list[float]:
    """The true success of every run of one seed."""
    world = World(reflector, gate=gate, seed=seed, scored=scored)
    return [await world.run() for _ in range(runs)]


async def runs_to_roll_back(effect: Effect, *, seed: int, scored: Scored) -> int | None:
    """After how many runs a planted champion had lost its place; `None`: it had not, in time."""
    world = World(REFLECTORS["even"], gate=Gate.EVIDENCE, seed=seed, scored=scored)
    for _ in range(BEFORE):
        await world.run()
    planted = world.plant(effect)
    for number in range(1, WITHIN + 1):
        await world.run()
        if world.champion() != planted:
            return number
    return None


def limit(win: Callable[[float, random.Random], float], *, caught: float) -> float:
    """The share of helpful champions that any test must lose to catch that share of harmful ones.

    Even one that gives the champion every run, and knows what a run of some success is worth.
    """
    chance = random.Random(1)

    def add_up(effect: Effect) -> list[float]:
        true = [bounded(START + effect(chance)) for _ in range(DRAWS)]
        return sorted(sum(win(success, chance) for _ in range(WITHIN)) for success in true)

    threshold = add_up(harmful)[int(caught * DRAWS)]
    return digits(statistics.fmean(found <= threshold for found in add_up(helpful)))


def win_alone(success: float, chance: random.Random) -> float:
    """A run that is right or wrong."""
    return chance.random() < success


def win_in_pairs(success: float, chance: random.Random) -> float:
    """The same beside the static text: most of them are ties."""
    return draw_pair(success, START, chance=chance)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=100, metavar="N", help="simulated tasks")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="runs of each")


def run(options: argparse.Namespace) -> Result:
    logging.getLogger("mulligan").setLevel(logging.ERROR)  # Runs without a score are meant here.
    seeds = range(options.seeds)
    kinds = [each for each in Scored if each not in (Scored.NOT, Scored.JUDGED)]
    everyone = {**REFLECTORS, **ADVERSE}
    rounds = 2 * len(REFLECTORS) + 3 * len(everyone) + 1 + len(kinds) * len(PLANTED)
    with progress(len(seeds) * rounds) as step:

        def tell(effect: Effect, says: str, gate: Gate, scored: Scored) -> list[list[float]]:
            return _stories(
                effect, gate, scored, seeds=seeds, runs=options.runs, step=partial(step, says)
            )

        accepted = {n: tell(r, n, Gate.ACCEPT, Scored.YES_OR_NO) for n, r in REFLECTORS.items()}
        gated = {n: tell(r, n, Gate.EVIDENCE, Scored.YES_OR_NO) for n, r in everyone.items()}
        graded = {n: tell(r, n, Gate.EVIDENCE, Scored.GRADED) for n, r in REFLECTORS.items()}
        judged = {n: tell(r, n, Gate.EVIDENCE, Scored.JUDGED) for n, r in everyone.items()}
        pairs = {n: tell(r, n, Gate.EVIDENCE, Scored.JUDGED_PAIRED) for n, r in everyone.items()}
        unscored = tell(harmful, "without a score", Gate.EVIDENCE, Scored.NOT)
        planted = {
            str(kind): {name: _planted(name, kind, seeds=seeds, step=step) for name in PLANTED}
            for kind in kinds
        }
    return {
        "n": len(seeds),
        "runs": options.runs,
        **_build_figures(
            accepted,
            {
                **gated,
                "without a score": unscored,
                **{f"{name}, {Scored.JUDGED}": each for name, each in judged.items()},
                **{f"{name}, {Scored.JUDGED_PAIRED}": each for name, each in pairs.items()},
            },
            runs=options.runs,
        ),
        "gated_graded": {name: _mean(each) for name, each in graded.items()},
        "gated_judged": {name: _mean(each) for name, each in judged.items()},
        "gated_judged_in_pairs": {name: _mean(each) for name, each in pairs.items()},
        "rolled_back_share": planted,
        "yes_or_no_limit": limit(win_alone, caught=0.95),
        "pairs_limit": limit(win_in_pairs, caught=0.95),
    }


def _build_figures(
    accepted: dict[str, Stories], stories: dict[str, Stories], *, runs: int
) -> dict[str, Any]:
    oracle = {
        name: digits(statistics.fmean(follow_oracle(r, seed=s, runs=runs) for s in range(400)))
        for name, r in REFLECTORS.items()
    }
    means = {name: _mean(each) for name, each in stories.items()}
    policies = {
        "static": dict.fromkeys(REFLECTORS, START),
        "accept_all": {name: _mean(accepted[name]) for name in REFLECTORS},
        "gated": {name: means[name] for name in REFLECTORS},
    }
    return {
        "static": START,
        "oracle": oracle,
        "accept_all": policies["accept_all"],
        "gated": means,
        "regret": {
            policy: {name: digits(oracle[name] - mean) for name, mean in each.items()}
            for policy, each in policies.items()
        },
        "at_the_end": {name: _mean(each, last=WINDOW) for name, each in stories.items()},
        "below_static": {name: digits(max(0.0, START - mean)) for name, mean in means.items()},
        "worst_below_static": digits(max(0.0, START - min(means.values()))),
        "worst_window_below_static": {name: shortfall(each) for name, each in stories.items()},
        "worst_seed": {
            name: digits(min(map(statistics.fmean, each))) for name, each in stories.items()
        },
    }


def shortfall(stories: Sequence[Sequence[float]]) -> float:
    """How far below the static success the mean over all seeds ever was, over any 50 runs."""
    means = [statistics.fmean(each) for each in zip(*stories, strict=True)]
    width = min(WINDOW, len(means))
    windows = (statistics.fmean(means[i : i + width]) for i in range(len(means) - width + 1))
    return digits(max(0.0, START - min(windows)))


def _stories(
    effect: Effect,
    gate: Gate,
    scored: Scored,
    *,
    seeds: Sequence[int],
    runs: int,
    step: Callable[[], None],
) -> list[list[float]]:
    told = []
    for seed in seeds:
        step()
        told.append(asyncio.run(story(effect, gate=gate, seed=seed, runs=runs, scored=scored)))
    return told


def _planted(name: str, kind: Scored, *, seeds: Sequence[int], step: Step) -> float:
    found = []
    for seed in seeds:
        step(f"planted, {kind}: {name}")
        found.append(asyncio.run(runs_to_roll_back(PLANTED[name], seed=seed, scored=kind)))
    return _share(after is not None for after in found)


def _mean(stories: Sequence[Sequence[float]], *, last: int = 0) -> float:
    return digits(statistics.fmean(statistics.fmean(each[-last:]) for each in stories))


def _share(outcomes: Iterator[bool]) -> float:
    return digits(statistics.fmean(outcomes))
