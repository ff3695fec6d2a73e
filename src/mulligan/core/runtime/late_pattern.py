"""Regular expressions that are compiled when they are first used, not where they are written."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, AnyStr, cast
from weakref import WeakSet


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, for patterns of modules that every import of the package brings in.

    Compiling them took a tenth of a first use, which searches with few of them. Not for redaction:
    it is on the way of every call, also of one from a signal handler that interrupts the first.
    """
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))


def compile_rest() -> None:
    """Compile all that nobody has used yet, on a thread that nobody waits for."""
    for each in list(_uncompiled):
        _ = each.compiled


class LatePattern:
    """Has whatever a compiled pattern has, from the first time that it is asked for it."""

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self._written = pattern, flags
        _uncompiled.add(self)

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        """The pattern itself."""
        pattern, flags = self._written
        _uncompiled.discard(self)
        return re.compile(pattern, flags)

    def __getattr__(self, name: str) -> Any:
        # Asked for once: what is found is kept as the object's own, so that a search costs no more.
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.compiled, name)
        setattr(self, name, found)
        return found


_uncompiled = WeakSet[LatePattern]()
