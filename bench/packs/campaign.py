"""Random histories one after the other: what they broke, and which planted mistakes they show."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import Any

from bench.report import progress

MEANINGS = {
    "lost": "what is not as it was, of calls that are called undone",
    "deleted": "what an undo took away and was not ours",
    "overwritten": "what somebody else wrote, and is gone",
    "untrue": "sentences that what is there does not bear out",
    "errors": "calls that ended in no way that is provided for",
    "needless": "calls refused or left to a person though all they do is declared",
}
"""Promises, by what breaks them."""
PROMISES = tuple(MEANINGS)


@dataclass(kw_only=True)
class Totals:
    """What was seen, over all histories."""

    histories: int = 0
    lost: int = 0
    deleted: int = 0
    overwritten: int = 0
    untrue: int = 0
    errors: int = 0
    needless: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)
    person: Counter[str] = field(default_factory=Counter)
    """Actions that a person is asked about, by their cause."""
    refused: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def broken(self) -> int:
        """How many promises did not hold."""
        return sum(getattr(self, name) for name in MEANINGS)

    def count(self, wrong: Mapping[str, int], told: Callable[[dict[str, int]], str]) -> None:
        """Add what is wrong with one history; an example of it is `told`."""
        broken = {name: int(count) for name, count in wrong.items() if count}
        for name, count in broken.items():
            setattr(self, name, getattr(self, name) + count)
        if broken:
            self.examples.append(told(broken))

    def __add__(self, other: Totals) -> Totals:
        names = [each.name for each in fields(Totals)]
        return Totals(**{name: getattr(self, name) + getattr(other, name) for name in names})


Draw = Callable[[random.Random, Totals], None]
"""Draws a history, or several on one schema, lives through it, and judges it."""
Plant = Callable[[], AbstractContextManager[Any]]
"""Has a mistake in a pack for as long as its context lasts."""


def run_histories(
    draw: Draw,
    *,
    count: int,
    seed: int,
    step: Callable[[str], Any] = lambda _: None,
    until: Callable[[Totals], bool] = lambda _: False,
    first: Sequence[str] = (),
) -> Totals:
    """At least so many, each from a seed of its own; `first`: of these seeds."""
    totals, number = Totals(), 0
    left = [*reversed(first)]
    while left or totals.histories < count + len(first):
        seen, before = totals.histories, len(totals.examples)
        if left:
            drawn = left.pop()
        else:
            drawn, number = f"{seed}:{number}", number + 1
        try:
            draw(random.Random(drawn), totals)
        except Exception as error:
            totals.histories += 1
            totals.errors += 1
            totals.examples.append(f"{type(error).__name__}: {error}"[-2_000:])
        named = [f"seed {drawn}: {example}" for example in totals.examples[before:]]
        totals.examples[before:] = named
        for _ in range(seen, totals.histories):
            step("")
        if until(totals):
            break
    return totals


@dataclass(frozen=True, kw_only=True)
class Hunt:
    """A planted mistake, what it is looked for with, and seeds that are likely to show it."""

    plant: Plant
    draw: Draw
    first: Sequence[str] = ()

    def run(self, *, most: int, seed: int) -> Totals:
        """Until it shows, or after so many histories."""
        with self.plant():
            return run_histories(
                self.draw,
                count=most,
                seed=seed,
                until=lambda seen: bool(seen.broken),
                first=self.first,
            )


def add_arguments(parser: argparse.ArgumentParser, *, histories: int) -> None:
    """The options of every campaign of histories."""
    parser.add_argument("--histories", type=int, default=histories, metavar="N", help="and more")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--mutants", action="store_true", help="plant mistakes, which are found")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="mistakes with these words in their names"
    )


def play(
    draw: Draw, hunts: Mapping[str, Hunt], options: argparse.Namespace
) -> tuple[Totals, dict[str, int]]:
    """Histories of one pack; for each mistake, after how many it was found, 0 where it was not."""
    with progress(options.histories) as step:
        totals = run_histories(draw, count=options.histories, seed=options.seed, step=step)
    found = {}
    for name, hunt in hunts.items() if options.mutants else ():
        if options.only in name:
            hunted = hunt.run(most=options.histories, seed=options.seed)
            found[name] = hunted.histories if hunted.broken else 0
    return totals, found


def sum_up(totals: Totals, found: Mapping[str, int], *, persons: int) -> dict[str, Any]:
    """A campaign's result; `persons`: in how many of its histories a person is needed."""
    result: dict[str, Any] = {
        "n": totals.histories,
        **{name: getattr(totals, name) for name in MEANINGS},
        "outcomes": dict(totals.outcomes),
        "deeds": dict(totals.deeds),
        "refused": dict(totals.refused),
        "person_share": round(persons / max(1, totals.histories), 4),
        "by_cause": dict(totals.person.most_common()),
        "examples": totals.examples[:20],
    }
    if found:
        result |= {"mutants": len(found), "caught": sum(n > 0 for n in found.values())}
        result["found_after"] = dict(found)
    return result


def failed(result: Mapping[str, Any]) -> str:
    """Why a result is no proof: a mistake that nobody noticed."""
    missed = [name for name, after in result.get("found_after", {}).items() if not after]
    return "; ".join(f"not noticed: {name}" for name in missed)
