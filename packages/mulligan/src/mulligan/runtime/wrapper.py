"""The wrapper around a tool: same name, same signature, and a second shot where it is safe."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from mulligan.process.user_functions import is_async
from mulligan.runtime.advice import consult, find_correction, precheck_call, return_or_raise
from mulligan.runtime.call import ActiveCall, Given, begin_call, claim_host_call
from mulligan.runtime.context import UNDER_WAY, OpenTurn, UntrackedCall, is_outside, read_context
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.episodes import SuggestedCall
from mulligan.runtime.journaled_call import JournaledCall, build_action, refuse_repeats
from mulligan.runtime.outcome import (
    fail_call,
    find_disguised,
    find_silent_error,
    log_note,
    log_success,
    note_failure,
    was_stopped,
)
from mulligan.runtime.outside_calls import (
    HostCallUnderWay,
    LoneCall,
    call_alone,
    call_alone_here,
    refuse_in_words,
)
from mulligan.runtime.results import is_deferral
from mulligan.runtime.retry import Tried, auto_correct, call_with_retries, retry
from mulligan.runtime.review import follow_undeclared
from mulligan.runtime.signature import hide_parameters
from mulligan.runtime.tool import Runtime, Tool
from mulligan.runtime.toolbox import Toolbox
from mulligan.runtime.waiting import ON_LOOP, ON_THREAD, run_to_end
from mulligan.types.call import Execution, Failure
from mulligan.types.display import format_value, is_long
from mulligan.types.effect import OUTSIDE, Effect
from mulligan.types.errors import NothingDone, OwnParameterError, StuckError, UnawaitedError
from mulligan.types.failure import ErrorClass

P = ParamSpec("P")
R = TypeVar("R")


def wrap_tool(
    function: Callable[P, R], *, declaration: Declaration, runtime: Runtime, box: Toolbox
) -> Callable[P, R]:
    """Wrap a sync or async tool; the wrapper keeps its name, docstring and signature, less the
    parameters that are ours to fill."""
    tool = Tool(function, declaration=declaration, runtime=runtime)
    box.add(tool)
    reads_only = declaration.effect is Effect.READ and declaration.effect_of is None
    runtime.reads_only[declaration.tool] = reads_only
    wrapped: Any = (_wrap_async if is_async(function) else _wrap_sync)(tool)
    hide_parameters(wrapped, function, names=declaration.ours)
    wrapped.mulligan, wrapped.mulligan_tool = tool.declaration, tool
    return cast("Callable[P, R]", wrapped)


def find_wrapped(function: Any) -> Tool | None:
    """The tool that a function is, also inside a partial or what `functools.wraps` has made."""
    while function is not None:
        found = getattr(function, "mulligan_tool", None)
        if isinstance(found, Tool):
            return found
        is_partial = isinstance(function, functools.partial)
        function = function.func if is_partial else getattr(function, "__wrapped__", None)
    return None


def _wrap_async(tool: Tool) -> Callable[..., Any]:
    once = _make_async_once(tool)

    @functools.wraps(tool.function)
    async def call_tool(*args: Any, **kwargs: Any) -> Any:
        if tool.reach.untracked and read_context().words_only:
            raise refuse_in_words(tool.declaration.tool)
        try:
            return await once(args, kwargs)
        except Exception as error:
            await consult(error, tool)
            corrected = find_correction(error, tool)
            if corrected is None:
                raise
        left_out = tool.signature.find_left_out(args, kwargs)
        return await auto_correct(tool, corrected, once=once, left_out=left_out)

    if not tool.changes:
        return call_tool

    @functools.wraps(tool.function)
    async def call_acting_tool(*args: Any, **kwargs: Any) -> Any:
        if _is_alone(tool):
            alone = _begin_alone(tool, (args, kwargs))
            return await call_alone(alone, partial(call_tool, *args, **kwargs))
        return await call_tool(*args, **kwargs)

    return call_acting_tool


def _wrap_sync(tool: Tool) -> Callable[..., Any]:
    once = _make_sync_once(tool)

    async def call_again(args: Any, kwargs: Any, corrects: SuggestedCall) -> Any:
        return once(args, kwargs, corrects)

    @functools.wraps(tool.function)
    def call_tool(*args: Any, **kwargs: Any) -> Any:
        if tool.reach.untracked and read_context().words_only:
            raise refuse_in_words(tool.declaration.tool)
        try:
            return once(args, kwargs)
        except Exception as error:
            corrected = find_correction(error, tool)
            if corrected is None:
                raise
        left_out = tool.signature.find_left_out(args, kwargs)
        return run_to_end(auto_correct(tool, corrected, once=call_again, left_out=left_out))

    if not tool.changes:
        return call_tool

    @functools.wraps(tool.function)
    def call_acting_tool(*args: Any, **kwargs: Any) -> Any:
        if _is_alone(tool):
            alone = _begin_alone(tool, (args, kwargs))
            return call_alone_here(alone, partial(call_tool, *args, **kwargs))
        return call_tool(*args, **kwargs)

    return call_acting_tool


def _is_alone(tool: Tool) -> bool:
    """Whether its call belongs to no turn, and so is one of its own."""
    if not tool.reach.mode.reviews:
        return False
    if read_context().words_only:
        raise refuse_in_words(tool.declaration.tool)
    return is_outside(tool.runtime.redactor)


def _begin_alone(tool: Tool, given: Given) -> LoneCall | HostCallUnderWay | None:
    host_call = claim_host_call(tool, given)
    if host_call is not None:
        return host_call
    log_note(tool, OUTSIDE)
    outside = tool.runtime.outside
    if outside is None:
        return None
    return outside.begin(tool.declaration.tool, warn=tool.warn_once)


# The two ways of calling are written out twice, for most calls are nothing but this: a coroutine
# around a plain function would cost more than the row that is logged of it.


def _make_async_once(tool: Tool) -> Callable[..., Any]:
    """One call with all its tries, as it is or in the place of one that failed."""
    function = tool.function

    async def call_once(args: Any, kwargs: Any, corrects: SuggestedCall | None = None) -> Any:
        call = begin_call(tool, (args, kwargs), waiter=ON_LOOP, corrects=corrects)
        apart = call.brought or call.outer is not None or (call.turn and call.turn.failing)
        if apart and (refused := _find_refusal(call)) is not None:
            return await _refuse(call, refused)
        args, kwargs = call.given
        if call.turn is not None and (
            call.reach.guarded or (call.reach.untracked and _is_corrected(call.turn))
        ):
            return await _guard_call(call.with_maker(partial(function, *args, **kwargs)), call.turn)
        call.enter()
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            UNDER_WAY.set(call.outer)
            failed = await note_failure(call, error)
            if was_stopped(error):
                _note_stopped(call, error)
                raise
        else:
            UNDER_WAY.set(call.outer)
            if tool.results.pass_over(result):
                return _note_success(call, result)
            disguised = await find_disguised(call, result)
            if disguised is None:
                return _note_success(call, result)
            failed = disguised
        # Outside the handler, or the second try's error would claim the first as its context.
        call = call.with_maker(partial(function, *args, **kwargs))
        return await _note_tried(call, retry(call, failed))

    return call_once


def _make_sync_once(tool: Tool) -> Callable[..., Any]:
    """The same for a function that is called and not awaited."""
    function = tool.function

    def call_once(args: Any, kwargs: Any, corrects: SuggestedCall | None = None) -> Any:
        async def make(**more: Any) -> Any:
            return _refuse_unawaited(function(*args, **kwargs | more), tool)

        call = begin_call(tool, (args, kwargs), waiter=ON_THREAD, corrects=corrects)
        apart = call.brought or call.outer is not None or (call.turn and call.turn.failing)
        if apart and (refused := _find_refusal(call)) is not None:
            return run_to_end(_refuse(call, refused))
        args, kwargs = call.given
        if call.turn is not None and (
            call.reach.guarded or (call.reach.untracked and _is_corrected(call.turn))
        ):
            return run_to_end(_guard_call(call.with_maker(make), call.turn))
        call.enter()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            UNDER_WAY.set(call.outer)
            failed = fail_call(call, error)
            if was_stopped(error):
                _note_stopped(call, error)
                raise
        else:
            UNDER_WAY.set(call.outer)
            if tool.results.pass_over(result):
                return _note_success(call, result)
            disguised = find_silent_error(call, result)
            if disguised is None:
                return _note_success(call, result)
            failed = disguised
        call = call.with_maker(make)
        return run_to_end(_note_tried(call, retry(call, failed)))

    return call_once


def _refuse_unawaited(answer: Any, tool: Tool) -> Any:
    """What a plain function answered."""
    if not inspect.isawaitable(answer):
        return answer
    if inspect.iscoroutine(answer):
        answer.close()
    raise UnawaitedError(tool.declaration.tool)


def _is_corrected(turn: OpenTurn) -> bool:
    """Whether it goes on after a rejection: calls that leave no record are looked at too."""
    return len(turn.root.attempts) > 1


def _find_refusal(call: ActiveCall) -> Failure | None:
    """Why a call is not made at all, if it is not."""
    tool = call.tool.declaration.tool
    stuck = _find_stuck(call)
    if stuck is not None:
        return _build_refusal(stuck, ErrorClass.POLICY)
    if call.brought is not None:
        # A value of the caller's own for what is ours would make two calls one, or one two.
        brought = OwnParameterError(tool=tool, parameter=call.brought)
        return _build_refusal(brought, ErrorClass.VALIDATION)
    if call.outer is None:
        return None
    call.begin()
    if not call.is_late():
        return None
    late = NothingDone(
        f"{tool} was called for a tool that has failed meanwhile, and nothing was done: that tool "
        "may be called again. Have it wait for what it begins."
    )
    return _build_refusal(late, ErrorClass.POLICY)


MOST_FAILING = 200
"""Calls of a turn whose failures are counted."""
MOST_SAID = 500
"""Characters of an error by which it is told from another."""


def _find_stuck(call: ActiveCall) -> StuckError | None:
    """Why a call is not made that has failed in the same way too often in its turn."""
    tool, turn = call.tool, call.turn
    if turn is None or not turn.failing or call.reach.mode.only_watches:
        return None
    if read_context().once:
        return None  # its host decides how often it is made, or has made it already
    times, _ = turn.failing.get(_name_call(call), (0, ""))
    if not 0 < tool.runtime.stuck_after <= times:
        return None
    return StuckError(tool=tool.declaration.tool, times=times)


def _count_failure(call: ActiveCall, turn: OpenTurn, failed: Execution) -> None:
    """Count a failure; a success, or another error, begins the count anew."""
    failure, named = failed.failure, _name_call(call)
    if failure is None:
        turn.failing.pop(named, None)
    elif not isinstance(failure.error, StuckError) and (
        named in turn.failing or len(turn.failing) < MOST_FAILING
    ):
        shown = failed.result if failure.error is None else failure.error
        said = format_value(shown)[:MOST_SAID]
        times, before = turn.failing.get(named, (0, said))
        turn.failing[named] = (times + 1 if said == before else 1), said


def _name_call(call: ActiveCall) -> object:
    """What the same call has too: its tool and what it is asked for."""
    if is_long(call.arguments):
        return call.id
    return call.tool.declaration.tool, call.tool.declaration.server, format_value(call.arguments)


def _build_refusal(error: Exception, error_class: ErrorClass) -> Failure:
    return Failure(error_class=error_class, error=error, answered=True, nothing_done=True)


async def _refuse(call: ActiveCall, refused: Failure) -> Any:
    error = refused.error or NothingDone()
    return await _note_outcome(call, fail_call(call, error, failure=refused))


async def _guard_call(call: ActiveCall, turn: OpenTurn) -> Any:
    """A call of a turn that is looked at or written down before it is made."""
    call.begin()
    try:
        refused = await precheck_call(call, turn)
        if refused is not None:
            return await _note_outcome(call, refused)
        if call.reach.has_effect:
            return await JournaledCall(call=call, turn=turn, attempt=turn.attempt).run()
        if not call.reach.mode.only_watches:
            refuse_repeats(call, turn)
        turn.attempt.asks = turn.attempt.asks or bool(call.tool.declaration.review.judged)
        return await _note_tried(call, call_with_retries(call))
    finally:
        call.note_end(acted=False)


async def _note_tried(call: ActiveCall, tries: Awaitable[Tried]) -> Any:
    try:
        tried = await tries
    except BaseException as error:
        _note_stopped(call, error)
        raise
    return await _note_outcome(call, tried.last)


def _note_stopped(call: ActiveCall, error: BaseException) -> None:
    """Stopped in the middle, as by its agent's own time limit: it may still have landed."""
    if call.turn is not None and call.reach.untracked and not is_deferral(error):
        _note_untracked(call, call.turn, came_back=False)


def _note_success(call: ActiveCall, result: Any) -> Any:
    log_success(call, result)
    turn = call.turn
    if turn is not None:
        attempt, tool = turn.attempts[-1], call.tool
        if tool.declaration.review.judged:
            attempt.asks = True
        attempt.notes.append(call.describe_success)
        if turn.failing:
            turn.failing.pop(_name_call(call), None)
        if call.reach.untracked:
            _note_untracked(call, turn, came_back=True)
    return result


async def _note_outcome(call: ActiveCall, execution: Execution) -> Any:
    turn, failure = call.turn, execution.failure
    if turn is not None:
        turn.attempt.notes.append(lambda: execution)
        if failure is not None or turn.failing:
            _count_failure(call, turn, execution)
        if call.reach.untracked and not (failure and failure.nothing_done):
            _note_untracked(call, turn, came_back=failure is None)
    return await return_or_raise(call, execution)


def _note_untracked(call: ActiveCall, turn: OpenTurn, *, came_back: bool) -> None:
    undeclared = call.tool.declaration.effect is Effect.UNDECLARED
    effect = Effect.UNDECLARED if undeclared else Effect.IRREVERSIBLE
    build = partial(build_action, call, turn, arguments=call.as_given(), id=call.id, effect=effect)
    calls_tools = call.acted_within or bool(call.acting_within)
    made = UntrackedCall(call=call.id, came_back=came_back, calls_tools=calls_tools, build=build)
    turn.attempt.untracked.append(made)
    follow_undeclared(turn, book=call.tool.runtime.book)
