"""What one Postgres and one SQLite file carry, and how long a decision takes to be carried out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import psycopg

from bench.report import progress
from bench.scale import measuring
from bench.scale.deciding import measure_decisions
from bench.scale.measuring import Place, measure
from bench.servers import run_server
from mulligan_testing.postgres import PostgresServer

Result = dict[str, Any]

STORES = ("postgres", "sqlite")
WORKERS = (1, 2, 4)
DECISIONS = {"postgres": 100, "sqlite": 20}
"""On SQLite one takes up to two seconds."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--actions", type=int, default=500, metavar="N", help="a process; 500")
    parser.add_argument("--rows", type=int, default=20_000, metavar="N", help="a process; 20,000")
    parser.add_argument("--decisions", type=int, metavar="N", help="100 on Postgres, 20 on SQLite")
    parser.add_argument("--store", choices=(*STORES, "both"), default="both")
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, metavar="N")


def run(options: argparse.Namespace) -> Result:
    stores = STORES if options.store == "both" else (options.store,)
    with progress(len(stores) * (2 * len(options.workers) + 1)) as step:
        by_store = {store: _measure_store(store, options, step) for store in stores}
    return {
        "n": options.actions,
        "cores": os.cpu_count(),
        **_name_figures(by_store),
        "stores": by_store,
        "versions": {
            "psycopg": psycopg.__version__,
            "sqlite": apsw.sqlite_lib_version(),
        },
    }


def _name_figures(by_store: Mapping[str, Result]) -> Result:
    """Each figure by store, and by the number of workers where it is theirs."""

    def list_by_workers(work: str, figure: str) -> Result:
        return {
            store: {str(each["processes"]): each[figure] for each in found[work]}
            for store, found in by_store.items()
        }

    decisions = {store: found["decisions"] for store, found in by_store.items()}
    return {
        "actions_per_second": list_by_workers("actions", "per_second"),
        "turn_p50_ms": list_by_workers("actions", "p50_ms"),
        "turn_p99_ms": list_by_workers("actions", "p99_ms"),
        "rows_per_second": list_by_workers("rows", "per_second"),
        "decision_p50_ms": {store: each["p50_ms"] for store, each in decisions.items()},
        "decision_p99_ms": {store: each["p99_ms"] for store, each in decisions.items()},
        "limited_by": list_by_workers("actions", "limited_by"),
    }


def _measure_store(store: str, options: argparse.Namespace, step: Any) -> Result:
    found: Result = {"actions": [], "rows": []}
    with nullcontext() if store == "sqlite" else run_server() as server:
        for name, work in _choose_works(options).items():
            for processes in options.workers:
                step(f"{store}: {name} by {processes}")
                with _open_place(server) as place:
                    found[name].append(measure(place, work, processes=processes))
        step(f"{store}: decisions")
        with _open_place(server) as place:
            count = options.decisions or DECISIONS[store]
            found["decisions"] = measure_decisions(place, decisions=count)
    return found


def _choose_works(options: argparse.Namespace) -> dict[str, measuring.Work]:
    return {
        "actions": partial(measuring.act, actions=options.actions),
        "rows": partial(measuring.log, rows=options.rows),
    }


@contextmanager
def _open_place(server: PostgresServer | None) -> Iterator[Place]:
    """On a disk, as what is measured waits for one."""
    with TemporaryDirectory(prefix="mulligan-scale-") as name:
        folder = Path(name)
        if server is None:
            yield Place(url=f"sqlite:///{folder}/scale.db", folder=folder)
            return
        pid = None if server.process is None else server.process.pid
        with server.create_database() as url:
            yield Place(url=url, folder=folder, server=pid)


def failed(result: Result) -> str:
    """A decision that nobody carried out."""
    missing = sum(found["decisions"]["not_carried_out"] for found in result["stores"].values())
    return f"{missing} decisions were not carried out" if missing else ""
