"""The suites, one file each. A new file here is a new suite; nothing else has to know it.

A suite is a module with two functions:

- `add_arguments(parser)`: its own options
- `run(options) -> dict`: measure, and return the JSON object: `n`, its figures, and under
  `versions` those of peers

One that proves something also has `PROMISES`, the names of figures that must be none, or
`failed(result) -> str`: what else is not as it must be, or nothing.
`MEANINGS` are words for figures, by their names, for who reads them as a table.

Its name is the file's, with `-` for `_`; its docstring's first line is its summary.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from typing import Any, Protocol, cast

Result = dict[str, Any]


class Suite(Protocol):
    """What a suite's module offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> Result: ...


def names() -> list[str]:
    """Every suite there is."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Suite:
    """The suite of that name. Only its own module is imported."""
    return cast("Suite", importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))


def failure_of(suite: Suite, result: Result) -> str:
    """What a suite that proves something found untrue; empty when nothing, or it proves nothing."""
    promises, failed = getattr(suite, "PROMISES", ()), getattr(suite, "failed", None)
    broken = [f"{result[name]} {name}" for name in promises if result[name]]
    return "; ".join(filter(None, [*broken, failed(result) if failed else ""]))
