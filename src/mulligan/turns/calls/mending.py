"""A failed call made again with a correction, by itself; and what is told where that fails too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mulligan.core.display.escape import format_value
from mulligan.core.effect import Effect
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Origin, Patch
from mulligan.core.happened.event import CallRetried
from mulligan.turns.calls.advice import attach, find_correction, read_advised
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.hold import Held
from mulligan.turns.memory.advice_text import Advised, FailedMend, Mended
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.memory.told import tell
from mulligan.turns.turn.context import find_current_turn

MOST_FIXES = 2
"""Corrections of one call that are applied by themselves."""

Once = Callable[..., Awaitable[Any]]
"""Makes a call with all its tries: its arguments, and the correction that it is."""


async def mend(
    tool: Tool, corrected: Corrected, *, once: Once, left_out: Mapping[str, object]
) -> Any:
    """Make a call with corrected arguments, and correct those once more if they fail otherwise.

    Other arguments are another call, so that each goes under a key of its own.
    """
    asked, tried = corrected, list[FailedMend]()
    while True:
        args, kwargs = tool.signature.unbind({**corrected.arguments, **left_out})
        _announce_mending(tool, corrected)
        try:
            result = await once(args, kwargs, corrected)
        except Exception as error:  # noqa: BLE001 - told below, outside the handler
            failed = error
        else:
            return _tell_mended(tool, asked, corrected=corrected, result=result)
        tried.append(_note_try(asked, corrected, failed))
        again = find_correction(failed, tool) if len(tried) < MOST_FIXES else None
        if again is None or _contradicts(again, corrected):
            return _tell_failed(tool, asked, corrected=corrected, failed=failed, tried=tried)
        corrected = again


def _contradicts(again: Corrected, corrected: Corrected) -> bool:
    """Whether a correction is another answer to what the last one did not help against.

    Made on top of that, it would make a call that nobody has ever seen work.
    """
    one, other = corrected.advised, again.advised
    same_failure = one is not None and other is not None and one.pattern == other.pattern
    learned = all(each.suggestion.source is Origin.MEMORY for each in (again, corrected))
    before, after = (_list_touched(each) for each in (corrected, again))
    return same_failure or (learned and bool(before & after))


def _list_touched(corrected: Corrected) -> set[str]:
    changed = _compare(corrected.execution.call.arguments, corrected.arguments)
    return {*changed.changes, *changed.drops}


def _announce_mending(tool: Tool, corrected: Corrected) -> None:
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


def _note_try(asked: Corrected, corrected: Corrected, failed: Exception) -> FailedMend:
    advised = read_advised(failed)
    said = advised.failed.error if advised is not None else ""
    return FailedMend(
        tool=asked.execution.call.tool,
        changed=_compare(asked.execution.call.arguments, corrected.arguments),
        error=said or format_value(failed),
        by=corrected.by,
    )


def _tell_failed(
    tool: Tool,
    asked: Corrected,
    *,
    corrected: Corrected,
    failed: Exception,
    tried: list[FailedMend],
) -> Any:
    """The failure of the call that was asked for, with what else was tried and by whom.

    Its agent never saw the arguments that we made. Only where these may have changed something is
    their failure the one to know of.
    """
    advised = read_advised(failed)
    if advised is None or asked.advised is None:
        raise failed  # It is not the tool's: a hold, or a rule of ours.
    own = _is_without_effect(tool, corrected, advised)
    told = replace(_advise_without(asked.advised, tried) if own else advised, tried=tuple(tried))
    _replace_told(tool, told, told_before=(asked.advised, advised))
    failure = told.execution.failure
    error = failure.error if failure is not None else None
    if error is None:
        return _put_note(tool, told.execution.result, "\n".join(map(str, told.tried)))
    attach(error, told)
    raise error


def _is_without_effect(tool: Tool, corrected: Corrected, advised: Advised) -> bool:
    failure = advised.execution.failure
    reads = tool.declaration.classify_effect(corrected.arguments) is Effect.READ
    return reads or (failure is not None and failure.nothing_done)


def _advise_without(advised: Advised, tried: list[FailedMend]) -> Advised:
    """The advice on a call, less the corrections that turned out wrong."""
    from mulligan.learning.decide import decide

    given = advised.failed.call.arguments
    wrong = [repr(each.changed.apply(given)) for each in tried]
    left = tuple(s for s in advised.suggestions if repr(s.patch.apply(given)) not in wrong)
    return replace(advised, suggestions=left, advice=decide(advised.failed, left))


def _replace_told(tool: Tool, told: Advised, *, told_before: tuple[Advised, ...]) -> None:
    """In the turn stands what its agent is told, and nothing about calls that it never made."""
    turn = find_current_turn(tool.runtime.redactor)
    if turn is None:
        return
    ours = {id(each.execution) for each in told_before}
    first = told_before[0].execution.call.id
    kept = [
        each
        for each in turn.advised
        if id(each.execution) not in ours and each.execution.call.parent != first
    ]
    turn.advised.clear()
    turn.advised.extend([*kept, told])
    tell(told)


def _tell_mended(tool: Tool, asked: Corrected, *, corrected: Corrected, result: Any) -> Any:
    """The result of a mended call, with what was changed in the call where there is room for it.

    A result keeps its type: under a text for the model to read stands a line, and what else a tool
    returns is left as it is, unless its author says where a note goes. The turn has every note.
    """
    if isinstance(result, Held) or _has_failed(tool, result, corrected):
        # It waits for a person, or has failed once more: nothing was mended yet.
        return result
    mended = Mended(
        call=corrected.execution.call.parent or corrected.execution.call.id,
        tool=tool.declaration.tool,
        changed=_compare(asked.execution.call.arguments, corrected.arguments),
        by=corrected.by,
    )
    tell(mended)
    turn = find_current_turn(tool.runtime.redactor)
    if turn is not None:
        turn.mended.append(mended)
    return _put_note(tool, result, str(mended))


def _put_note(tool: Tool, result: Any, note: str) -> Any:
    from mulligan.turns.turn.note import add_note

    put = tool.declaration.with_note
    if put is None:
        alone = find_current_turn(tool.runtime.redactor) is None
        return result if alone or type(result) is not str else add_note(result, note)
    try:
        return put(result, note)
    except Exception as error:  # noqa: BLE001 - a user's function; the result is what matters
        tool.warn("A result of %s could not be given its note", error)
        return result


def _has_failed(tool: Tool, result: object, corrected: Corrected) -> bool:
    try:
        return tool.results.find_trouble(result, arguments=corrected.arguments) is not None
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
