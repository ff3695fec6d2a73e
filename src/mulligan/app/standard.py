"""Checks that choose themselves, for the tools of one application."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from mulligan.checks.own import list_functions
from mulligan.checks.standard.choose import FindTool, StandardChecks
from mulligan.checks.standard.plan import Standard
from mulligan.checks.standard.tools import ToolShape
from mulligan.core.call import Call
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Check
from mulligan.loops.actions import Attempted
from mulligan.turns.calls.tool import Tool
from mulligan.turns.calls.toolbox import Toolbox

STANDARD = "standard"

Checks = Literal["standard"] | Iterable[Check[Attempted] | Standard | Literal["standard"]]
"""What an application passes as its checks: "standard", functions of its own, or both."""


def list_checks(given: Checks, *, toolbox: Toolbox) -> list[Check[Attempted]]:
    """The checks of an application, those that choose themselves among its own."""
    named = [given] if isinstance(given, str | Standard) else list(given)
    for each in named:
        if isinstance(each, str) and each != STANDARD:
            raise ConfigurationError(
                f"There are no checks called {each!r}. Say checks={STANDARD!r}, or pass functions."
            )
    find = _find_shape(toolbox)
    return list_functions([_bind(each, find) for each in named], what="checks")


def uses_standard(checks: Sequence[Check[Attempted]]) -> bool:
    """Whether some of these checks choose themselves."""
    return any(isinstance(each, StandardChecks) for each in checks)


def _bind(given: Check[Attempted] | Standard | str, find: FindTool) -> Check[Attempted]:
    if isinstance(given, str):
        return StandardChecks(find)
    return StandardChecks(find, options=given) if isinstance(given, Standard) else given


def _find_shape(toolbox: Toolbox) -> FindTool:
    """What was declared of a call's tool; the same object as long as it is the same tool."""
    kept: dict[tuple[str, str], tuple[Tool, ToolShape]] = {}

    def find(call: Call) -> ToolShape | None:
        tool = toolbox.find_by_name(call.tool, server=call.server)
        if tool is None:
            return None
        known = kept.get((call.server, call.tool))
        if known is None or known[0] is not tool:
            said = tool.declaration
            shape = ToolShape(
                tool=call.tool,
                effect=said.effect,
                schema=tool.load_schema(),
                kinds=said.kinds,
                untrusted=said.untrusted,
            )
            known = kept[call.server, call.tool] = tool, shape
        return known[1]

    return find
