"""The pack's own tools, declared so that every call and every undo is heard as it happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Unpack, cast

from mulligan.app.mulligan import Mulligan
from mulligan.cli.demo.event_text import format_event, format_version, parse_event
from mulligan.cli.demo.telling import Teller
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.record import Record, Told
from mulligan.core.waiting.awaiting import await_value
from mulligan.loops.actions import Attempted
from mulligan.packs.calendar import Event
from mulligan.packs.calendar.checks import OWN
from mulligan.packs.calendar.events import Stored
from mulligan.runtime.declaration import Declared

AsyncTool = Callable[..., Awaitable[object]]
SHOWN = frozenset({"start", "event_id"})
"""Parameters that the log of the story shows as they are."""


class Aloud:
    """Declares tools with an application: the same declarations, and somebody who tells."""

    def __init__(self, m: Mulligan, tell: Teller) -> None:
        self._m = m
        self._tell = tell

    def tool(self, /, **declared: Unpack[Declared]) -> Callable[[Any], Any]:
        """Declare a tool, as the application itself would."""
        if "undo" in declared:
            declared["undo"] = self._wrap_undo(declared["undo"])

        def wrap(tool: AsyncTool) -> Any:
            return self._m.tool(**declared)(self._wrap_call(tool))

        return wrap

    def _wrap_call(self, tool: AsyncTool) -> AsyncTool:
        name = tool.__name__

        @wraps(tool)
        async def call_aloud(*arguments: object, **named: object) -> object:
            given = [*arguments, *(v for k, v in named.items() if k not in OWN)]
            shown = [_format_value(value) for value in given if value is not None]
            try:
                result = await tool(*arguments, **named)
            except ConnectionError:
                self._tell.show_call(name, *shown, came="no answer")
                raise
            self._tell.show_call(name, *shown, came=_format_result(result))
            return result

        return call_aloud

    def _wrap_undo(self, undo: Told) -> Told:
        async def undo_aloud(record: Record) -> object:
            before = cast("Stored | None", record.before)
            what = f"back to {format_event(parse_event(before.text))}" if before else "remove it"
            self._tell.show_undo(f"{what}, if it is still at {format_version(record.version)}")
            return await await_value(undo(record))

        return undo_aloud


def wrap_check(check: Check[Attempted], tell: Teller) -> Check[Attempted]:
    """A check whose findings are heard at once."""

    def check_aloud(attempted: Attempted) -> Iterator[Finding]:
        for finding in check(attempted):
            tell.show_finding(finding.issue)
            yield finding

    return check_aloud


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _format_result(result: object) -> str:
    if isinstance(result, Event):
        return f"OK, now at {format_version(result.etag)}"
    return f"{len(list(result))} events" if isinstance(result, Iterable) else "OK"
