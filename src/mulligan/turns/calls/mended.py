"""How an agent learns that a call was made otherwise than it was asked for.

A result keeps its type: under a text for the model to read stands a line, and what else a tool
returns is left as it is, unless its author says where a note goes. The turn has every note.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mulligan.core.error_class import ErrorClass
from mulligan.core.event import CallRetried
from mulligan.core.suggestion import Patch
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.hold import Held
from mulligan.turns.memory.advice_text import Mended
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.turn.context import find_current_turn
from mulligan.turns.turn.note import add_note


def announce_mending(tool: Tool, corrected: Corrected) -> None:
    """Tell whoever counts that a failed call is about to be made again, with other arguments."""
    failed = corrected.execution
    failure = failed.failure
    tool.runtime.events.publish(
        CallRetried(
            call=failed.call.id,
            tool=failed.call.tool,
            error_class=failure.error_class if failure else ErrorClass.UNKNOWN,
            try_number=failed.try_number + 1,
            wait=timedelta(),
        )
    )


def tell_mended(
    tool: Tool, asked: Mapping[str, object], *, corrected: Corrected, result: Any
) -> Any:
    """The result of a mended call, with what was changed in the call where there is room for it."""
    if isinstance(result, Held) or _is_failure(tool, result):
        # It waits for a person, or has failed once more: nothing was mended yet.
        return result
    mended = Mended(
        call=corrected.execution.call.parent or corrected.execution.call.id,
        tool=tool.declaration.tool,
        changed=_compare(asked, corrected.arguments),
        by=corrected.by,
    )
    turn = find_current_turn(tool.runtime.redactor)
    if turn is not None:
        turn.mended.append(mended)
    put = tool.declaration.with_note
    if put is None:
        return result if turn is None else add_note(result, str(mended))
    try:
        return put(result, str(mended))
    except Exception as error:  # noqa: BLE001 - a user's function; the result is what matters
        tool.warn("A result of %s could not be given its note", error)
        return result


def _is_failure(tool: Tool, result: object) -> bool:
    try:
        return tool.results.find_trouble(result) is not None
    except Exception:  # noqa: BLE001 - a result may be anything, and was looked at before
        return False


def _compare(asked: Mapping[str, object], made: Mapping[str, object]) -> Patch:
    missing = object()
    return Patch(
        changes={
            name: value
            for name, value in made.items()
            if (before := asked.get(name, missing)) is missing or repr(before) != repr(value)
        },
        drops=tuple(name for name in asked if name not in made),
    )
