"""Holds the compiled form of redaction and of a call's site against the pure one, at random.

    python -m bench.compiled.equality --values 1000000
    python -m bench.compiled.equality --sanitized     (`make fast-fuzz`)

Compared is all that can be seen: every text, every value in its order, what is left of the bounds,
which error it was, and which names are known afterwards; of as many texts, whether one was called
clean that a rule could change; and what is done at the site of a call. Exit code 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from bench.compiled.build import build_package, import_library, make_sanitized_environment
from bench.compiled.calls import compare_queues, compare_site
from bench.compiled.differences import Difference, see
from bench.compiled.texts import Decisions
from bench.compiled.values import draw_arguments, draw_text, draw_value
from mulligan.redaction import Capture, Hide, Redactor
from mulligan.redaction import fast as form
from mulligan.redaction.walk import FIELD_BYTES, ITEMS, NO_ENUM
from mulligan.runtime.tool import build_call_form

KEY = bytes(range(32))
ENUMS: tuple[dict[str, frozenset[str]], ...] = (
    {},
    {},
    {},
    {"title": frozenset({"red", "dinner"}), "tags": frozenset({"the"})},
)
ALLOWED = (frozenset[str](), frozenset({"note"}))
ROOMS = (FIELD_BYTES, FIELD_BYTES, 1 << 40, 2_000, 300, 40, 1, 0, -5)
LIMITS = (ITEMS, ITEMS, ITEMS, 1 << 40, 20, 3, 0)
DEPTHS = (0, 0, 0, 0, 30, 31, 32)
REPORTED = 20_000
KINDS = tuple((capture, hide) for capture in Capture for hide in Hide)


class Pair(NamedTuple):
    """Two redactors with the same settings, one of them compiled."""

    pure: Redactor
    fast: Redactor


def use_library(module: ModuleType) -> None:
    """From here on, redactors that may be fast are."""
    found = form.RedactionForm(module, "built from the sources")
    form.find_form = lambda: found  # type: ignore[assignment]


def build_pairs() -> list[Pair]:
    """One for each capture and each class of what is hidden."""
    made = []
    for capture, hide in KINDS:
        pure = Redactor(key=KEY, capture=capture, hide=hide, fast=False)
        fast = Redactor(key=KEY, capture=capture, hide=hide)
        assert fast._compiled is not None
        made.append(Pair(pure, fast))
    return made


def see_walk(redactor: Redactor, chance: random.Random) -> str:
    """What a walk with random bounds shows, and what it leaves of them."""
    walk = redactor._make_walk(chance.choice(ROOMS), full=chance.random() < 0.5)
    walk.items = chance.choice(LIMITS)
    if chance.random() < 0.1:
        enum = chance.choice((NO_ENUM, frozenset({"dinner"})))
        walk.open(full=chance.random() < 0.5, enum=enum)
    depth, ids = chance.choice(DEPTHS), chance.random() < 0.2
    value = draw_value(chance)
    shown = see(lambda: walk.redact_value(value, depth=depth, ids=ids))
    return f"{shown} {walk.room} {walk.items}"


def see_arguments(redactor: Redactor, chance: random.Random) -> str:
    """A call's arguments, as they are logged."""
    enums, allow = chance.choice(ENUMS), chance.choice(ALLOWED)
    given = draw_arguments(chance)
    return see(lambda: redactor.redact_parameters(given, enums=enums, allow=allow))


def see_result(redactor: Redactor, chance: random.Random) -> str:
    """A call's result, as it is logged and as a judge is shown it."""
    value = draw_value(chance)
    return see(lambda: redactor.redact_result(value))


def see_shown(redactor: Redactor, chance: random.Random) -> str:
    """A value as a judge is shown it."""
    value = draw_value(chance)
    return see(lambda: redactor.redact_value(value))


def see_text(redactor: Redactor, chance: random.Random) -> str:
    """A text alone: its stub, and what is left of it without secrets."""
    walk, text = redactor._make_walk(FIELD_BYTES), draw_text(chance)
    return see(lambda: (walk._scrub(text), walk._hash(text[:1024])))


def see_lean(redactor: Redactor, chance: random.Random) -> str:
    """What is written straight to JSON, and what is left to the walk."""
    if redactor._write is None:
        return see_text(redactor, chance)
    write, value = redactor._write, draw_value(chance)
    return see(lambda: write(value))


SIGHTS = (see_walk, see_walk, see_arguments, see_result, see_shown, see_text, see_lean)


def compare(pairs: list[Pair], *, values: int, seed: int) -> Iterator[Difference]:
    """Show as many values in both forms; each is drawn twice, for some change as they are read."""
    order = random.Random(f"order {seed}")
    for number in range(values):
        drawn, pair, look = f"{seed}/{number}", order.choice(pairs), order.choice(SIGHTS)
        pure = look(pair.pure, random.Random(drawn))
        fast = look(pair.fast, random.Random(drawn))
        if pure != fast:
            yield Difference(drawn, look.__name__, pure, fast)
    for pair in pairs:
        known = [(sorted(each._keys.open), sorted(each._keys.ids)) for each in pair]
        if known[0] != known[1]:
            yield Difference(str(seed), "known names", str(known[0]), str(known[1]))


def run(module: ModuleType, *, values: int, seed: int) -> dict[str, Any]:
    """Compare in blocks, saying how far it is; what is left in memory is counted."""
    use_library(module)
    pairs, site, begun = build_pairs(), build_call_form(module), time.monotonic()
    found: list[Difference] = []
    texts, mistakes = Decisions(module), 0
    blocks: list[int] = []
    for block in range(0, values, REPORTED):
        count = min(REPORTED, values - block)
        found += compare(pairs, values=count, seed=seed + block)
        found += compare_site(site, values=count // 4, seed=seed + block)
        found += compare_queues(site, values=count, seed=seed + block)
        mistakes += len(list(texts.compare(values=count, seed=seed + block)))
        gc.collect()
        blocks.append(sys.getallocatedblocks())
        done = block + count
        said = f"{len(found)} differences, {mistakes} mistakes, {blocks[-1]:,} blocks"
        print(f"{done:,} values, {said}", flush=True)
    result: dict[str, Any] = {
        "values": values,
        "differences": len(found),
        "mistakes": mistakes,
        "seed": seed,
    }
    result["texts_decided"] = texts.decided
    result |= {"blocks": [blocks[0], blocks[-1]], "seconds": round(time.monotonic() - begun)}
    return result | {"found": [each._asdict() for each in found[:5]]}


def main(arguments: list[str] | None = None) -> int:
    """Build the compiled part, and compare."""
    parser = argparse.ArgumentParser(prog="bench.compiled.equality", description=__doc__)
    parser.add_argument("--values", type=int, default=100_000, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument(
        "--sanitized", action="store_true", help="with the address and undefined sanitizers"
    )
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.library is None:
        return _run_apart(options)
    result = run(import_library(options.library), values=options.values, seed=options.seed)
    print(json.dumps(result, ensure_ascii=True))
    return 1 if result["differences"] or result["mistakes"] else 0


def _run_apart(options: argparse.Namespace) -> int:
    """In a process of its own: the sanitizers must be loaded before anything else."""
    with tempfile.TemporaryDirectory(prefix="mulligan-fast-") as folder:
        built = build_package(Path(folder), sanitized=options.sanitized)
        command = [sys.executable, "-m", "bench.compiled.equality", "--library", str(built)]
        command += ["--values", str(options.values), "--seed", str(options.seed)]
        environment = make_sanitized_environment() if options.sanitized else dict(os.environ)
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
