"""One suite in a process of its own: whatever becomes of it, the next one is run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from bench.names import FIXED
from bench.peers import ROOT

MISSING = 2
"""How a suite ends whose data or peer is not there."""
NOT_FIGURES = frozenset({"n", "seconds"})
FORMS = ("--form", "--part", "--store")
"""Options that make another suite of one."""
NO_DATA = "It measures on data: pass the folder as --data DIR."


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What became of one suite."""

    suite: str
    state: str
    """`measured`; `failed`, where it ran and found something untrue or fell; `missing`."""
    said: str = ""
    """What failed or is missing, a sentence."""
    day: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    quick: bool = False
    arguments: str = ""
    """Without the names of folders."""
    seconds: float | None = None
    n: int | None = None
    figures: dict[str, float] = field(default_factory=dict)
    """By their names, those of a part as `part.name`."""
    spread: dict[str, list[float]] = field(default_factory=dict)
    """Of some figures, the first and the third quartile."""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The suite, with the form of it that was run where there are several."""
        words = self.arguments.split()
        forms = [after for word, after in pairwise(words) if word in FORMS and not self.quick]
        return ", ".join([self.suite, *forms])

    def to_json(self) -> dict[str, Any]:
        """As a file has it."""
        return asdict(self)


def run_suite(suite: str, arguments: list[str] | None, *, quick: bool) -> Measured:
    """Run it, and keep what it is compared by."""
    if arguments is None:
        return Measured(suite=suite, state="missing", said=NO_DATA, quick=quick)
    done = subprocess.run(
        [sys.executable, "-m", "bench", suite, "--json", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stderr.strip().splitlines() or [""])[-1]
    try:
        result = json.loads(done.stdout)
    except ValueError:
        state = "missing" if done.returncode == MISSING else "failed"
        return Measured(suite=suite, state=state, said=said or "It said nothing.", quick=quick)
    failed = done.returncode != 0
    return Measured(
        suite=suite,
        state="failed" if failed else "measured",
        said=said if failed else "",
        quick=quick,
        arguments=_hide_folders(arguments),
        seconds=result.get("seconds"),
        n=result.get("n") if isinstance(result.get("n"), int) else None,
        figures=pick_figures(suite, result),
        spread=pick_spread(result),
        versions=dict(result.get("versions", {})),
    )


def pick_figures(suite: str, result: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that a suite is compared by, those inside a part under the part's name."""
    names = FIXED.get(suite, "").split() or [
        name for name, value in result.items() if name not in NOT_FIGURES and _is_number(value)
    ]
    return dict(_flatten({name: result[name] for name in names if name in result}))


def pick_spread(result: Mapping[str, Any]) -> dict[str, list[float]]:
    """Between which quartiles the repeats of a figure were, where a suite says so."""
    given = result.get("spread", {})
    return {
        name: [each["q1"], each["q3"]]
        for name, each in given.items()
        if isinstance(each, dict) and {"q1", "q3"} <= each.keys()
    }


def _flatten(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{before}{name}.")
        elif _is_number(value):
            yield f"{before}{name}", value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _hide_folders(arguments: list[str]) -> str:
    return " ".join("DIR" if "/" in each else each for each in arguments)
