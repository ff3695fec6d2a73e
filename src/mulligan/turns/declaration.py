"""What a tool's author says of it, checked when it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict, TypeVar, Unpack

from mulligan.core.effect import Effect, Mode, Repeat
from mulligan.core.errors import ConfigurationError

E = TypeVar("E", bound=StrEnum)


class Declared(TypedDict, total=False):
    """What `@m.tool(…)` takes."""

    name: str
    """What the tool is called in the log; the function's own name by default."""
    server: str
    """Where the tool lives, when tools of several servers share names."""
    effect: Effect
    repeat: Repeat
    mode: Mode
    allow: Iterable[str]
    """Parameters that the log shows as they are, less secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is known about a tool."""

    tool: str
    server: str = ""
    effect: Effect = Effect.UNDECLARED
    repeat: Repeat = Repeat.ONCE
    mode: Mode = Mode.SUGGEST
    allow: frozenset[str] = frozenset()


def declare(tool: object, **declared: Unpack[Declared]) -> Declaration:
    """Read a declaration, or refuse what it cannot keep."""
    if not callable(tool):
        raise ConfigurationError(
            f"@m.tool needs a function, not {type(tool).__name__}. "
            "Write @m.tool or @m.tool(effect=Effect.READ) above a def."
        )
    unknown = sorted(set(declared) - set(Declared.__annotations__))
    if unknown:
        known = ", ".join(Declared.__annotations__)
        raise ConfigurationError(f"@m.tool knows no {unknown[0]!r}. It knows: {known}.")
    return Declaration(
        tool=declared.get("name") or str(getattr(tool, "__name__", type(tool).__name__)),
        server=declared.get("server", ""),
        effect=_one_of(Effect, declared.get("effect", Effect.UNDECLARED)),
        repeat=_one_of(Repeat, declared.get("repeat", Repeat.ONCE)),
        mode=_one_of(Mode, declared.get("mode", Mode.SUGGEST)),
        allow=frozenset(declared.get("allow", ())),
    )


def _one_of(kind: type[E], value: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(member.value for member in kind)
        raise ConfigurationError(
            f"There is no {kind.__name__.lower()} {value!r}. There are: {known}."
        ) from error
