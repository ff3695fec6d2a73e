"""Which objects a call concerns: as its tool declares them, never guessed from equal values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mulligan.core.display.escape import format_value
from mulligan.core.record import Abilities, Record


class _Says(Protocol):
    @property
    def server(self) -> str: ...
    @property
    def abilities(self) -> Abilities: ...


def find_objects(record: Record, declaration: _Says) -> frozenset[tuple[str, str]]:
    """The objects of a call by server and id; none where its tool does not say, or not yet."""
    about = declaration.abilities.about
    if about is None:
        return frozenset()
    try:
        named = about(record)
    except Exception:  # noqa: BLE001 - a user's function, which may need a result there is not yet
        return frozenset()
    several = isinstance(named, Iterable) and not isinstance(named, str | bytes)
    found = list(named) if several else [named]  # type: ignore[call-overload]
    return frozenset((declaration.server, format_value(each)) for each in found if each is not None)
