"""How long it takes to look a suggestion up, and to read the figures, as the store grows."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bench import history, versions
from bench.history import Known
from bench.imports import build_environment
from bench.missing import MissingError
from bench.report import progress, table
from bench.rounds import digits
from mulligan.insights.filters import Window
from mulligan.insights.insights import Insights
from mulligan.runtime.lookup import Asking, Recall
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.call import Call, Failure
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import FailedCall, Pattern, Suggestion

Result = dict[str, Any]

ROWS = (1_000, 100_000, 1_000_000)
KINDS = ("sqlite", "postgres")
MEASURED = ("lookup", "text", "figures", "stats")
FIGURES = 4
"""How often they are read in a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A filled store, and what there are lessons for."""

    kind: str
    rows: int
    url: str
    known: list[Known]
    insights: Insights
    recall: Recall


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS), metavar="N")
    parser.add_argument("--store", choices=(*KINDS, "both"), default="both")
    parser.add_argument("--rounds", type=int, default=40, help="of all stores in turn")
    parser.add_argument("--lookups", type=int, default=50, help="in a round, of each store")
    parser.add_argument("--seed", type=int, default=1, help="of what is looked up")


def run(options: argparse.Namespace) -> Result:
    kinds = KINDS if options.store == "both" else (options.store,)
    sizes = sorted(set(options.rows))
    steps = len(kinds) * sum(map(history.batches_of, sizes)) + options.rounds
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        step = stack.enter_context(progress(steps))
        places = list(_filled(stack, kinds, sizes, step=step))
        taken = _measure(places, options, step=lambda: step("measuring"))
    by_kind = {kind: _figures(taken, kind=kind, sizes=sizes) for kind in kinds}
    return {
        "n": options.rounds * options.lookups,
        **_worst(by_kind),
        "stores": by_kind,
        "load": {"start": digits(load), "end": digits(os.getloadavg()[0])},
        "versions": versions.ours(),
    }


def look_up(recall: Recall, known: Known) -> list[Suggestion]:
    """What the product does at every failure: recall what there is, and make suggestions of it."""
    call = Call(id=known.fingerprint, tool=known.tool, arguments={"place": "Elm St 12"})
    failure = Failure(error_class=ErrorClass.VALIDATION)
    failed = FailedCall(call=call, failure=failure, error=known.template)
    pattern = Pattern(
        fingerprint=known.fingerprint,
        tool=known.tool,
        error_class=failure.error_class,
        template=known.template,
    )
    asking = Asking(failed=failed, pattern=pattern, tenant=history.TENANT, principal="anna")
    return list(recall.look_up(asking).suggest(failed))


def look_up_text(recall: Recall, known: Known) -> list[Suggestion]:
    """The same where no lesson is about that very pattern, so that its words decide."""
    return look_up(recall, replace(known, fingerprint="never met"))


def _filled(
    stack: ExitStack, kinds: tuple[str, ...], sizes: list[int], *, step: Callable[[str], None]
) -> Iterator[Place]:
    until = datetime.now(UTC)
    for kind in kinds:
        places = stack.enter_context(_places(kind))
        for rows in sizes:
            url = stack.enter_context(places())
            store = open_store(url)
            told = f"{kind}: {rows:,} executions"
            known = history.fill(store, rows=rows, until=until, step=lambda told=told: step(told))
            store.close()
            # Opened again, as a process that was not there finds it.
            store = open_store(url)
            stack.callback(store.close)
            insights = Insights(
                store, tenant=None, settings=Settings(store=url), clock=lambda: until
            )
            recall = Recall(store.failures, clock=lambda: until, control=0.0, seeds=True)
            yield Place(
                kind=kind, rows=rows, url=url, known=known, insights=insights, recall=recall
            )


@contextmanager
def _places(kind: str) -> Iterator[Callable[[], Any]]:
    """Where stores of a kind can be made: each call gives a context with a fresh URL."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="mulligan-bench-") as folder:
            yield lambda: _file(Path(folder))
        return
    try:
        from mulligan_testing.postgres import run_postgres_server

        stack = ExitStack()
        server = stack.enter_context(run_postgres_server())
    except (ImportError, RuntimeError) as error:
        raise MissingError(
            f"There is no Postgres to measure ({error}): pip install 'mulligan[test]', or pass "
            "--store sqlite."
        ) from error
    with stack:
        yield server.create_database


@contextmanager
def _file(folder: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        yield f"sqlite:///{place}/bench.db"


def _measure(
    places: list[Place], options: argparse.Namespace, *, step: Callable[[], None]
) -> dict[tuple[str, int, str], list[float]]:
    """Milliseconds of each question, by kind, rows and question; the stores take turns."""
    chance = random.Random(options.seed)
    taken: dict[tuple[str, int, str], list[float]] = {}
    for number in range(-1, options.rounds):
        for place in chance.sample(places, k=len(places)):
            figures = _ask(place, chance.choices(place.known, k=options.lookups))
            if number < 0:
                # The first round warms up: connections, pages, statements.
                continue
            for name, values in figures.items():
                taken.setdefault((place.kind, place.rows, name), []).extend(values)
        if number >= 0:
            step()
    return taken


def _ask(place: Place, wanted: list[Known]) -> dict[str, list[float]]:
    window = Window.DAY.length
    return {
        "lookup": [_timed(partial(look_up, place.recall, known)) for known in wanted],
        "text": [_timed(partial(look_up_text, place.recall, known)) for known in wanted],
        "figures": [_timed(partial(place.insights.figures, window)) for _ in range(FIGURES)],
        "stats": [_timed(partial(_command, place.url))],
    }


def _command(url: str) -> None:
    """`mulligan stats`, as a person runs it."""
    command = [sys.executable, "-m", "mulligan", "stats", "--store", url, "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=build_environment())


def _timed(question: Callable[[], object]) -> float:
    started = time.perf_counter()
    question()
    return (time.perf_counter() - started) * 1e3


def _figures(
    taken: dict[tuple[str, int, str], list[float]], *, kind: str, sizes: list[int]
) -> Result:
    found: Result = {}
    for name in MEASURED:
        before = "" if name == "lookup" else f"{name}_"
        by_rows = {str(rows): taken[kind, rows, name] for rows in sizes}
        found[f"{before}p50_ms"] = {
            rows: digits(statistics.median(values)) for rows, values in by_rows.items()
        }
        p95 = {rows: _p95(values) for rows, values in by_rows.items()}
        found[f"{before}p95_ms"] = {rows: digits(value) for rows, value in p95.items()}
        found[f"{before}growth"] = digits(p95[str(sizes[-1])] / p95[str(sizes[0])], most=3)
    return found


def _p95(values: list[float]) -> float:
    # Twice, because one value alone has no quantiles.
    return statistics.quantiles([*values, *values], n=20, method="inclusive")[-1]


def _worst(by_kind: dict[str, Result]) -> Result:
    """Of each question, the figures of the store in which it grows most."""
    found: Result = {}
    for name in MEASURED:
        before = "" if name == "lookup" else f"{name}_"
        worst = max(by_kind.values(), key=lambda each: each[f"{before}growth"])
        found |= {key: worst[key] for key in (f"{before}p95_ms", f"{before}growth")}
    return found


def show(result: Result) -> RenderableType:
    """A table for each store: rows across, questions down."""
    titles = {
        "": "the lessons of a pattern",
        "text_": "lessons in such words",
        "figures_": "the figures of mulligan stats",
        "stats_": "mulligan stats, the whole command",
    }
    tables = []
    for kind, found in result["stores"].items():
        sizes = list(found["p95_ms"])
        lines = [
            (title, *found[f"{before}p95_ms"].values(), found[f"{before}growth"])
            for before, title in titles.items()
        ]
        columns = ("", *(f"{int(rows):,}" for rows in sizes), "growth")
        tables.append(table(f"{kind}: p95 in ms, by executions", columns, lines))
    load = result["load"]
    return Group(
        *tables,
        Text(
            f"{result['n']:,} look-ups each in {result['seconds']} s; load {load['start']} at the "
            f"start, {load['end']} at the end"
        ),
    )
