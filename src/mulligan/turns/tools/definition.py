"""Where a tool was written: what tells two tools of one name from one that is declared again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function by where it stands. A cell of a notebook that is run again stands where it did."""

    module: str
    name: str
    around: tuple[str, ...] = ()
    """What it wraps, where a decorator gave several functions one name."""
    line: int = 0
    """Only of a lambda, which has no name that would tell."""
    object: int = 0
    """Which object, where it is one that is called like a function."""

    def __str__(self) -> str:
        return f"{self.name} in {self.module}"


def find_definition(function: Callable[..., object]) -> Definition:
    """Where a function, a method, or an object that is called like one was written."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        kind = type(function)
        return Definition(module=kind.__module__, name=kind.__qualname__, object=id(function))
    code = getattr(function, "__code__", None)
    return Definition(
        module=str(getattr(function, "__module__", "")),
        name=name,
        around=tuple(_list_wrapped(function)),
        line=code.co_firstlineno if code is not None and name.endswith("<lambda>") else 0,
    )


def _list_wrapped(function: Callable[..., object]) -> Iterator[str]:
    """The functions that it closes over, by name."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inside = cell.cell_contents
        except ValueError:
            # Not filled yet: the function is being made.
            continue
        if callable(inside) and hasattr(inside, "__qualname__"):
            yield f"{inside.__module__}.{inside.__qualname__}"
