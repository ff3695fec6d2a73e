"""The checks that an application asks for: "standard", functions of its own, or both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from mulligan.checks.own.own import list_functions
from mulligan.checks.standard.tools import FindTool, Standard
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Check

STANDARD = "standard"

Checks = Literal["standard"] | Standard | Iterable[Check[Any] | Standard | Literal["standard"]]
"""What an application passes as its checks: "standard", functions of its own, or both."""


def load_checks(given: Checks, *, find_tool: FindTool) -> tuple[list[Check[Any]], bool]:
    """The checks of an application, and whether some of them choose themselves."""
    several: Iterable[Any] = [given] if isinstance(given, str | Standard) else given
    named = list_functions(several, what="checks", but=(str, Standard))
    loaded = [_load_check(each, find_tool=find_tool) for each in named]
    return loaded, any(isinstance(each, str | Standard) for each in named)


def _load_check(given: object, *, find_tool: FindTool) -> Check[Any]:
    if callable(given):
        return given
    if isinstance(given, str) and given != STANDARD:
        raise ConfigurationError(
            f"There are no checks called {given!r}. Say checks={STANDARD!r}, or pass functions."
        )
    # Whoever names checks one by one does not load all of them.
    from mulligan.checks.standard.choose import StandardChecks

    options = given if isinstance(given, Standard) else Standard()
    return StandardChecks(find_tool, options=options)
