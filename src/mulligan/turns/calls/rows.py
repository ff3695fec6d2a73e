"""One redacted row of the log for each try of a call. It may fail; the tool may not."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from mulligan.core.action import Opening
from mulligan.core.call import DERIVED, Execution, LogRow, Outcome
from mulligan.core.effect import OUTSIDE
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.finding import FindingRow, FindingSeen, Severity
from mulligan.core.happened.event import AttemptReviewed, CallLogged, CallRepaired
from mulligan.loops.traffic import CallKind
from mulligan.redaction import Capture
from mulligan.turns.calls.live import LiveCall, end_span
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.journal.waiter import ON_THREAD
from mulligan.turns.turn.context import Labels

SUCCESS = Outcome.SUCCESS.value
_build_row = tuple.__new__
_Ended = tuple[object, ...]
"""What came of a call: the columns of its row from `outcome` to `result`."""
_NOT_THERE = (
    Outcome.FAILURE.value, 0, ErrorClass.AMBIGUOUS.value, None,
    "It gave no answer; it was looked for, and is not there.", None, None, None,
)  # fmt: skip


def log_success(call: LiveCall, result: object) -> None:
    """It came back. Queue its row."""
    measured = (time.perf_counter_ns() - call.start) // 1000
    call.duration_us = duration_us = measured if call.took_us is None else call.took_us
    call.result = result
    tool = call.tool
    if call.outer is not None:
        call.note_effect()
    breaker = call.traffic.breaker
    if breaker.failing:
        breaker.succeed()
    if call.follows is not None:
        _announce_repair(call, by=call.follows.by)
    try:
        if call.span is not None:
            end_span(call.span, tool=tool)
        if call.parameters is None:
            tool.unlogged.add(_find_kind(call.labels))
            return
        runtime = tool.runtime
        if runtime.redactor.capture is Capture.FULL:
            call.parameters, shown = _redact_row(call, result)
        else:
            shown = runtime.redactor.redact_result(result)
        sampled = runtime.sample < 1.0 and call.try_number == 1
        weight = 1.0 + tool.unlogged.take(_find_kind(call.labels)) if sampled else 1.0
        tenant, agent, context, turn = call.labels
        # Nearly every row is built here, in one piece: put together from parts, or by the named
        # constructor, it takes twice as long.
        columns = (
            call.id, call.at_us, tenant, agent, tool.server, tool.name, call.parameters,
            context + call.step, SUCCESS, duration_us, None, None, None, None, None, shown,
            call.try_number, call.parent, turn, weight,
        )  # fmt: skip
        _emit(tool, _build_row(LogRow, columns))
    except Exception as error:  # noqa: BLE001 - the log may fail, the tool may not
        tool.warn("A call of %s could not be logged", error)


def _redact_row(call: LiveCall, result: object) -> tuple[str, str]:
    """Once more, arguments too: what the result calls a secret may stand in them."""
    tool = call.tool
    return tool.runtime.redactor.redact_row(
        call.as_given(), result, enums=tool.signature.enums, allow=tool.declaration.allow
    )


def log_failure(
    call: LiveCall, error: BaseException, *, execution: Execution, duration_us: int
) -> None:
    """It raised, or returned a failure. Queue its row."""
    tool = call.tool
    try:
        text = tool.runtime.redactor.redact_error(
            error,
            arguments=call.as_given(),
            enums=tool.signature.enums,
            allow=tool.declaration.allow,
        )
        if call.span is not None:
            end_span(call.span, tool=tool, error_type=text.type)
        call.parameters = call.parameters or tool.redact(call.as_given())
        error_class = execution.failure.error_class.value if execution.failure else None
        what = (text.type, text.message, text.code, text.at)
        _emit_ended(call, (execution.outcome.value, duration_us, error_class, *what, None))
    except Exception as trouble:  # noqa: BLE001 - the log may fail, the tool may not
        tool.warn("A failure of %s could not be logged", trouble)


def label_opening(opening: Opening) -> Labels:
    """What is on the rows of a call that is told from its action alone."""
    context = f"{DERIVED}from the journal"
    return Labels(tenant=opening.tenant, agent=opening.agent, context=context, turn=opening.turn)


def log_settled(tool: Tool, action: LiveAction) -> None:
    """A look has found out what became of a call that gave no answer: a row beside its own."""
    opening = action.opening
    call = LiveCall(tool, None, ON_THREAD)
    call.parent, call.try_number = opening.call, 2
    call.labels = label_opening(opening)
    try:
        call.parameters = tool.redact(action.record.arguments)
        shown = tool.runtime.redactor.redact_result(action.record.result)
        found = (SUCCESS, 0, None, None, None, None, None, shown)
        _emit_ended(call, found if action.looked_up else _NOT_THERE)
    except Exception as error:  # noqa: BLE001 - the log may fail, recovery may not
        tool.warn("What became of a call of %s could not be logged", error)


def log_outside(tool: Tool) -> None:
    """A call with an effect belongs to no turn: count it among what reviews find."""
    runtime = tool.runtime
    at_us = runtime.wall_us()
    row = FindingRow(
        id=f"{runtime.make_id(at_us)}/outside",
        at_us=at_us,
        tenant=runtime.tenant,
        agent="",
        server=tool.server,
        tool=tool.name,
        rule=OUTSIDE,
        severity=Severity.WARNING.value,
    )
    runtime.log.note([row])


def _announce_repair(call: LiveCall, *, by: str) -> None:
    tool = call.tool.declaration.tool
    call.tool.runtime.events.publish(
        CallRepaired(call=call.id, tool=tool, tries=call.try_number, by=by)
    )


def _find_kind(labels: Labels) -> CallKind:
    return labels.tenant, labels.agent, bool(labels.context)


def _emit_ended(call: LiveCall, ended: _Ended) -> None:
    tool = call.tool
    tenant, agent, context, turn = call.labels
    columns = (
        call.id, call.at_us, tenant, agent, tool.server, tool.name, call.parameters,
        context + call.step, *ended, call.try_number, call.parent, turn, 1.0,
    )  # fmt: skip
    _emit(tool, _build_row(LogRow, columns))


def _emit(tool: Tool, row: LogRow) -> None:
    runtime = tool.runtime
    if row.agent in runtime.unlogged:
        return
    runtime.log.emit(row)
    if runtime.events.wanted:
        runtime.events.publish(CallLogged(row=row))


def log_findings(reviewed: AttemptReviewed, *, runtime: Runtime) -> None:
    """Keep each finding of a review; that of a second review of the same attempt counts once."""
    if reviewed.found and reviewed.agent not in runtime.unlogged:
        runtime.log.note(_build_finding_rows(reviewed, runtime=runtime))


def _build_finding_rows(reviewed: AttemptReviewed, *, runtime: Runtime) -> Iterator[FindingRow]:
    label, alike = runtime.redactor.redact_label, Counter[FindingSeen]()
    for seen in reviewed.found:
        alike[seen] += 1
        server, tool, rule = map(label, (seen.server, seen.tool, seen.rule))
        which = (reviewed.turn, str(reviewed.attempt), server, tool, rule, str(alike[seen]))
        yield FindingRow(
            id="/".join(which),
            at_us=runtime.wall_us(),
            tenant=reviewed.tenant,
            agent=reviewed.agent,
            server=server,
            tool=tool,
            rule=rule,
            severity=seen.severity.value,
        )
