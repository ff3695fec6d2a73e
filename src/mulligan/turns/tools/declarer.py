"""Who declares tools: what a pack needs of an application, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar, Unpack

from mulligan.turns.tools.declaration import Declared

P = ParamSpec("P")
R = TypeVar("R")


class Declares(Protocol):
    """What an application declares its tools with, such as a `Mulligan`."""

    def tool(self, /, **declared: Unpack[Declared]) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare a tool."""
