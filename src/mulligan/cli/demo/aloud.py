"""The pack's own tools, declared so that every call and every undo is heard as it happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Unpack, cast

from mulligan.app.mulligan import Mulligan
from mulligan.checks.readers import settled
from mulligan.cli.demo.event_text import event_in, in_words, short
from mulligan.cli.demo.telling import Teller
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.record import Record, Told
from mulligan.loops.actions import Attempted
from mulligan.packs.calendar import Event
from mulligan.packs.calendar.checks import OWN
from mulligan.packs.calendar.events import Stored
from mulligan.turns.tools.declaration import Declared

Tool = Callable[..., Awaitable[object]]
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
            declared["undo"] = self._undoing(declared["undo"])

        def wrap(tool: Tool) -> Any:
            return self._m.tool(**declared)(self._calling(tool))

        return wrap

    def _calling(self, tool: Tool) -> Tool:
        name = tool.__name__

        @wraps(tool)
        async def called(*arguments: object, **named: object) -> object:
            given = [*arguments, *(v for k, v in named.items() if k not in OWN)]
            shown = [_shown(value) for value in given if value is not None]
            try:
                result = await tool(*arguments, **named)
            except ConnectionError:
                self._tell.call(name, *shown, came="no answer")
                raise
            self._tell.call(name, *shown, came=_came(result))
            return result

        return called

    def _undoing(self, undo: Told) -> Told:
        async def undone(record: Record) -> object:
            before = cast("Stored | None", record.before)
            what = f"back to {in_words(event_in(before.text))}" if before else "remove it"
            self._tell.undo(f"{what}, if it is still at {short(record.version)}")
            return await settled(undo(record))

        return undone


def aloud(check: Check[Attempted], tell: Teller) -> Check[Attempted]:
    """A check whose findings are heard at once."""

    def checked(attempted: Attempted) -> Iterator[Finding]:
        for finding in check(attempted):
            tell.finding(finding.issue)
            yield finding

    return checked


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _came(result: object) -> str:
    if isinstance(result, Event):
        return f"OK, now at {short(result.etag)}"
    return f"{len(list(result))} events" if isinstance(result, Iterable) else "OK"
