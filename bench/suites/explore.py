"""All histories of an action that the journal's table allows, and mistakes planted in it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from bench.explorer import TOOLS, Model, Rules, World, explore
from bench.report import progress
from mulligan.runtime.assessment import Undone
from mulligan.runtime.probe import ProbeResult, conclude
from mulligan.runtime.recovery import is_left_behind
from mulligan.types.action import JOURNAL, STATE_AFTER, SYNCED, By, Request, State, UndoResult
from mulligan.types.failure import Move
from mulligan.types.finding import Standing
from mulligan.types.policy import Step, decide

Result = dict[str, Any]


def _with_step(before: State, after: State, by: By) -> Rules:
    """The table with one step that it has not."""
    row = JOURNAL[before]
    return Rules(table={**JOURNAL, before: replace(row, to={**row.to, after: by})})


async def _prove_nothing(*_: Any, **__: Any) -> Undone:
    return Undone(result=UndoResult.RESTORED)


def _pass_silence(verdict: Any, **asked: Any) -> Step:
    return Step.ACCEPT if verdict.standing is Standing.UNREVIEWED else decide(verdict, **asked)


def _adopt_doubts(seen: Any, **asked: Any) -> State | None:
    return State.EXECUTED if seen.found is ProbeResult.UNSURE else conclude(seen, **asked)


VERSIONED, KEYED, IDEMPOTENT, UNVERSIONED, _ = TOOLS
BUGS: Mapping[str, tuple[str, Rules]] = {
    "a call is sent before its row is on disk": (
        VERSIONED,
        Rules(table={**JOURNAL, None: replace(JOURNAL[None], sends=Request.CALL)}),
    ),
    "an intent is not synced": (VERSIONED, Rules(synced=SYNCED - {State.INTENT})),
    "recovery takes up what somebody is at work on": (
        KEYED,
        Rules(is_left_behind=lambda *_, **__: True),
    ),
    "recovery skips undos": (
        VERSIONED,
        Rules(is_left_behind=lambda s, **a: s is not State.UNDOING and is_left_behind(s, **a)),
    ),
    "the journal takes entries of who was given up": (VERSIONED, Rules(fenced=False)),
    "who was given up tells nobody": (VERSIONED, Rules(told=False)),
    "what is told late is looked for as if it had been told before": (
        VERSIONED,
        Rules(restamped=False),
    ),
    "a later try is made without the lease": (
        IDEMPOTENT,
        Rules(leased=("first", "undo"), tool=lambda tool: replace(tool, probed=True)),
    ),
    "a late answer reopens what was undone": (
        KEYED,
        _with_step(State.UNDONE, State.UNKNOWN, By.LATE),
    ),
    "a call without an answer is made again": (UNVERSIONED, Rules(choose_move=lambda _: Move.SAME)),
    "what is not there yet is called not executed": (
        UNVERSIONED,
        Rules(conclude=lambda seen, **asked: conclude(seen, **{**asked, "final": True})),
    ),
    "what is there is taken for ours": (VERSIONED, Rules(conclude=_adopt_doubts)),
    "the answer to a repeat is taken for ours": (KEYED, Rules(find_contradiction=lambda *_: "")),
    "an undo is sent without its version": (
        VERSIONED,
        Rules(tool=lambda tool: replace(tool, compares=False)),
    ),
    "restored is said without reading back": (VERSIONED, Rules(prove=_prove_nothing)),
    "an undo that failed is called undone": (
        VERSIONED,
        Rules(state_after={**STATE_AFTER, UndoResult.FAILED: State.UNDONE}),
    ),
    "undone is said while a try may still land": (
        IDEMPOTENT,
        Rules(doubt_restored=lambda undone: undone),
    ),
    "silence of a reviewer is a pass": (VERSIONED, Rules(decide=_pass_silence)),
}
"""Mistakes by name, each with a tool whose action shows it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--blows", type=int, default=2, metavar="N", help="in one history: 2")
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=list(TOOLS))


def run(options: argparse.Namespace) -> Result:
    first = World(blows=options.blows)
    explored, found = {}, {}
    with progress(len(options.tools) + len(BUGS)) as step:
        for name in options.tools:
            step(name)
            explored[name] = explore(Model(TOOLS[name], Rules()), first)
        for name, (tool, rules) in BUGS.items():
            step(name)
            found[name] = explore(Model(TOOLS[tool], rules), first)
    return {
        "n": sum(each.worlds for each in explored.values()),
        "steps": sum(each.steps for each in explored.values()),
        "blows": options.blows,
        "worlds": {name: each.worlds for name, each in explored.items()},
        "broken": {n: [e.broken, *e.way] for n, e in explored.items() if e.broken},
        "bugs": len(found),
        "found": {name: each.broken for name, each in found.items()},
        "found_after": {name: each.worlds for name, each in found.items()},
    }


def failed(result: Result) -> str:
    """Why a result is no proof: a promise that broke, or a mistake that nobody noticed."""
    broken = [f"{tool}: {told[0]}" for tool, told in result["broken"].items()]
    missed = [f"not noticed: {name}" for name, told in result["found"].items() if not told]
    return "; ".join([*broken, *missed])
