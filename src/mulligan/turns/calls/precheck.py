"""What a turn knows when a call is made, and what of it speaks against the call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mulligan.core.call import Call, Execution, Failure
from mulligan.core.display.size import is_long
from mulligan.core.effect import Mode, Precheck
from mulligan.core.errors import FlaggedCallError, NothingDone
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Earlier, Planned
from mulligan.core.finding import Finding, Severity
from mulligan.core.happened.event import CallFlagged
from mulligan.redaction.agent_text import hide_secrets
from mulligan.turns.calls.live import LiveCall
from mulligan.turns.calls.outcome import build_proposal, fail_call, note_failure
from mulligan.turns.calls.tool import Tool
from mulligan.turns.memory.episodes import build_earlier
from mulligan.turns.turn.context import OpenTurn

MOST_EARLIER = 50
"""Calls of an attempt that are looked back on, the latest."""


def plan_call(tool: Tool, call: Call, *, turn: OpenTurn | None) -> Planned:
    """A call with all that its turn knows."""
    return Planned(
        call=call,
        schema=tool.load_schema(),
        effect=tool.declaration.classify_effect(call.arguments),
        tools=tuple(tool.runtime.reads_only),
        reads=tuple(name for name, reads in tool.runtime.reads_only.items() if reads),
        said=tuple(filter(None, (*turn.turn.history.said, turn.message))) if turn else (),
        earlier=_list_earlier(call, turn) if turn is not None else (),
    )


def foresee(tool: Tool, planned: Planned) -> tuple[Finding, ...]:
    """Why a call will fail, by all that is known; it never stands in the call's way."""
    # Only who asks for it pays: the validator and the tables take a while to load.
    from mulligan.learning.precheck import precheck

    try:
        # The weaker witness is heard where the others have nothing to say.
        return tuple(precheck(planned)) or tuple(_find_irrelevance(tool, planned))
    except Exception as error:  # noqa: BLE001 - values of others may refuse anything
        tool.warn("A call of %s could not be looked at", error)
        return ()


def _find_irrelevance(tool: Tool, planned: Planned) -> Iterator[Finding]:
    """A warning where nothing of a turn's first call comes from what the person said."""
    if not planned.schema or not planned.said or planned.earlier:
        return
    from mulligan.learning.precheck import check_relevance
    from mulligan.learning.schema import read_schema

    found = check_relevance(
        read_schema(planned.schema, tool=planned.call.tool),
        tool=planned.call.tool,
        description=" ".join(tool.declaration.docs),
        arguments=planned.call.arguments,
        said=planned.said,
    )
    if found is not None:
        yield found


async def find_misfit(call: LiveCall) -> NothingDone | None:
    """What its host says of arguments that the tool does not take; `None`: it takes them.

    Nobody is asked to approve what cannot run, and nothing is read that it would have changed.
    """
    check = getattr(call.tool.function, "check_first", None) if call.tool.hosted else None
    try:
        if check is not None:
            await check(call.given[1])
    except NothingDone as error:
        return error
    return None


async def precheck_call(call: LiveCall, turn: OpenTurn) -> Execution | None:
    """Look at a call before it is made. What came of one that is not made; `None`: go on."""
    tool, misfit = call.tool, await find_misfit(call)
    if misfit is not None:
        return await note_failure(call, misfit)
    if not tool.prechecks or tool.traffic.find(call.labels.tenant).rarely_fails:
        return None
    proposed = build_proposal(call)
    planned = plan_call(tool, proposed.call, turn=turn)
    look = partial(foresee, tool, planned)
    long = is_long(planned.said, [each.result for each in planned.earlier], call.arguments)
    found = await call.waiter.aside(look) if long else look()
    if not found:
        return None
    declared = tool.declaration
    against = [each for each in found if each.severity is Severity.ERROR]
    may_refuse = declared.precheck is Precheck.REFUSE and declared.mode is not Mode.OBSERVE
    made = not (against and may_refuse)
    announce_flagged(tool, proposed.call, found=found, made=made, failed=None)
    if made:
        return None
    reasons = " ".join(f"{each.issue} {each.correction or ''}".strip() for each in against)
    said = hide_secrets(f"{declared.tool} was not called. {reasons}", call.arguments)
    error = FlaggedCallError(said)
    # Nothing was sent, so that a correction may be tried as after any refusal of arguments.
    failure = Failure(
        error_class=ErrorClass.VALIDATION, error=error, answered=True, nothing_done=True
    )
    return fail_call(call, error, failure=failure)


def announce_flagged(
    tool: Tool, call: Call, *, found: tuple[Finding, ...], made: bool, failed: bool | None
) -> None:
    """Tell whoever counts that a call was flagged, and by which rules."""
    rules = tuple(dict.fromkeys(each.rule for each in found))
    tool.runtime.events.publish(
        CallFlagged(call=call.id, tool=call.tool, rules=rules, made=made, failed=failed)
    )


def _list_earlier(call: Call, turn: OpenTurn) -> tuple[Earlier, ...]:
    """What the application knows, then what was called before, oldest first."""
    made = [*turn.turn.history.executions[-MOST_EARLIER:]]
    made += [each for attempt in turn.attempts for each in attempt.list_latest(MOST_EARLIER)]
    known = [Earlier(tool="", result=dict(turn.turn.known))] if turn.turn.known else []
    called = [build_earlier(each) for each in made if each.call.id != call.id]
    return (*known, *called)
