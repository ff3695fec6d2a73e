"""The eight checks of text that need no model, beside guardrails-ai validators doing the same."""

from __future__ import annotations

import argparse
import random
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.peers import add_peer_arguments, peer_python
from bench.report import progress
from bench.rounds import (
    Answer,
    Worker,
    digits,
    interleave,
    middle,
    pick,
    quartiles,
    ratio,
    read_versions,
    start_workers,
)

Result = dict[str, Any]

REPLY = 2_500
LARGE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured."""

    rounds: int = 15
    replies: int = 40
    """In a block."""
    large: int = LARGE


QUICK = Plan(rounds=2, replies=3, large=50_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_peer_arguments(parser)
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of replies")
    parser.add_argument("--seed", type=int, default=1, help="of the replies and of the order")
    parser.add_argument("--quick", action="store_true", help="seconds, not minutes; no figures")
    parser.add_argument(
        "--alone", action="store_true", help="without the peer: figures against it are null"
    )


def run(options: argparse.Namespace) -> Result:
    plan = QUICK if options.quick else Plan()
    if options.rounds:
        plan = replace(plan, rounds=options.rounds)
    peers = None if options.alone else peer_python(options.peers, install=not options.no_install)
    with ExitStack() as stack:
        ours = (Path(sys.executable), "text_checks")
        theirs = (peers, "guardrails_text")
        workers = start_workers(stack, {"ours": ours, "guardrails": theirs})
        step = stack.enter_context(progress(2 * plan.rounds))
        small = _rounds(workers, plan=plan, size=REPLY, seed=options.seed, step=step)
        alone = {"ours": workers["ours"]}
        large = _rounds(alone, plan=plan, size=plan.large, seed=options.seed, step=step)
    versions = read_versions(workers)
    return {
        "n": plan.rounds * plan.replies,
        **_figures(small, large["ours"]),
        "versions": versions,
    }


def _rounds(
    workers: dict[str, Worker], *, plan: Plan, size: int, seed: int, step: Any
) -> dict[str, list[Answer]]:
    n = plan.replies if size == REPLY else 1

    def ask(worker: Worker, number: int) -> Answer:
        return worker.ask("check", n=n, size=size, seed=seed * 1_000 + number)

    return interleave(
        {name: partial(ask, worker) for name, worker in workers.items()},
        rounds=plan.rounds,
        chance=random.Random(seed),
        step=lambda: step(f"{size:,} characters"),
    )


def _figures(small: dict[str, list[Answer]], large: list[Answer]) -> Result:
    ours = pick(small["ours"], "us")
    each = [a["us"] / a["characters"] for a in small["ours"]]
    each_large = [a["us"] / a["characters"] for a in large]
    growth, growth_spread = ratio(each_large, each)
    spread: Result = {"us": quartiles(ours), "growth_1mb": growth_spread}
    figures: Result = {
        "guardrails_ratio": None,
        "guardrails_us": None,
        "us": middle(ours),
        "growth_1mb": growth,
        "large_ms": digits(middle(pick(large, "us")) / 1e3),
        "same_findings": None,
    }
    if "guardrails" in small:
        theirs = pick(small["guardrails"], "us")
        figures["guardrails_ratio"], spread["guardrails_ratio"] = ratio(theirs, ours)
        figures["guardrails_us"] = middle(theirs)
        figures["same_findings"] = _same(small["ours"], small["guardrails"])
    return {**figures, "spread": spread}


def _same(ours: list[Answer], theirs: list[Answer]) -> float:
    """The share of replies in which both found the same: the work compared is the same work."""
    pairs = [
        (mine, other)
        for a, b in zip(ours, theirs, strict=True)
        for mine, other in zip(a["found"], b["found"], strict=True)
    ]
    return digits(sum(mine == other for mine, other in pairs) / len(pairs))
