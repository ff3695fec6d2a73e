"""What a function's signature tells about its arguments, worked out once when it is declared."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Names for positional arguments, and the parameters whose values are one of a few."""

    positional: tuple[str, ...]
    positional_only: tuple[str, ...]
    rest: str
    """The name of `*args`."""
    takes_rest: bool
    enums: Mapping[str, frozenset[str]]
    method: bool
    """The first argument is the object itself, and no parameter."""

    def places(self, name: str, args: tuple[object, ...]) -> bool:
        """Whether a parameter is among those that were given by position."""
        given = len(args) - 1 if self.method else len(args)
        return name in self.positional[:given]

    def bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Mapping[str, object]:
        """The arguments by name; defaults that were not passed stay out."""
        if self.method:
            args = args[1:]
        if not args:
            return kwargs
        bound: dict[str, object] = dict(zip(self.positional, args, strict=False))
        if len(args) > len(self.positional):
            bound[self.rest] = args[len(self.positional) :]
        bound.update(kwargs)
        return bound

    def unbind(
        self, arguments: Mapping[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """Arguments by name as a call takes them; names that only positions have come first."""
        kwargs = dict(arguments)
        rest = kwargs.pop(self.rest, ()) if self.takes_rest else ()
        extra = tuple(rest) if isinstance(rest, (list, tuple)) else ()
        by_place = self.positional if extra else self.positional_only
        args = tuple(kwargs.pop(name) for name in by_place if name in kwargs)
        return (*args, *extra), kwargs


def read_signature(function: Callable[..., object]) -> Signature:
    """Read a function's parameters; a callable without a signature gets made-up names."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # Some built-ins have none. Everything positional is then `args`.
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    method = bool(names) and names[0] in ("self", "cls")
    return Signature(
        positional=tuple(names[1:] if method else names),
        positional_only=tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY),
        rest=rest[0] if rest else "args",
        takes_rest=bool(rest),
        enums=_read_enums(function),
        method=method,
    )


def _read_enums(function: Callable[..., object]) -> dict[str, frozenset[str]]:
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError, ValueError):
        # Annotations that only a type checker can resolve say nothing at run time.
        return {}
    found = {name: _list_members(hint) for name, hint in hints.items() if name != "return"}
    return {name: members for name, members in found.items() if members}


def _list_members(hint: object) -> frozenset[str]:
    """The strings a `Literal` or an `Enum` admits, also inside a union."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return frozenset(m.value for m in hint if isinstance(m.value, str))
    if typing.get_origin(hint) is typing.Literal:
        return frozenset(a for a in typing.get_args(hint) if isinstance(a, str))
    parts: list[frozenset[str]] = [_list_members(part) for part in typing.get_args(hint)]
    return frozenset().union(*parts)
