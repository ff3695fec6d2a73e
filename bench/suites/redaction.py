"""Secrets that redaction lets through, and ordinary values that it hides without need.

Every kind of secret is planted in every place in every encoding. A part of the kinds and of the
encodings, drawn by their names, is held out: rules are written against the others.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers import add_peer_arguments, peer_python
from bench.redaction.kinds import KINDS, Kind
from bench.redaction.ordinary import FRAMES, ORDINARY
from bench.redaction.wrappings import ENCODINGS, PLACES, is_leaked
from bench.report import Step, progress
from bench.rounds import read_versions, start_workers
from bench.suites import overhead
from mulligan.redaction import Capture, Hide, Redactor

Result = dict[str, Any]

SEEN, HELD = "seen", "held"
PARTS = (SEEN, HELD, "all")
VALUES = 15
"""Of each kind of ordinary values."""
MOST_HIDDEN = 0.05
_SHOWN_LEAKS = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_peer_arguments(parser)
    parser.add_argument("--part", choices=PARTS, default="all", help="of the kinds and encodings")
    parser.add_argument("--seed", type=int, default=1, help="of every value that is drawn")
    parser.add_argument("--quick", action="store_true", help="one place of every six; no speed")
    parser.add_argument(
        "--alone", action="store_true", help="without the peer: the ratio against it is null"
    )


def is_held(group: str, name: str) -> bool:
    """Whether a kind or an encoding is held out: one in four, by nobody's choice."""
    return sha256(f"{group}: {name}".encode()).digest()[0] % 4 == 0


class Plan(NamedTuple):
    """What is planted."""

    part: str
    seed: int
    places: Sequence[str]

    def covers(self, *, held: bool) -> bool:
        """Whether the held part, or the other, is asked for."""
        return self.part == "all" or (self.part == HELD) == held


def run(options: argparse.Namespace) -> Result:
    every = 6 if options.quick else 1
    plan = Plan(options.part, options.seed, list(PLACES)[::every])
    with progress(len(KINDS) + len(ORDINARY)) as step:
        planted = _plant(plan, step)
        ordinary = _show_ordinary(plan, step)
    speed: Result = {"redaction_ratio": None} if options.quick else _measure(options)
    return {
        "n": planted["secrets"] + ordinary["ordinary"],
        **planted,
        **ordinary,
        **speed,
        "part": plan.part,
        "versions": speed.pop("versions", {}),
    }


class Leak(NamedTuple):
    """A secret that came through."""

    kind: str
    encoding: str
    place: str
    held: bool
    shown: str


def _plant(plan: Plan, step: Step) -> Result:
    count: Counter[bool] = Counter()
    leaks: list[Leak] = []
    used: set[tuple[str, str]] = set()
    for kind in KINDS:
        step(kind.name)
        for encoding, encode in ENCODINGS.items():
            held = is_held("kind", kind.name) or is_held("encoding", encoding)
            if not plan.covers(held=held):
                continue
            used |= {("kind", kind.name), ("encoding", encoding)}
            count[held] += len(plan.places)
            found = _find_leaks(kind, encode, plan)
            leaks += (Leak(kind.name, encoding, place, held, shown) for place, shown in found)
    return {
        "secrets": count.total(),
        "kinds": sum(group == "kind" for group, _ in used),
        "places": len(plan.places),
        "encodings": sum(group == "encoding" for group, _ in used),
        "leaks": len(leaks),
        "leaks_by_kind": dict(Counter(leak.kind for leak in leaks).most_common()),
        "leaks_by_encoding": dict(Counter(leak.encoding for leak in leaks).most_common()),
        "leaks_by_place": dict(Counter(leak.place for leak in leaks).most_common()),
        "by_part": {
            name: {"secrets": count[held], "leaks": sum(leak.held is held for leak in leaks)}
            for name, held in ((SEEN, False), (HELD, True))
            if plan.covers(held=held)
        },
        "examples": [leak._asdict() for leak in leaks[:: max(1, len(leaks) // _SHOWN_LEAKS)]],
    }


def _find_leaks(kind: Kind, encode: Callable[[str], str], plan: Plan) -> Iterator[tuple[str, str]]:
    for place in plan.places:
        chance = random.Random(f"{plan.seed} {kind.name} {place}")
        before, secret, after = kind.make(chance)
        wrapped = encode(secret)
        shown = PLACES[place](f"{before}{wrapped}{after}")
        if is_leaked(shown, secret, wrapped):
            yield place, shown[:200]


def _show_ordinary(plan: Plan, step: Step) -> Result:
    redactor = Redactor(key=bytes(32), capture=Capture.FULL, hide=Hide.PERSONAL)
    count: Counter[bool] = Counter()
    hidden: dict[str, list[str]] = {}
    for name, make in ORDINARY.items():
        step(name)
        held = is_held("ordinary", name)
        if not plan.covers(held=held):
            continue
        for number in range(VALUES):
            value = make(random.Random(f"{plan.seed} {name} {number}"))
            count[held] += 1
            text = FRAMES[number % len(FRAMES)].format(value)
            if value not in redactor.redact_text(text) or value not in _log(redactor, value):
                hidden.setdefault(name, []).append(value)
    total = sum(map(len, hidden.values()))
    return {
        "ordinary": count.total(),
        "ordinary_kinds": sum(plan.covers(held=is_held("ordinary", name)) for name in ORDINARY),
        "ordinary_hidden": total,
        "ordinary_hidden_share": round(total / max(1, count.total()), 4),
        "ordinary_hidden_by_kind": {name: len(values) for name, values in hidden.items()},
        "ordinary_hidden_by_part": {
            part: [_count_hidden(hidden, held=held), count[held]]
            for part, held in ((SEEN, False), (HELD, True))
            if plan.covers(held=held)
        },
        "ordinary_examples": {name: values[:3] for name, values in hidden.items()},
    }


def _log(redactor: Redactor, value: str) -> str:
    return redactor.redact_parameters({"value": value})


def _count_hidden(hidden: Mapping[str, list[str]], *, held: bool) -> int:
    return sum(len(values) for name, values in hidden.items() if is_held("ordinary", name) is held)


def _measure(options: argparse.Namespace) -> Result:
    """How long it takes, beside logfire's scrubber, on payloads of three sizes."""
    peers = None if options.alone else peer_python(options.peers, install=not options.no_install)
    plan = overhead.Plan(rounds=15)
    with ExitStack() as stack:
        ours, theirs = (Path(sys.executable), "redaction"), (peers, "logfire_scrubber")
        workers = start_workers(stack, {"redaction": ours, "logfire": theirs})
        step = stack.enter_context(progress(plan.rounds * len(plan.payloads)))
        measured = overhead.Measured(workers, plan=plan, seed=options.seed, step=step)
        speed = overhead.redaction(measured)
        named = read_versions(workers)
    return {**speed, "versions": named}


def failed(result: Result) -> str:
    """What is not as it must be."""
    said = []
    if result["leaks"]:
        said.append(f"{result['leaks']} of {result['secrets']} secrets came through")
    if result["ordinary_hidden_share"] > MOST_HIDDEN:
        said.append(f"{result['ordinary_hidden_share']:.1%} of ordinary values are hidden")
    return "; ".join(said)
