"""How a mistake is planted: under a name, in place of what stood there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

Mutant = Callable[[], None]
MUTANTS: dict[str, Mutant] = {}
"""Every planted mistake by name."""


def mutant(plant: Mutant) -> Mutant:
    """List a mistake under its name."""
    MUTANTS[plant.__name__.replace("_", " ")] = plant
    return plant


def swap(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put something else in the place of a function, wherever it was imported to.

    What could not even be called there would show at once, and prove nothing.
    """
    wanted, taken = inspect.signature(old).parameters, inspect.signature(new).parameters
    anything = any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in taken.values())
    if not anything and set(wanted) - set(taken):
        raise TypeError(f"{old.__name__} is called with {', '.join(wanted)}: take all of them.")
    for module in [m for name, m in sys.modules.items() if name.startswith("mulligan.")]:
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)
