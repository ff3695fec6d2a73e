"""What survives a kill, a cancellation, an exception, a hang and a person, at every point."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import apsw

from bench.crash import ambiguity
from bench.crash.counting import EDITED
from bench.crash.mutants import MUTANTS
from bench.crash.processes import A_LONG_TIME, start_child
from bench.crash.scenario import Case
from bench.crash.scenarios import cases
from bench.crash.tally import Tally
from bench.crash.workers import hunt_all, run_campaign, scratch
from bench.crash.worlds import open_worlds
from bench.packs.hunting import PACK_MUTANTS
from bench.report import progress
from mulligan.process.fault_points import Point

Result = dict[str, Any]

PROMISES = (
    "unaccounted",
    "undone_twice",
    "duplicates",
    "lost_edits",
    "untrue",
    "holds_alive",
    "somebody_elses",
    "other",
)
REPORTED = ("false_conflicts",)
"""Counted, and no promise."""
STORES = ("sqlite", "postgres")
MEANINGS = {
    "points": "runs: struck at a point, most of them twice",
    "killed": "of them by SIGKILL",
    "named_points": "points of the protocol",
    "named_points_hit": "points that were come by",
    "unaccounted": "effects or actions that do not match",
    "undone_twice": "undos of what was undone",
    "duplicates": "effects beyond one for a call",
    "lost_edits": "people's edits that an undo overwrote",
    "untrue": "effects that stand, and were called undone",
    "holds_alive": "held calls that outlived their attempt's rejection",
    "somebody_elses": "undos that changed what no call was about",
    "false_conflicts": "conflicts with nobody (no promise)",
    "other": "verdicts, approvals or duties not kept",
    "mutants": "mistakes planted",
    "caught": "mistakes that showed",
}
MUTANT_BLOWS = 320
"""After so many blows a planted mistake counts as missed."""

QUICK_CASES = (
    "update (wrong)",
    "create (right)",
    "create (wrong, then right, then wrong)",
    "bulk (wrong)",
    "late update (wrong)",
    "no probe (wrong)",
    "hold approved (right)",
    "judged (judge wrong)",
    "behind by a write, update (wrong)",
    "create, busy_after (right)",
    "shared parent, edits twice (wrong)",
    "results changed (wrong)",
    "through pydantic-ai (wrong)",
)
QUICK_MUTANTS = ("undo without a condition",)
QUICK_POINTS = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--points", type=int, default=2_000, metavar="N", help="runs; 2,000")
    parser.add_argument("--store", choices=(*STORES, "both"), default="sqlite")
    parser.add_argument("--quick", action="store_true", help="a few cases, points and mistakes")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument(
        "--alike", action="store_true", help="draw blows from the seed alone, to compare versions"
    )
    parser.add_argument("--mutants", action="store_true", help="plant mistakes, and look for them")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="mistakes with these words in their names"
    )
    parser.add_argument(
        "--calls", type=int, default=10_000, metavar="N", help="ambiguous calls; 10,000"
    )


def run(options: argparse.Namespace) -> Result:
    every = [case for case in cases() if not options.quick or case.name in QUICK_CASES]
    stores = STORES if options.store == "both" else (options.store,)
    by_store = {store: _strike(store, every, options) for store in stores}
    whole = Tally()
    for tally in by_store.values():
        whole.join(tally.plain())
    result: Result = {
        "n": sum(whole.points.values()),
        "points": sum(whole.points.values()),
        "killed": whole.killed,
        "by_deed": dict(sorted(whole.points.items())),
        "cases": len(every),
        "named_points": len(Point),
        "named_points_hit": len(Point) - len(whole.missed),
        "named_points_missed": whole.missed,
        **{name: whole.broken[name] for name in (*PROMISES, *REPORTED)},
        "weaker_promises": _count_kinds(sum(whole.weaker.values(), Counter())),
        "weaker_by_class": {lack: _count_kinds(found) for lack, found in whole.weaker.items()},
        "by_store": {store: _count_kinds(tally.broken) for store, tally in by_store.items()},
        "states": dict(whole.states.most_common()),
        "needed_a_person": _share_causes(whole),
        "examples": whole.examples,
        "ambiguity": _ambiguous(options),
        "versions": {"sqlite": apsw.sqlite_lib_version()},
    }
    if not options.mutants:
        return result
    known = QUICK_MUTANTS if options.quick else (*MUTANTS, *PACK_MUTANTS)
    wanted = [name for name in known if options.only in name]
    return result | _mutants(wanted, every, seed=options.seed)


def _strike(store: str, every: Sequence[Case], options: argparse.Namespace) -> Tally:
    """The campaign on one kind of store."""
    points = min(options.points, QUICK_POINTS) if options.quick else options.points
    with ExitStack() as stack:
        worlds = open_worlds(store, stack)
        return run_campaign(
            every,
            points=points,
            seed=options.seed,
            shown=progress,
            worlds=worlds,
            alike=options.alike,
        )


def _count_kinds(found: Counter[str]) -> dict[str, int]:
    return {name: found[name] for name in (*PROMISES, *REPORTED)}


def _share_causes(tally: Tally) -> Result:
    """How many actions need a person at the end of their run, and why."""
    return {
        "actions": sum(tally.states.values()),
        "persons": sum(tally.causes.values()),
        "after_an_edit": sum(n for cause, n in tally.causes.items() if EDITED in cause),
        "by_cause": dict(tally.causes.most_common()),
    }


def _ambiguous(options: argparse.Namespace) -> Result:
    """In a process of its own: what forks later must have no threads."""
    with scratch() as folder:
        lab = partial(ambiguity.run, folder, calls=options.calls, seed=options.seed)
        return dict(start_child(lab, timeout=A_LONG_TIME)().said)


def _mutants(wanted: Sequence[str], every: Sequence[Case], *, seed: int) -> Result:
    planted = {name: MUTANTS[name] for name in wanted if name in MUTANTS}
    found = hunt_all(planted, every, most=MUTANT_BLOWS, seed=seed, shown=progress)
    found |= {name: _hunt_in_pack(name, seed=seed) for name in wanted if name in PACK_MUTANTS}
    return {
        "mutants": len(found),
        "caught": sum(shown is not None for shown in found.values()),
        "caught_by": found,
    }


def _hunt_in_pack(name: str, *, seed: int) -> str | None:
    """In a process of its own: a server of a history has threads."""
    with scratch() as folder:
        hunt = partial(PACK_MUTANTS[name].hunt, folder, seed=seed)
        shows = start_child(hunt, timeout=A_LONG_TIME)().said
        return None if shows is None else str(shows)


def failed(result: Result) -> str:
    """Why a result is no proof: a point nobody came by, a mistake unseen, an ambiguous call."""
    lab = result["ambiguity"]
    broken = [
        f"{lab[name]} {name} of ambiguous calls" for name in ("duplicates", "untrue") if lab[name]
    ]
    broken += [f"{point} was never reached" for point in result["named_points_missed"]]
    if result.get("caught", 0) < 0.95 * result.get("mutants", 0):
        broken.append(f"only {result['caught']} of {result['mutants']} mistakes showed")
    return "; ".join(broken)
