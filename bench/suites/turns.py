"""Lines, statements, commits, thread hops and processor time of a turn, by store."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.filled import open_places
from bench.report import progress
from bench.turn_growth import ALLOWED, GROWTHS, Grown, measure_growth
from bench.turns import Desk, count_turn, open_meter, time_turn
from mulligan import Mulligan

Result = dict[str, Any]
STORES = ("memory", "sqlite", "postgres")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", choices=STORES, action="append", help="all of them")
    parser.add_argument("--growth", action="store_true", help="also beside few and beside many")


def run(options: argparse.Namespace) -> Result:
    stores = options.store or STORES
    grown = GROWTHS if options.growth else {}
    with progress(len(stores) + len(grown)) as step:
        turns: Result = {}
        for store in stores:
            step(store)
            turns[store] = _count(store)
        growth: Result = {}
        for name in grown:
            step(name)
            growth[name] = measure_growth(name)._asdict()
    return {
        "n": sum(map(len, turns.values())),
        **turns[stores[0]],
        "by_store": turns,
        "growth": growth,
    }


def _count(store: str) -> Result:
    with (
        _open_place(store) as url,
        open_meter() as meter,
        Mulligan(url, checks="standard", recover=False) as m,
        asyncio.Runner() as runner,
    ):
        turns = Desk(m).turns
        counted = {name: count_turn(meter, runner, turn) for name, turn in turns.items()}
    with (
        _open_place(store) as url,
        Mulligan(url, checks="standard", recover=False) as m,
        asyncio.Runner() as runner,
    ):
        timed = {name: time_turn(runner, turn) for name, turn in Desk(m).turns.items()}
    return {name: {**each._asdict(), **timed[name]} for name, each in counted.items()}


@contextmanager
def _open_place(store: str) -> Iterator[str]:
    if store == "memory":
        yield "memory:"
        return
    with open_places(store) as make, make() as url:
        yield url


def failed(result: Result) -> str:
    """What one more costs more of, beside many."""
    above = [
        f"{count} with {name}"
        for name, grown in result["growth"].items()
        for count in Grown._fields[2:]
        if grown[count] > ALLOWED
    ]
    return f"One more costs over {ALLOWED} times as many {', '.join(above)}" if above else ""
