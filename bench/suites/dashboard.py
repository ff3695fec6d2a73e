"""How long the dashboard's pages take as the store grows, made by the server and read as HTML.

`first_ms` is what a page takes that finds nothing kept: the first after a start.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from typing import Any

from starlette.testclient import TestClient

from bench import history
from bench.filled import AT_A_TIME, KINDS, fill_log, fill_stores
from bench.report import progress
from bench.rounds import digits
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan_dashboard.app import create_app
from mulligan_dashboard.sections import SECTIONS
from mulligan_dashboard.security import PageAccess, Role, Visitor

Result = dict[str, Any]

ROWS = (10_000, 1_000_000, 5_000_000)
PAGES = {each.name: f"{each.path}?window=30d" for each in SECTIONS}
NARROWED = {
    f"{name}, {what}": f"{PAGES[name]}&{query}"
    for name in ("overview", "tools", "turns", "patterns", "repairs", "worth", "lessons")
    for what, query in {
        "one tool": "tool=desk/desk_tool_1",
        "one agent": "agent=agent+1",
        "nobody": "agent=nobody+there",
        "one tenant": "tenant=home",
    }.items()
}
ONE = {
    "one pattern": "/patterns/{pattern}",
    "one lesson": "/lessons/lesson 0",
    "words looked for": "/search?text=desk+timeout",
    "an id looked for": "/search?text=01a1f4",
}
"""Every view, every filter of those with many rows behind them, and pages about one thing."""
ASKED = ("overview", "tools")
MOST_RATIO = 1.5
MOST_MS = 100.0
MONTH = timedelta(days=30)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS), metavar="N")
    parser.add_argument("--store", choices=(*KINDS, "both"), default="both")
    parser.add_argument("--rounds", type=int, default=40, help="how often each page is asked for")
    parser.add_argument(
        "--short", action="store_true", help=f"only {' and '.join(ASKED)}, and not every view"
    )


def run(options: argparse.Namespace) -> Result:
    kinds = KINDS if options.store == "both" else (options.store,)
    sizes = sorted(set(options.rows))
    steps = len(kinds) * sum(history.batches_of(rows, at_a_time=AT_A_TIME) for rows in sizes)
    with ExitStack() as stack:
        step = stack.enter_context(progress(steps))
        stores = {kind: _measure_kind(kind, sizes, options, step=step) for kind in kinds}
    return {
        "n": options.rounds,
        **_name_figures(stores, sizes),
        "worst_ratio": max(s["ratio"] for pages in stores.values() for s in pages.values()),
        "worst_p95_ms": max(s["p95_ms"][-1] for pages in stores.values() for s in pages.values()),
        "rows": sizes,
        "stores": stores,
    }


def _measure_kind(
    kind: str, sizes: list[int], options: argparse.Namespace, *, step: Callable[[str], None]
) -> dict[str, Any]:
    """All sizes in turn within a round, so that a busy moment of the machine meets each of them."""
    with ExitStack() as stack:
        fill = partial(fill_log, span=MONTH)
        filled = stack.enter_context(fill_stores(kind, sizes, fill=fill, step=step))
        clients = {}
        for rows, each in filled.items():
            store = open_store(each.url)
            stack.callback(store.close)
            insights = Insights(
                store, tenant=None, settings=Settings(store=each.url), clock=each.make_clock()
            )
            open_to_all = PageAccess(visitor=Visitor(name="bench", role=Role.LOOK))
            client = TestClient(
                create_app(insights, access=open_to_all), base_url="http://testserver"
            )
            clients[rows] = stack.enter_context(client)
        pages = {page: PAGES[page] for page in ASKED} if options.short else PAGES | NARROWED | ONE
        return {page: _measure_page(clients, path, options.rounds) for page, path in pages.items()}


def _measure_page(clients: dict[int, TestClient], path: str, rounds: int) -> dict[str, Any]:
    paths = {rows: _find_path(client, path) for rows, client in clients.items()}
    cold = {rows: _time(client, paths[rows]) for rows, client in clients.items()}
    taken: dict[int, list[float]] = {rows: [] for rows in clients}
    for _ in range(rounds):
        for rows, client in clients.items():
            taken[rows].append(_time(client, paths[rows]))
    medians = [statistics.median(times) for times in taken.values()]
    return {
        "first_ms": [digits(each) for each in cold.values()],
        "p50_ms": [digits(each) for each in medians],
        "p95_ms": [digits(statistics.quantiles(times, n=20)[-1]) for times in taken.values()],
        "ratio": digits(medians[-1] / medians[0]),
    }


def _find_path(client: TestClient, path: str) -> str:
    if "{pattern}" not in path:
        return path
    [first, *_] = client.get("/api/v1/patterns?window=30d").json()["rows"]
    return path.format(pattern=first["fingerprint"])


def _name_figures(stores: dict[str, Any], sizes: list[int]) -> Result:
    """By store and rows, what the two pages take that people open first."""
    compared = {"overview_ms": "overview", "tools_ms": "tools"}
    ratios = [pages[page]["ratio"] for pages in stores.values() for page in compared.values()]
    by_rows = {
        name: {
            kind: dict(zip(map(str, sizes), pages[page]["p50_ms"], strict=True))
            for kind, pages in stores.items()
        }
        for name, page in compared.items()
    }
    return {**by_rows, "growth": max(ratios)}


def _time(client: TestClient, path: str) -> float:
    began = time.perf_counter()
    answer = client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - began) * 1000


def failed(result: Result) -> str:
    if result["worst_ratio"] > MOST_RATIO:
        return f"The largest store takes {result['worst_ratio']} times as long as the smallest."
    if result["worst_p95_ms"] > MOST_MS:
        return f"The p95 of the largest store is {result['worst_p95_ms']} ms, over {MOST_MS:.0f}."
    return ""
