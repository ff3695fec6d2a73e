"""How a mistake is planted: under a name, in place of what stood there."""

from __future__ import annotations

import sys
from collections.abc import Callable

Mutant = Callable[[], None]
MUTANTS: dict[str, Mutant] = {}
"""Every planted mistake by name."""


def mutant(plant: Mutant) -> Mutant:
    """List a mistake under its name."""
    MUTANTS[plant.__name__.replace("_", " ")] = plant
    return plant


def swap(old: object, new: object) -> None:
    """Put something else in the place of a function, wherever it was imported to."""
    for module in [m for name, m in sys.modules.items() if name.startswith("mulligan.")]:
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)
