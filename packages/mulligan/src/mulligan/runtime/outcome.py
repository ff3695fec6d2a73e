"""The result of a call: an execution, classified if it failed, and one redacted row of the log for
each try.
"""

from __future__ import annotations

import asyncio
import inspect
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from types import FunctionType, MethodType
from typing import cast

from msgspec.structs import replace

from mulligan.learning.error_details import read_error, read_wait
from mulligan.loops.calls import CallKind
from mulligan.redaction import Capture
from mulligan.runtime.call import ActiveCall, end_span
from mulligan.runtime.context import Labels
from mulligan.runtime.episodes import LATE
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.results import asks_again, is_deferral, is_steering
from mulligan.runtime.tool import Runtime, Tool
from mulligan.runtime.waiting import ON_LOOP, ON_THREAD
from mulligan.types.action import Opening
from mulligan.types.call import DERIVED, Call, Execution, Failure, LogRow, Outcome
from mulligan.types.display import is_long
from mulligan.types.effect import EffectNote, Mode, read_effect_note
from mulligan.types.errors import NoSchemaError, NothingDone, SilentError
from mulligan.types.events import AttemptReviewed, CallLogged, CallRepaired
from mulligan.types.failure import Aftermath, ErrorClass
from mulligan.types.finding import FindingRow, FindingSeen, Severity
from mulligan.types.values import from_us

SUCCESS = Outcome.SUCCESS.value
_build_row = tuple.__new__
_Ended = tuple[object, ...]
"""The result of a call: the columns of its row from `outcome` to `result`."""
_NOT_THERE = (
    Outcome.FAILURE.value, 0, ErrorClass.AMBIGUOUS.value, None,
    "It gave no answer. A probe shows that it had no effect.", None, None, None,
)  # fmt: skip


def log_success(call: ActiveCall, result: object) -> None:
    """It came back. Queue its row."""
    measured = (time.perf_counter_ns() - call.start) // 1000
    call.duration_us = duration_us = measured if call.took_us is None else call.took_us
    call.result = result
    tool = call.tool
    if call.outer is not None:
        call.note_end(acted=True)
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


def _redact_row(call: ActiveCall, result: object) -> tuple[str, str]:
    """Once more, arguments too: what the result calls a secret may stand in them."""
    tool = call.tool
    return tool.runtime.redactor.redact_row(
        call.as_given(), result, enums=tool.signature.enums, allow=tool.allow
    )


def log_failure(
    call: ActiveCall, error: BaseException, *, execution: Execution, duration_us: int
) -> None:
    """It raised, or returned a failure. Queue its row."""
    tool = call.tool
    try:
        text = tool.runtime.redactor.redact_error(
            error,
            arguments=call.as_given(),
            enums=tool.signature.enums,
            allow=tool.allow,
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
    """A probe has found the result of a call that gave no answer: a row beside its own."""
    opening = action.opening
    call = ActiveCall(tool, None, ON_THREAD)
    call.parent, call.try_number = opening.call, 2
    call.labels = label_opening(opening)
    try:
        call.parameters = tool.redact(action.record.arguments)
        shown = tool.runtime.redactor.redact_result(action.record.result)
        found = (SUCCESS, 0, None, None, None, None, None, shown)
        _emit_ended(call, found if action.looked_up else _NOT_THERE)
    except Exception as error:  # noqa: BLE001 - the log may fail, recovery may not
        tool.warn("The result of a call of %s could not be logged", error)


def log_note(tool: Tool, rule: str, *, labels: Labels | None = None) -> None:
    """Count what is worth knowing of a call among what reviews find: it belongs to no turn, or in
    another mode something would have been done."""
    runtime = tool.runtime
    at_us = runtime.wall_us()
    row = FindingRow(
        id=f"{runtime.make_id(at_us)}/{rule}",
        at_us=at_us,
        tenant=runtime.tenant if labels is None else labels.tenant,
        agent="" if labels is None else labels.agent,
        server=tool.server,
        tool=tool.name,
        rule=rule,
        severity=Severity.WARNING.value,
    )
    runtime.log.note([row])


def _announce_repair(call: ActiveCall, *, by: str) -> None:
    tool = call.tool.declaration.tool
    call.tool.runtime.events.publish(
        CallRepaired(call=call.id, tool=tool, tries=call.try_number, by=by)
    )


def _find_kind(labels: Labels) -> CallKind:
    return labels.tenant, labels.agent, bool(labels.context)


def _emit_ended(call: ActiveCall, ended: _Ended) -> None:
    tool = call.tool
    tenant, agent, context, turn = call.labels
    columns = (
        call.id, call.at_us, tenant, agent, tool.server, tool.name, call.parameters,
        context + call.step, *ended, call.try_number, call.parent, turn, 1.0,
    )  # fmt: skip
    _emit(tool, _build_row(LogRow, columns))


def _emit(tool: Tool, row: LogRow) -> None:
    runtime = tool.runtime
    if row.agent in runtime.unlogged or tool.reach.mode is Mode.OFF:
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


_STOPPED = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""Not failures of the tool: it was stopped."""


def was_stopped(error: BaseException) -> bool:
    """Whether the call was stopped or deferred, rather than failing."""
    return isinstance(error, _STOPPED) or is_steering(error)


async def end_call(call: ActiveCall, result: object) -> Execution:
    """It came back: with a result, or with a failure in disguise."""
    failed = await find_disguised(call, result)
    if failed is not None:
        return failed
    log_success(call, result)
    return call.describe_success()


async def find_disguised(call: ActiveCall, result: object) -> Execution | None:
    """`find_silent_error`, which an event loop does not wait for where there is much to read."""
    if call.tool.results.pass_over(result):
        return None
    if is_long(result):
        call.stop_clock()
        look = partial(find_silent_error, call, result)
        return cast("Execution | None", await call.waiter.aside(look))
    if not LATE.loaded:
        if not call.tool.results.is_suspect(result):
            return None
        call.stop_clock()
        await _load_late(call)
    return find_silent_error(call, result)


async def note_failure(call: ActiveCall, error: BaseException) -> Execution:
    """`fail_call`, which an event loop does not wait for where there is much to read.

    What is read is what the error prints as, whatever it is made of, and what the call was given,
    which it is searched for quotes of.
    """
    call.stop_clock()
    if was_stopped(error):
        return fail_call(call, error)
    if not LATE.loaded:
        try:
            await _load_late(call)
        except BaseException:  # stopped meanwhile: the result of the call is still known
            fail_call(call, error)
            raise
    if not is_long(error, call.arguments):
        return fail_call(call, error)
    return cast("Execution", await call.waiter.aside(partial(fail_call, call, error)))


def fail_call(
    call: ActiveCall, error: BaseException, *, failure: Failure | None = None
) -> Execution:
    """It raised, or returned a failure: classified, counted and logged."""
    measured = (time.perf_counter_ns() - call.start) // 1000
    duration_us = measured if call.took_us is None else call.took_us
    traffic = call.traffic
    traffic.count_failure(first_try=call.try_number == 1)
    described = call.describe()
    failure = failure or _classify_error(call, described, error=error)
    call.over = not was_stopped(error)
    acted_within = call.acted_within or bool(call.acting_within)
    call.over = call.over and not acted_within
    if acted_within or _is_of_another(call, error):
        # What it says of a call within this one it does not say of this one.
        failure = replace(failure, nothing_done=False, refused=False, acted_within=acted_within)
    elif not failure.nothing_done and _proves_nothing_done(call, error, failure):
        failure = replace(failure, nothing_done=True)
    elif read_effect_note(error) is EffectNote.REFUSED:
        failure = replace(failure, refused=True)
    elif read_effect_note(error) is EffectNote.DONE:
        failure = replace(failure, landed=True)
    # As one around that may let it pass: which call it came out of first.
    with suppress(Exception):  # one that takes no notes
        setattr(error, _WHOSE, (call.parent or call.id, call.at_us))
    call.note_end(acted=not failure.nothing_done)
    execution = Execution(
        call=described,
        outcome=classify_outcome(error, failure),
        at=from_us(call.at_us),
        duration=timedelta(microseconds=duration_us),
        failure=failure,
        try_number=call.try_number,
        watched=call.tool.describe_watch(call.arguments, mode=call.reach.mode),
    )
    log_failure(call, error, execution=execution, duration_us=duration_us)
    return execution


def find_silent_error(call: ActiveCall, result: object) -> Execution | None:
    """A result that says of itself that it is an error, as the failure it is."""
    tool = call.tool
    try:
        trouble = tool.results.find_trouble(result, arguments=call.arguments)
    except NoSchemaError as error:
        tool.warn_once(str(error))
        return None
    except Exception as error:  # noqa: BLE001 - a result may be anything
        tool.warn("A result of %s could not be looked at", error)
        return None
    if trouble is None:
        return None
    said = trouble.said
    failure = Failure(
        error_class=trouble.error_class,
        said=said,
        by_words=trouble.by_words,
        retry_after=read_wait(result) if trouble.by_words else None,
        refused=tool.results.rules_out_effect(said),
    )
    fields = read_error(said)
    silent = SilentError(said, code=fields.status or fields.code or fields.exit_code)
    return replace(fail_call(call, silent, failure=failure), result=result)


def build_proposal(call: ActiveCall) -> Execution:
    """A call that was not made yet, as a check may look at it."""
    return Execution(
        call=call.describe(),
        outcome=Outcome.UNKNOWN,
        at=from_us(call.at_us),
        duration=timedelta(),
    )


async def _load_late(call: ActiveCall) -> None:
    """What a first failure needs, where an event loop need not wait for it."""
    if call.waiter is ON_LOOP:
        await LATE.load_beside_loop()
    else:
        LATE.load()


def _classify_error(call: ActiveCall, described: Call, *, error: BaseException) -> Failure:
    try:
        return call.tool.classify(described, error)
    except Exception as trouble:  # noqa: BLE001 - a mistake of ours must not hide the tool's
        call.tool.warn("An error of %s could not be classified", trouble)
        return Failure(error_class=ErrorClass.UNKNOWN, error=error)


def _proves_nothing_done(call: ActiveCall, error: BaseException, failure: Failure) -> bool:
    """Only its tool's own word counts; the transport's only where a call is one request.

    A status, an exception's type or its words may come from after the effect.
    """
    declared, traits = call.tool.declaration, failure.error_class.traits
    noted = read_effect_note(error)  # what the call was made inside of has seen that
    if noted in (EffectNote.SOMETHING_DONE, EffectNote.DONE):
        return False
    if is_own_refusal(call, error) or noted is EffectNote.NOTHING_DONE:
        return True
    if is_deferral(error) or asks_again(error):
        return True
    if _was_never_entered(call, error):
        return True
    if declared.remote.requests != 1 or failure.by_words:
        return False
    documented = traits.unprocessed_if_documented and declared.remote.not_processed
    return documented or traits.aftermath is Aftermath.NEVER_SENT


def is_own_refusal(call: ActiveCall, error: BaseException) -> bool:
    """Whether its tool says, of this very call, that nothing was done."""
    refuses: tuple[type[BaseException], ...] = (NothingDone, *call.tool.declaration.refuses)
    return isinstance(error, refuses) and not _is_of_another(call, error)


_WHOSE = "mulligan_call"


def _is_of_another(call: ActiveCall, error: BaseException) -> bool:
    """Whether an error came out of a call that this one has made: what this one did by then it does
    not know. One that is from before this call is only an object that is raised again."""
    try:
        came_of, since = getattr(error, _WHOSE, ("", -1))
        return bool(came_of != (call.parent or call.id) and since >= call.at_us)
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return False


def _was_never_entered(call: ActiveCall, error: BaseException) -> bool:
    """Whether the arguments did not even fit the function's signature, so that none of it ran.

    A function of Python that has begun stands in the trace of whatever comes out of it, also of
    what another tool refused that it called.
    """
    function = call.tool.function
    if not isinstance(error, TypeError) or not isinstance(function, (FunctionType, MethodType)):
        return False
    if any(f.f_code is function.__code__ for f, _ in traceback.walk_tb(error.__traceback__)):
        return False
    args, kwargs = call.given
    try:
        inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    except TypeError:
        return True
    except ValueError:  # it does not say what it takes
        return False
    return False


def classify_outcome(error: BaseException, failure: Failure) -> Outcome:
    """The outcome of a call that raised, or whose result was a failure."""
    if was_stopped(error):
        return Outcome.CANCELLED
    if failure.error_class.traits.aftermath is Aftermath.NO_ANSWER and not failure.by_words:
        return Outcome.UNKNOWN
    return Outcome.FAILURE
