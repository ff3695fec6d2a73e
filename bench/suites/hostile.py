"""Hostile functions of users in all five loops: none hangs, escapes or keeps the program alive."""

from __future__ import annotations

import argparse
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO, Any

from bench.hostile import LOOPS, Case, list_cases, measure_load
from bench.report import Step, progress

Result = dict[str, Any]

HANGS_AFTER = 30.0
"""Seconds without an answer."""
ENDS_WITHIN = 2.0
"""Seconds between the last answer and the end of the process, where nothing else runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--loop", choices=sorted(LOOPS), action="append", help="only this loop")
    parser.add_argument("--short", action="store_true", help="the worst functions in each place")


def run(options: argparse.Namespace) -> Result:
    chosen = options.loop or list(LOOPS)
    cases = {loop: list_cases(loop, short=options.short) for loop in chosen}
    wrong: list[str] = []
    ends: dict[str, float] = {}
    with progress(sum(map(len, cases.values()))) as step:
        for loop in chosen:
            ends[loop] = attack(loop, cases[loop], short=options.short, wrong=wrong, step=step)
    return {
        "n": sum(map(len, cases.values())),
        "cases": {loop: len(each) for loop, each in cases.items()},
        "wrong": wrong,
        "seconds_to_end": {loop: round(took, 2) for loop, took in ends.items()},
        "load": round(measure_load(), 1),
    }


def failed(result: Result) -> str:
    within = ENDS_WITHIN * result["load"]
    late = [loop for loop, took in result["seconds_to_end"].items() if took > within]
    said = [*result["wrong"], *(f"{loop}: the process did not end in time" for loop in late)]
    return "\n".join(said)


def attack(loop: str, cases: Sequence[Case], *, short: bool, wrong: list[str], step: Step) -> float:
    """Run the cases of a loop; returns the longest that a process took to end.

    A process that hangs is ended, and another goes on after the case that hung.
    """
    longest, first, names = 0.0, 0, [str(case) for case in cases]
    while first < len(names):
        command = [sys.executable, "-m", "bench.hostile", loop, str(first)]
        command += ["--short"] if short else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            first = _follow(child, names, first=first, wrong=wrong, step=step)
            began = time.monotonic()
            try:
                code = child.wait(HANGS_AFTER if first >= len(names) else 0.1)
            except subprocess.TimeoutExpired:
                child.kill()
                code = 0
            longest = max(longest, time.monotonic() - began)
            if code and code != -signal.SIGKILL:
                wrong.append(f"{loop}: the process ended with {code} before {names[first - 1]}")
    return longest


def _follow(
    child: subprocess.Popen[str],
    names: Sequence[str],
    *,
    first: int,
    wrong: list[str],
    step: Step,
) -> int:
    """Read what a child tells; returns the number of the case to go on with."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    assert child.stdout is not None
    threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    while first < len(names):
        try:
            line = lines.get(timeout=HANGS_AFTER)
        except queue.Empty:
            wrong.append(f"{names[first]}: hangs")
            child.kill()
            return first + 1
        if not line:
            return first + 1
        told = json.loads(line)
        if "ended" in told:
            step(names[first])
            wrong += [f"{names[first]}: {told['wrong']}"] if told["wrong"] else []
            first = told["ended"] + 1
    return first


def _read(stream: IO[str], lines: queue.SimpleQueue[str]) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")
