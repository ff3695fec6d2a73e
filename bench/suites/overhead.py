"""What an observed call costs: beside OpenTelemetry, agent-saga, logfire and raw SQLite."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.compiled.forms import add_form_argument, choose_form
from bench.imports import FIRST_USE, FLOOR, IN_USE, OURS, import_once
from bench.packs.cost import measure_rows
from bench.peers import add_peer_arguments, peer_python
from bench.report import Step, progress
from bench.rounds import (
    Answer,
    Ask,
    Worker,
    compare_all,
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

MEANINGS = {
    "otel_ratio": "call site ÷ a batch span that is dropped",
    "otel_total_ratio": "all stored ÷ a span as JSON in a file",
    "otel_cpu_ratio": "the same call site, in processor time of its thread",
    "otel_total_cpu_ratio": "the same of all stored, in processor time of all threads",
    "saga_ratio": "call site ÷ agent-saga, reversible",
    "bare_us": "µs a bare call",
    "observed_us": "µs an observed call",
    "log_share": "rows/s ÷ raw executemany",
    "stall_p99_ratio": "p99 lag ÷ spans as JSON in a file",
    "worst_stall_ms": "ms the loop was late at worst",
    "redaction_ratio": "redaction ÷ logfire's scrubber",
    "import_ms": "ms of import mulligan",
    "floor_import_ms": "ms of asyncio, apsw and msgspec",
    "first_use_import_ms": "ms of from mulligan import Mulligan",
    "first_use_cpu_ms": "ms of the processor for a first turn, its store made",
    "journal_ratio": "an intent ÷ one commit on disk",
    "group_commit_ratio": "8 intents at once ÷ 8 commits on disk",
    "syncs_per_action": "syncs an action",
    "syncs_per_undo": "syncs an undo, on top",
    "lost_busy": "rows lost by a program that is too busy to store them",
    "sql_statements": "statements a tool of packs/sql sends beyond its own, at most",
    "sql_commits": "synced commits of its call beyond that of the bare statement",
    "sql_commits_ratio": "synced commits of its call ÷ those of the bare statement",
    "sql_ratio": "its call ÷ the bare statement, both on disk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured."""

    rounds: int = 21
    calls: int = 1_500
    """In a block. Below the 2,048 spans that OpenTelemetry's queue holds: nobody loses any."""
    log_rounds: int = 15
    rows: int = 60_000
    turns: int = 4
    """Of each contender in the measurement of stalls."""
    rate: int = 3_000
    seconds: float = 5.0
    imports: int = 15
    journal_rounds: int = 9
    intents: int = 200
    """In a block; a multiple of 8."""
    tight: int = 1_000_000
    """Calls in a loop that does nothing else."""
    paced: int = 30_000
    """Calls beside a thread that keeps the interpreter busy, a thousand a second."""
    updates: int = 50
    """Of one row, in a block."""
    payloads: tuple[tuple[int, int], ...] = ((200, 300), (2_000, 60), (100_000, 3))
    """For redaction: bytes of a payload, and how many of them make a block."""


QUICK = Plan(
    rounds=2,
    calls=100,
    log_rounds=2,
    rows=1_024,
    turns=1,
    seconds=0.2,
    imports=1,
    journal_rounds=2,
    intents=16,
    tight=2_000,
    paced=200,
    updates=4,
    payloads=((200, 10), (2_000, 2), (100_000, 1)),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_peer_arguments(parser)
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of calls and redaction")
    parser.add_argument("--seed", type=int, default=1, help="of payloads and of the order")
    parser.add_argument("--quick", action="store_true", help="seconds, not minutes; no figures")
    parser.add_argument(
        "--alone", action="store_true", help="without the peers: figures against them are null"
    )
    add_form_argument(parser)


def run(options: argparse.Namespace) -> Result:
    plan = QUICK if options.quick else Plan()
    if options.rounds:
        plan = replace(plan, rounds=options.rounds)
    peers = None if options.alone else peer_python(options.peers, install=not options.no_install)
    steps = plan.rounds * (1 + len(plan.payloads)) + plan.log_rounds + plan.turns + plan.imports
    steps += plan.journal_rounds
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mulligan-bench-")))
        workers = _start(stack, folder, peers, form=options.form)
        step = stack.enter_context(progress(steps))
        measured = Measured(workers, plan=plan, seed=options.seed, step=step)
        sections = [calls(measured), stalls(measured), redaction(measured)]
        sections += [log_share(measured), journal(measured), imports(measured), busy(measured)]
        sections.append(measure_rows(folder, calls=plan.updates, rounds=plan.journal_rounds))
        fast = workers["redaction"].ask("form")["fast"]
    result: Result = {"n": plan.rounds * plan.calls, "fast": fast}
    spread: Result = {}
    for section in sections:
        spread |= section.pop("spread")
        result |= section
    versions = read_versions(workers)
    repeats = {"calls": plan.rounds, "log": plan.log_rounds, "stall": plan.turns}
    repeats |= {"redaction": plan.rounds, "import": plan.imports, "calls_in_a_block": plan.calls}
    repeats["journal"] = plan.journal_rounds
    return {**result, "spread": spread, "repeats": repeats, "versions": versions}


def _start(stack: ExitStack, folder: Path, peers: Path | None, *, form: str) -> dict[str, Worker]:
    """Every worker, once. Those without work sleep while another is measured."""
    ours, also = Path(sys.executable), choose_form(form, folder)
    wanted = {
        "ours": (ours, "ours", str(folder / "ours.db")),
        "redaction": (ours, "redaction"),
        "log": (ours, "log", str(folder)),
        "journal": (ours, "journal", str(folder)),
        "busy": (ours, "busy", str(folder)),
        "otel_drop": (peers, "otel", "drop"),
        "otel_json": (peers, "otel", "json", str(folder / "spans.jsonl")),
        "saga": (peers, "saga", str(folder / "saga.log")),
        "logfire": (peers, "logfire_scrubber"),
    }
    return start_workers(stack, wanted, also=also)


class Measured:
    """The contenders that are there, and the blocks they were asked for."""

    def __init__(self, workers: dict[str, Worker], *, plan: Plan, seed: int, step: Step) -> None:
        self.workers = workers
        self.plan = plan
        self._seed = seed
        self._step = step
        self._chance = random.Random(seed)

    def asking(self, worker: str, operation: str, **parameters: object) -> dict[str, Ask]:
        """A contender by its worker's name, or none where that worker is not there."""
        if worker not in self.workers:
            return {}

        def ask(number: int) -> Answer:
            seed = self._seed * 1_000 + number
            return self.workers[worker].ask(operation, seed=seed, **parameters)

        return {worker: ask}

    def rounds(
        self, contenders: Mapping[str, Ask], *, rounds: int, what: str, warm_ups: int = 1
    ) -> dict[str, list[Answer]]:
        """The answers of all, interleaved."""
        return interleave(
            contenders,
            rounds=rounds,
            chance=self._chance,
            step=lambda: self._step(what),
            warm_ups=warm_ups,
        )


def calls(measured: Measured) -> Result:
    """A call of the tool: bare, ours, and the peers'."""
    n = measured.plan.calls
    contenders = {"bare": measured.asking("ours", "bare", n=n)["ours"]}
    for name in ("ours", "otel_drop", "otel_json", "saga"):
        contenders |= measured.asking(name, "calls", n=n)
    answers = measured.rounds(contenders, rounds=measured.plan.rounds, what="calls")
    measures = ("call_us", "total_us", "call_cpu_us", "total_cpu_us")
    by_measure = {
        measure: {name: pick(blocks, measure) for name, blocks in answers.items()}
        for measure in measures
    }
    site, total, site_cpu, total_cpu = by_measure.values()
    keys, spread = compare_all(
        ("otel_ratio", site["ours"], site.get("otel_drop")),
        ("otel_total_ratio", total["ours"], total.get("otel_json")),
        ("otel_cpu_ratio", site_cpu["ours"], site_cpu.get("otel_drop")),
        ("otel_total_cpu_ratio", total_cpu["ours"], total_cpu.get("otel_json")),
        ("saga_ratio", site["ours"], site.get("saga")),
    )
    spread |= {"bare_us": quartiles(site["bare"]), "observed_us": quartiles(site["ours"])}
    by_name = {
        name: {
            **{measure: middle(taken[name]) for measure, taken in by_measure.items()},
            "lost": _lost(blocks),
        }
        for name, blocks in answers.items()
    }
    keys |= {"bare_us": middle(site["bare"]), "observed_us": middle(site["ours"])}
    return {**keys, "calls": by_name, "spread": spread}


def stalls(measured: Measured) -> Result:
    """How late the event loop gets while calls come in."""
    plan = measured.plan
    load: dict[str, object] = {"rate": plan.rate, "seconds": plan.seconds}
    contenders = {"bare": measured.asking("ours", "bare_stall", **load)["ours"]}
    for name in ("ours", "otel_drop", "otel_json"):
        contenders |= measured.asking(name, "stall", **load)
    answers = measured.rounds(contenders, rounds=plan.turns, what="stalls", warm_ups=0)
    p99 = {name: pick(turns, "p99_ms") for name, turns in answers.items()}
    worst = {name: pick(turns, "worst_ms") for name, turns in answers.items()}
    keys, spread = compare_all(("stall_p99_ratio", p99["ours"], p99.get("otel_json")))
    by_name = {
        name: {
            "p50_ms": middle(pick(answers[name], "p50_ms")),
            "p99_ms": middle(p99[name]),
            "worst_ms": digits(max(worst[name])),
            "worst_ms_median": middle(worst[name]),
            "lost": _lost(answers[name]),
        }
        for name in answers
    }
    spread["worst_stall_ms"] = quartiles(worst["ours"])
    keys["worst_stall_ms"] = digits(max(worst["ours"]))
    return {**keys, "stall": by_name, "spread": spread}


def redaction(measured: Measured) -> Result:
    """Secrets out of mixed payloads of three sizes: ours and logfire's."""
    by_size: Result = {}
    paired: list[float] = []
    for size, n in measured.plan.payloads:
        contenders = measured.asking("logfire", "scrub", n=n, size=size)
        for name in ("scrub", "full", "parameters"):
            contenders[name] = measured.asking("redaction", name, n=n, size=size)["redaction"]
        answers = measured.rounds(
            contenders, rounds=measured.plan.rounds, what=f"redaction of {size:,} bytes"
        )
        us = {name: pick(blocks, "us") for name, blocks in answers.items()}
        figures: Result = {f"{name}_us": middle(values) for name, values in us.items()}
        figures["ratio"] = figures["parameters_ratio"] = None
        if "logfire" in us:
            figures["ratio"], figures["spread"] = ratio(us["scrub"], us["logfire"])
            figures["parameters_ratio"], _ = ratio(us["parameters"], us["logfire"])
            paired += [a / b for a, b in zip(us["scrub"], us["logfire"], strict=True)]
        by_size[str(size)] = figures
    combined = statistics.median(paired) if paired else None
    spread = {"redaction_ratio": quartiles(paired)} if paired else {}
    return {
        "redaction_ratio": digits(combined) if combined else None,
        "redaction": by_size,
        "spread": spread,
    }


def log_share(measured: Measured) -> Result:
    """Rows a second through the log's writer, roll-ups kept, and straight into the same table."""
    rows = measured.plan.rows
    contenders = {name: measured.asking("log", name, n=rows)["log"] for name in ("stored", "raw")}
    answers = measured.rounds(contenders, rounds=measured.plan.log_rounds, what="log")
    rates = {name: pick(blocks, "rows_per_second") for name, blocks in answers.items()}
    share, spread = ratio(rates["stored"], rates["raw"])
    by_name = {f"{name}_rows_per_second": round(middle(rates[name])) for name in rates}
    return {"log_share": share, "log": {"rows": rows, **by_name}, "spread": {"log_share": spread}}


def journal(measured: Measured) -> Result:
    """An intent with its snapshot on disk, alone and eight at once, beside a bare commit."""
    plan = measured.plan
    contenders = {
        name: measured.asking("journal", name, n=plan.intents)["journal"]
        for name in ("intents", "together", "commits")
    }
    answers = measured.rounds(contenders, rounds=plan.journal_rounds, what="journal")
    us = {name: pick(blocks, "us") for name, blocks in answers.items()}
    keys, spread = compare_all(
        ("journal_ratio", us["intents"], us["commits"]),
        ("group_commit_ratio", us["together"], us["commits"]),
    )
    counted = measured.workers["journal"].ask("counted", n=20)
    keys |= {"syncs_per_action": counted["per_action"], "syncs_per_undo": counted["per_undo"]}
    figures = {f"{name}_us": middle(values) for name, values in us.items()}
    return {**keys, "journal": figures, "spread": spread}


def busy(measured: Measured) -> Result:
    """What is not in the log after calls that left its writer no time, counted in the file."""
    worker, plan = measured.workers["busy"], measured.plan
    counts = {"tight": plan.tight, "beside": plan.paced}
    made = {load: worker.ask(load, n=n) for load, n in counts.items()}
    lost = sum(each["calls"] - each["kept"] for each in made.values())
    return {"lost_busy": lost, "busy": made, "spread": {}}


def imports(measured: Measured) -> Result:
    """`import mulligan` in a fresh process, beside what it stands on."""
    statements = {
        "import_ms": OURS,
        "floor_import_ms": FLOOR,
        "first_use_import_ms": IN_USE,
        "first_use_ms": FIRST_USE,
    }
    contenders = {key: partial(import_once, code) for key, code in statements.items()}
    answers = measured.rounds(contenders, rounds=measured.plan.imports, what="imports")
    taken = {key: pick(blocks, "ms") for key, blocks in answers.items()}
    taken["first_use_cpu_ms"] = pick(answers["first_use_ms"], "cpu_ms")
    figures: Result = {key: middle(values) for key, values in taken.items()}
    return {**figures, "spread": {key: quartiles(values) for key, values in taken.items()}}


def _lost(blocks: list[Answer]) -> int:
    """Records that a queue dropped in all blocks: what is lost is cheap, so it must be seen."""
    return sum(int(block.get("lost", 0)) for block in blocks)
