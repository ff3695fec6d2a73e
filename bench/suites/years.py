"""Whether a turn, recovery and questions take as long after years as on the first day.

A store with a long past beside one with a short past, asked in turn: executions over the 30 days
that the log is kept, and for every ten of them, up to 100,000, a settled action and an episode.
`growth` is the worst of all but `doctor`, which reads a store from end to end. `bytes_per_row` is
the largest log's size on disk by its rows, all its indexes and roll-ups included.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bench import history
from bench.filled import AT_A_TIME, KINDS, Filled, fill_stores
from bench.report import progress
from bench.rounds import digits, quartiles
from bench.years.application import Question, Trial, open_application, open_trial
from bench.years.past import Past
from bench.years.sizes import measure_row_bytes
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.values import IdentityKind

Result = dict[str, Any]
Taken = dict[str, dict[int, list[float]]]
"""Milliseconds, by question and size."""

ROWS = (10_000, 1_000_000)
MOST_GROWTH = 1.2
LEAST_MS = 0.1
"""What takes less than this longer is no growth that anybody notices, or that a clock can tell."""
MOST_ROW_BYTES = 450
LEAST_ROWS = 100_000
"""Of a largest store that is smaller nothing can be told: it is mostly empty pages."""
SELDOM = 3
NAMED = {
    "turn_ms": "turn",
    "failing_turn_ms": "failing turn",
    "open_ms": "open",
    "recovery_ms": "recovery",
    "doctor_ms": "doctor",
}
FILTER, STATS = "log, ", "stats, "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS), metavar="N")
    parser.add_argument("--store", choices=(*KINDS, "both"), default="both")
    parser.add_argument("--rounds", type=int, default=40, help="of all stores in turn")
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round")


def run(options: argparse.Namespace) -> Result:
    kinds = KINDS if options.store == "both" else (options.store,)
    sizes = sorted(set(options.rows))
    filling = sum(_make_past(rows, "").count_steps(AT_A_TIME) for rows in sizes)
    with progress(len(kinds) * (filling + options.rounds)) as step:
        stores = {kind: _measure_kind(kind, sizes, options, step=step) for kind in kinds}
    return {
        "n": options.rounds,
        **_name_figures(stores),
        "rows": sizes,
        "stores": stores,
    }


def _measure_kind(
    kind: str, sizes: list[int], options: argparse.Namespace, *, step: Callable[[str], None]
) -> Result:
    with ExitStack() as stack:
        filled = stack.enter_context(fill_stores(kind, sizes, fill=_fill, step=step))
        row_bytes = {str(rows): measure_row_bytes(each.url) for rows, each in filled.items()}
        taken = asyncio.run(_measure(filled, options, step=lambda: step(f"{kind}: measuring")))
    return {
        "questions": {name: _sum_up(by_size) for name, by_size in taken.items()},
        "bytes_per_row": row_bytes,
    }


def _fill(url: str, rows: int, step: Callable[[], None]) -> datetime:
    store = open_store(url)
    tenant = Settings().build_redactor(store).identify(history.TENANT, IdentityKind.TENANT)
    past = _make_past(rows, tenant)
    past.fill(store, at_a_time=AT_A_TIME, step=step)
    store.close()
    return past.until


def _make_past(rows: int, tenant: str) -> Past:
    return Past(rows=rows, tenant=tenant, until=datetime.now(UTC))


async def _measure(
    filled: Mapping[int, Filled], options: argparse.Namespace, *, step: Callable[[], None]
) -> Taken:
    """All stores in turn within a round, so that a busy moment of the machine meets each."""
    chance = random.Random(options.seed)
    async with AsyncExitStack() as stack:
        trials: dict[int, Trial] = {}
        for rows, each in filled.items():
            m = await stack.enter_async_context(open_application(each))
            trials[rows] = await open_trial(m, each)
        often = {rows: trial.questions for rows, trial in trials.items()}
        # The first round warms up: connections, pages, statements, what is loaded at first use.
        ask = partial(_ask_round, chance=chance)
        await ask(often, {})
        taken: Taken = {}
        for _ in range(options.rounds):
            await ask(often, taken)
            step()
        seldom = {rows: trial.seldom for rows, trial in trials.items()}
        for _ in range(min(SELDOM, options.rounds)):
            await ask(seldom, taken)
        return taken


async def _ask_round(
    asked: Mapping[int, Mapping[str, Question]],
    taken: Taken,
    *,
    chance: random.Random,
) -> None:
    """Each question to every store, one right after the other, in an order of chance."""
    names = list(next(iter(asked.values())))
    for name in names:
        for rows in chance.sample(sorted(asked), k=len(asked)):
            started = time.perf_counter()
            await asked[rows][name]()
            took = (time.perf_counter() - started) * 1e3
            taken.setdefault(name, {}).setdefault(rows, []).append(took)


def _sum_up(by_size: Mapping[int, list[float]]) -> Result:
    ordered = sorted(by_size)
    medians = {rows: statistics.median(by_size[rows]) for rows in ordered}
    pairs = zip(by_size[ordered[-1]], by_size[ordered[0]], strict=True)
    return {
        "ms": {str(rows): digits(medians[rows]) for rows in ordered},
        "spread": {str(rows): quartiles(by_size[rows]) for rows in ordered},
        "growth": digits(medians[ordered[-1]] / medians[ordered[0]]),
        "growth_spread": quartiles([large / small for large, small in pairs]),
    }


def _name_figures(stores: Mapping[str, Result]) -> Result:
    """By store and rows: what an application waits for, and what people ask."""
    asked = {kind: found["questions"] for kind, found in stores.items()}
    named: Result = {
        name: {kind: questions[question]["ms"] for kind, questions in asked.items()}
        for name, question in NAMED.items()
    }
    for name, begins in (("filters_ms", FILTER), ("stats_ms", STATS)):
        named[name] = {kind: _pick(questions, begins) for kind, questions in asked.items()}
    grown = {
        f"{kind}: {name}": _measure_growth(each)
        for kind, questions in asked.items()
        for name, each in questions.items()
        # To read a store from end to end takes as long as it is.
        if name != NAMED["doctor_ms"]
    }
    worst = max(grown, key=lambda name: grown[name])
    return {
        **named,
        "growth": grown[worst],
        "growth_of": worst,
        "above": {name: growth for name, growth in grown.items() if growth > MOST_GROWTH},
        "bytes_per_row": max([*found["bytes_per_row"].values()][-1] for found in stores.values()),
        "spread": {
            f"{name}.{kind}.{rows}": spread
            for name, question in NAMED.items()
            for kind, questions in asked.items()
            for rows, spread in questions[question]["spread"].items()
        },
    }


def _measure_growth(each: Result) -> float:
    """The largest ÷ the smallest; 1 where that is too little time to tell."""
    small, *_, large = each["ms"].values()
    return float(each["growth"]) if large - small > LEAST_MS else min(1.0, each["growth"])


def _pick(questions: Mapping[str, Result], begins: str) -> Result:
    return {
        name.removeprefix(begins): found["ms"]
        for name, found in questions.items()
        if name.startswith(begins)
    }


def failed(result: Result) -> str:
    """What is not as it must be."""
    if max(result["rows"]) < LEAST_ROWS:
        return ""
    wrong = [f"{name} grows {growth} times" for name, growth in result["above"].items()]
    if result["bytes_per_row"] > MOST_ROW_BYTES:
        wrong.append(f"a row takes {result['bytes_per_row']} bytes, over {MOST_ROW_BYTES}")
    return "; ".join(wrong)
