"""How a mistake is planted: under a name, in place of what stood there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Plant = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A mistake that can be planted."""

    plant: Plant
    likely: tuple[str, ...] = ()
    """What the names of blows hold that are likely to show it: these are struck first."""

    def is_likely_shown_by(self, blow: str) -> bool:
        """Whether a blow is one of those."""
        return any(words in blow for words in self.likely)


MUTANTS: dict[str, Mutant] = {}
"""Every planted mistake by name."""


def mutant(*likely: str) -> Callable[[Plant], Plant]:
    """List a mistake under its name, with the blows that are likely to show it."""

    def enlist(plant: Plant) -> Plant:
        MUTANTS[plant.__name__.replace("_", " ")] = Mutant(plant=plant, likely=likely)
        return plant

    return enlist


def plant_in(where: type | ModuleType, **others: Any) -> None:
    """Put something else in the place of what a class or a module has: it must be there."""
    for name, other in others.items():
        if not hasattr(where, name):
            raise AttributeError(f"{where.__name__} has no {name} to put a mistake in.")
        _require_fit(getattr(where, name), other)
        setattr(where, name, other)


def swap(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put something else in the place of a function, wherever it was imported to."""
    _require_fit(old, new)
    found = [
        (module, name)
        for module in [m for name, m in sys.modules.items() if name.startswith("mulligan.")]
        for name, value in list(vars(module).items())
        if value is old
    ]
    if not found:
        raise AttributeError(f"Nobody has {old.__name__} to put a mistake in its place.")
    for module, name in found:
        setattr(module, name, new)


def _require_fit(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """What could not even be called there would show at once, and prove nothing."""
    wanted, taken = inspect.signature(old).parameters, inspect.signature(new).parameters
    anything = any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in taken.values())
    if not anything and set(wanted) - set(taken):
        raise TypeError(f"{old.__name__} is called with {', '.join(wanted)}: take all of them.")
