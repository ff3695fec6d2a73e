"""Where a value is to stand, and all that it may be made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from mulligan.core.failures.suggestion import NO_SCHEMA, FailedCall
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.shape.coerce import NOTHING

Given = Mapping[str, object]
"""What a way needs to be gone again: names, signs and positions, never a value of the call."""

PLAIN: Given = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentPlace:
    """One argument of a call that is to be made: the failing one again, or one before it."""

    argument: str
    failed: FailedCall
    schema: Mapping[str, object] = field(default_factory=lambda: NO_SCHEMA)
    """Of the tool that the argument belongs to."""

    @property
    def old(self) -> object:
        """What stood there when it failed; `NOTHING` if the argument is new."""
        return self.failed.call.arguments.get(self.argument, NOTHING)

    def read_source(self, given: Given) -> object:
        """The value a way starts from: that of the argument it names, else the one of this name."""
        named = str(given.get("of", self.argument))
        return self.failed.call.arguments.get(named, NOTHING)

    def read_documentation(self) -> str:
        """What the schema says of this argument, as text."""
        properties = self.schema.get("properties")
        part = properties.get(self.argument) if isinstance(properties, Mapping) else None
        return "" if part is None else json.dumps(part, ensure_ascii=False, default=str)


Explain = Callable[[object, ArgumentPlace], Iterator[Given]]
"""How a value can have been made at a place, the simplest first."""

Make = Callable[[Given, ArgumentPlace], object]
"""The value made once more; `NOTHING` where it cannot be."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of making a value, in both directions: read out of an observation, and gone again."""

    explain: Explain
    make: Make


def is_same(one: object, other: object) -> bool:
    """Equal to a tool: 1 and 1.0 are one number, `True` is none."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and one == other
