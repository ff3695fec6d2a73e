"""One call of a tool with all its tries: repeated where it is safe, corrected where it can be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.loops.calls import Knowing, Retrying, UnsureError, retry_call
from mulligan.process.fault_points import Point, checkpoint
from mulligan.process.user_functions import call_here, is_async
from mulligan.runtime.advice import attach, find_correction, read_advised
from mulligan.runtime.call import ActiveCall, begin_call
from mulligan.runtime.context import add_advice, add_note, find_current_turn, read_context
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.episodes import SuggestedCall
from mulligan.runtime.hold import Held
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.lookup import Advised, FailedRepair, RepairedCall
from mulligan.runtime.outcome import end_call, label_opening, log_success, note_failure, was_stopped
from mulligan.runtime.probe import (
    ProbeResult,
    is_unheard,
    probe,
    record_result,
    settle_approved,
    verify_refusal,
)
from mulligan.runtime.results import is_deferral
from mulligan.runtime.tool import Make, Tool
from mulligan.runtime.waiting import ON_LOOP
from mulligan.types.action import Request, State
from mulligan.types.call import Execution, Outcome, Record
from mulligan.types.display import format_value
from mulligan.types.effect import Effect, ProbeBy, Repeat
from mulligan.types.errors import JournalError, StoreError
from mulligan.types.events import CallRepaired, CallRetried
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Origin, Patch

THERE_ALREADY = (
    "It was approved, and a probe finds it done, but this store has no record of that: the store "
    "may have been restored from a backup. It was not made again."
)


class Tried(Struct, frozen=True, kw_only=True):
    """The result of a call with all its tries."""

    last: Execution
    """A success, or the failure that ended it."""
    nothing_happened: bool
    """It is proven of every try that it changed nothing."""
    unheard: bool = False
    """It was made, and so may be an earlier try, which gave no answer and may still land."""
    lost: bool = False
    """Some try gave no answer: a look's finding answers for the call."""


async def call_with_retries(call: ActiveCall) -> Tried:
    """Make a call that has begun, again where that is safe. Only what stops it is raised."""
    try:
        result = await call.make()
    except BaseException as error:
        failed = await note_failure(call, error)
        if was_stopped(error):
            raise
    else:
        last = await _verify(call, await end_call(call, result))
        return _sum_up(call, [last])
    return await retry(call, failed)


async def retry(first: ActiveCall, failed: Execution) -> Tried:
    """The final result of a failed call: a later try's success, or the final failure."""
    failed = await _verify(first, failed)
    done = failed.failure is not None and failed.failure.landed
    # Where the tool has taken something out of what it was given, the same call cannot be made.
    if done or first.has_changed() or not _may_be_repeated(failed, first.tool.declaration):
        return _sum_up(first, [failed])
    tries = [failed]

    async def try_again(number: int) -> Execution:
        if first.require_lease is not None:
            first.require_lease()
        again = first.begin_again(try_number=number)
        try:
            result = await again.make()
        except BaseException as error:
            later = await note_failure(again, error)
            if was_stopped(error):
                raise
        else:
            later = await end_call(again, result)
        tries.append(await _verify(first, later))
        return tries[-1]

    declaration = first.tool.declaration
    executions = await retry_call(
        failed,
        again=try_again,
        effect=declaration.classify_effect(first.arguments),
        repeat=declaration.repeat,
        mode=first.reach.mode,
        using=_build_retrying(first, tries),
    )
    last = await _read_again(first, last=executions[-1])
    if last.outcome is Outcome.SUCCESS:
        by = first.follows.by if first.follows is not None else ""
        first.tool.runtime.events.publish(
            CallRepaired(call=last.call.id, tool=last.call.tool, tries=last.try_number, by=by)
        )
    earlier = [each.failure for each in executions[:-1] if each.failure is not None]
    unheard = declaration.repeat is Repeat.IDEMPOTENT and last.outcome is Outcome.SUCCESS
    return replace(
        _sum_up(first, executions),
        last=last,
        unheard=unheard and not all(failure.nothing_done for failure in earlier),
    )


def _may_be_repeated(failed: Execution, declared: Declaration) -> bool:
    """Whether what a look does not find is all that the call can have done.

    A receipt tells of its transaction alone, and is void once it was looked for; what a call is
    made inside of tells of what went through it, and not of what the tool's own code did besides.
    """
    failure = failed.failure
    if declared.probe_by is ProbeBy.RECEIPT or failure is None:
        return failure is None
    by_itself = failure.by_words or failure.error_class is ErrorClass.TOOL_EXCEPTION
    return declared.around is None or not by_itself


def _sum_up(call: ActiveCall, executions: Sequence[Execution]) -> Tried:
    declared = call.tool.declaration
    return Tried(
        last=executions[-1],
        nothing_happened=all(each.failure and each.failure.nothing_done for each in executions),
        lost=any(is_unheard(each, declared) for each in executions),
    )


async def _verify(call: ActiveCall, failed: Execution) -> Execution:
    """A try as it is known to have ended: what refused it may have done so after the effect."""
    return await verify_refusal(failed, records=call.records, declared=call.tool.declaration)


def _build_retrying(first: ActiveCall, tries: Sequence[Execution]) -> Retrying:
    runtime, traffic = first.tool.runtime, first.traffic
    return Retrying(
        budget=traffic.budget,
        breaker=traffic.breaker,
        backoff=runtime.backoff,
        sleep=first.waiter.sleep,
        chance=runtime.chance.random,
        monotonic=runtime.monotonic,
        announce=runtime.events.publish,
        knowing=_build_knowing(first, tries),
    )


def _build_knowing(first: ActiveCall, tries: Sequence[Execution]) -> Knowing:
    """What the tool can find out about a call of its own. `tries`: as far as they were made."""
    declaration = first.tool.declaration
    age = timedelta(microseconds=first.tool.runtime.wall_us() - first.at_us)
    record = first.record or Record(arguments=first.arguments, key=first.key or first.id)

    async def look_for_it(failed: Execution) -> Execution | None:
        seen = await probe(record, declaration)
        if seen.found is ProbeResult.UNSURE:
            raise UnsureError(seen.why)
        if seen.found is ProbeResult.ABSENT:
            return None
        if failed.failure is not None and not any(is_unheard(e, declaration) for e in tries):
            return replace(failed, failure=replace(failed.failure, landed=True))
        found = first.begin_again(try_number=first.try_number + 1)
        log_success(found, seen.result)
        return found.describe_success()

    can = declaration.callbacks
    can_look = can.probe is not None and declaration.each is None
    return Knowing(
        look=look_for_it if can_look else None,
        once=read_context().once,
        keyed=first.key is not None and age < declaration.remote.key_life,
        lands_within=declaration.remote.lands_within + declaration.remote.settles_within,
        deletes=declaration.deletes,
        refresh=None
        if can.refresh is None
        else partial(call_here, can.refresh, record, within=declaration.remote.answers_within),
        in_progress=can.in_progress,
    )


async def _read_again(first: ActiveCall, *, last: Execution) -> Execution:
    """After a conflict: what is there now, for the agent to decide on."""
    tool = first.tool
    failure, reader = last.failure, tool.declaration.callbacks.reader
    if failure is None or not failure.error_class.traits.rereads or reader is None:
        return last
    if first.reach.mode.only_watches or (first.waiter is not ON_LOOP and is_async(reader)):
        # A sync tool cannot wait for it.
        return last
    try:
        now = await call_here(
            reader,
            first.record or Record(arguments=first.arguments, key=first.key or first.id),
            within=tool.declaration.remote.answers_within,
        )
    except Exception as error:  # noqa: BLE001 - a user's function; the conflict is what matters
        tool.warn("The current state could not be read for %s", error)
        return last
    return replace(last, failure=replace(failure, now=now))


async def release(
    action: LiveAction, *, tool: Tool, make: Make | None, book: JournalWriter
) -> None:
    """Run an approved call with what was kept of it."""
    # Before it is on record as begun: what cannot be made must not look as if it might have been.
    prepared = make or tool.prepare_call(action.record)
    # The process that held it knows that it was not made. Elsewhere its store may be one put back
    # from a copy, which knows of the approval and not of its result.
    made_before = make is None and await _is_there_already(action)
    await claim(action, book=book)
    if made_before:
        await book.move([action], State.NEEDS_HUMAN, why=THERE_ALREADY)
        return
    call = begin_call(tool, ((), dict(action.record.arguments)), waiter=ON_LOOP)
    call.count_for(label_opening(action.opening))
    await run_claimed(action, call=call.with_maker(prepared), book=book)


async def _is_there_already(action: LiveAction) -> bool:
    """Whether a look finds the very call by its key; without one it might find another's."""
    declaration = action.declaration
    looks_for_key = declaration.key is not None and declaration.probe_by is not ProbeBy.STATE
    if declaration.callbacks.probe is None or not looks_for_key:
        return False
    return (await probe(action.record, declaration)).found is ProbeResult.LANDED


async def claim(action: LiveAction, *, book: JournalWriter) -> None:
    """Put it on disk that an approved call is about to be made: it is not made a second time."""
    await book.move([action], State.INTENT, why="A person approved it.")
    await checkpoint(Point.RELEASED)


async def run_claimed(action: LiveAction, *, call: ActiveCall, book: JournalWriter) -> Tried:
    """Make an approved call, and record the result."""
    call.key, call.record, call.records = action.opening.key, action.record, (action.record,)
    call.require_lease = partial(book.require_lease, [action], to=Request.CALL)
    call.require_lease()
    try:
        tried = await call_with_retries(call)
        await checkpoint(Point.CALLED)
    except BaseException as error:
        await write_stopped([action], error, book=book)
        raise
    await book.record_ending([action], _write_release(action, tried, book=book))
    return tried


async def write_stopped(
    actions: Sequence[LiveAction], error: BaseException, *, book: JournalWriter
) -> None:
    """Write down that a call was stopped: put off it did nothing, else only a look can tell."""
    if is_deferral(error):
        await book.move(actions, State.NOT_EXECUTED, why="Its framework deferred it.")
        return
    why = f"It was stopped while running ({type(error).__name__})."
    try:
        await book.move(actions, State.UNKNOWN, why=why)
    except (JournalError, StoreError):
        # It may have been sent, and others may have looked before that.
        book.remember(actions, why=why)
        await book.record_late_results()


async def _write_release(action: LiveAction, tried: Tried, *, book: JournalWriter) -> None:
    failure = tried.last.failure
    if failure is None:
        await record_result([action], [tried.last.result], book=book)
        await checkpoint(Point.EXECUTED)
        await settle_approved([action], book=book)
    elif tried.nothing_happened:
        why = failure.error_class.value
        await book.move([action], State.NOT_EXECUTED, why=why)
    else:
        await book.move([action], State.UNKNOWN, why=failure.error_class.value)


MOST_FIXES = 2
"""Corrections of one call that are applied by themselves."""

Once = Callable[..., Awaitable[Any]]
"""Makes a call with all its tries: its arguments, and the correction that it is."""


async def auto_correct(
    tool: Tool, corrected: SuggestedCall, *, once: Once, left_out: Mapping[str, object]
) -> Any:
    """Make a call with corrected arguments, and correct those once more if they fail otherwise.

    Other arguments are another call, so that each goes under a key of its own.
    """
    asked, tried = corrected, list[FailedRepair]()
    while True:
        args, kwargs = tool.signature.unbind({**corrected.arguments, **left_out})
        _announce_repair(tool, corrected)
        try:
            result = await once(args, kwargs, corrected)
        except Exception as error:  # noqa: BLE001 - told below, outside the handler
            failed = error
        else:
            return _tell_repaired(tool, asked, corrected=corrected, result=result)
        tried.append(_note_try(asked, corrected, failed))
        again = find_correction(failed, tool) if len(tried) < MOST_FIXES else None
        if again is None or _contradicts(again, corrected):
            return _tell_failed(tool, asked, corrected=corrected, failed=failed, tried=tried)
        corrected = again


def _contradicts(again: SuggestedCall, corrected: SuggestedCall) -> bool:
    """Whether a correction is another answer to what the last one did not help against.

    Made on top of that, it would make a call that has never been seen to work.
    """
    one, other = corrected.advised, again.advised
    same_failure = one is not None and other is not None and one.pattern == other.pattern
    learned = all(each.suggestion.source is Origin.MEMORY for each in (again, corrected))
    both = (_compare(each.execution.call.arguments, each.arguments) for each in (corrected, again))
    before, after = ({*changed.changes, *changed.drops} for changed in both)
    return same_failure or (learned and bool(before & after))


def _announce_repair(tool: Tool, corrected: SuggestedCall) -> None:
    """Publish that a failed call is about to be made again, with other arguments."""
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


def _note_try(asked: SuggestedCall, corrected: SuggestedCall, failed: Exception) -> FailedRepair:
    advised = read_advised(failed)
    said = advised.failed.error if advised is not None else ""
    return FailedRepair(
        tool=asked.execution.call.tool,
        changed=_compare(asked.execution.call.arguments, corrected.arguments),
        error=said or format_value(failed),
        by=corrected.by,
    )


def _tell_failed(
    tool: Tool,
    asked: SuggestedCall,
    *,
    corrected: SuggestedCall,
    failed: Exception,
    tried: list[FailedRepair],
) -> Any:
    """The failure of the call that was asked for, with what else was tried and by whom.

    Its agent never saw the arguments that we made. Only where these may have changed something is
    their failure the one to know of.
    """
    advised = read_advised(failed)
    if advised is None or asked.advised is None:
        raise failed  # It is not the tool's: a hold, or a rule of ours.
    own = _is_repaired_without_effect(tool, corrected, advised)
    told = replace(_advise_without(asked.advised, tried) if own else advised, tried=tuple(tried))
    _replace_told(tool, told, told_before=(asked.advised, advised))
    failure = told.execution.failure
    error = failure.error if failure is not None else None
    if error is None:
        return _put_note(tool, told.execution.result, "\n".join(map(str, told.tried)))
    attach(error, told)
    raise error


def _is_repaired_without_effect(tool: Tool, corrected: SuggestedCall, advised: Advised) -> bool:
    failure = advised.execution.failure
    reads = tool.declaration.classify_effect(corrected.arguments) is Effect.READ
    return reads or (failure is not None and failure.nothing_done)


def _advise_without(advised: Advised, tried: list[FailedRepair]) -> Advised:
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
    add_advice(told)


def _tell_repaired(
    tool: Tool, asked: SuggestedCall, *, corrected: SuggestedCall, result: Any
) -> Any:
    """The result of a repaired call, with what was changed in the call where there is room for it.

    A result keeps its type: under a text for the model to read stands a line, and what else a tool
    returns is left as it is, unless its author says where a note goes. The turn has every note.
    """
    if isinstance(result, Held) or _has_failed(tool, result, corrected):
        # It is awaiting approval, or has failed once more: nothing was repaired yet.
        return result
    repaired = RepairedCall(
        call=corrected.execution.call.parent or corrected.execution.call.id,
        tool=tool.declaration.tool,
        changed=_compare(asked.execution.call.arguments, corrected.arguments),
        by=corrected.by,
    )
    add_advice(repaired)
    turn = find_current_turn(tool.runtime.redactor)
    if turn is not None:
        turn.repaired.append(repaired)
    return _put_note(tool, result, str(repaired))


def _put_note(tool: Tool, result: Any, note: str) -> Any:
    put = tool.declaration.failures.with_note
    if put is None:
        alone = find_current_turn(tool.runtime.redactor) is None
        return result if alone or type(result) is not str else add_note(result, note)
    try:
        return put(result, note)
    except Exception as error:  # noqa: BLE001 - a user's function; the result is what matters
        tool.warn("A result of %s could not be given its note", error)
        return result


def _has_failed(tool: Tool, result: object, corrected: SuggestedCall) -> bool:
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
