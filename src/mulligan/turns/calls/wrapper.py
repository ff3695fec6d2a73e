"""The wrapper around a tool: same name, same signature, and a second shot where it is safe."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from mulligan.core.call import Execution
from mulligan.turns.calls.advice import conclude, find_correction, mend
from mulligan.turns.calls.journaled import Performing
from mulligan.turns.calls.judge_advice import consult
from mulligan.turns.calls.live import Pending
from mulligan.turns.calls.precheck import precheck_call
from mulligan.turns.calls.retry import rescue, try_call
from mulligan.turns.calls.runtime import Make, Runtime
from mulligan.turns.calls.toolbox import Tool, Toolbox
from mulligan.turns.calls.watch import Watch, was_stopped
from mulligan.turns.journal.waiter import ON_LOOP, ON_THREAD, Waiter, run_to_end
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.tools.declaration import Declaration, is_async
from mulligan.turns.tools.signature import read_signature
from mulligan.turns.turn.context import OpenTurn

P = ParamSpec("P")
R = TypeVar("R")


def wrap_tool(
    function: Callable[P, R], *, declaration: Declaration, runtime: Runtime, box: Toolbox
) -> Callable[P, R]:
    """Wrap a sync or async tool; the wrapper keeps its name, docstring and signature."""
    watch = Watch(declaration, signature=read_signature(function), runtime=runtime)
    box.add(Tool(watch=watch, function=function))
    runtime.tools[declaration.tool] = None
    wrapped: Any = (_wrap_async if is_async(function) else _wrap_sync)(function, watch)
    wrapped.mulligan = declaration
    return cast("Callable[P, R]", wrapped)


# The two ways of calling are written out twice, for most calls are nothing but this: a coroutine
# around a plain function would cost more than the row that is logged of it.


def _make_async_once(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """One call with all its tries, as it is or in the place of one that failed."""

    async def call_once(args: Any, kwargs: Any, corrects: Corrected | None = None) -> Any:
        pending = watch.begin(args, kwargs, corrects=corrects)
        if watch.guarded and pending.turn is not None:
            make = partial(function, *args, **kwargs)
            return await _call_guarded(watch, pending, turn=pending.turn, make=make, waiter=ON_LOOP)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            disguised = watch.detect_silent_error(pending, result)
            if disguised is None:
                return _note_success(watch, pending, result)
            failed = disguised
        # Outside the handler, or the second try's error would claim the first as its context.
        make = partial(function, *args, **kwargs)
        return await _rescue_call(watch, failed, first=pending, make=make, waiter=ON_LOOP)

    return call_once


def _make_sync_once(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The same for a function that is called and not awaited."""

    def call_once(args: Any, kwargs: Any, corrects: Corrected | None = None) -> Any:
        async def make(**more: Any) -> Any:
            return function(*args, **kwargs | more)

        pending = watch.begin(args, kwargs, corrects=corrects)
        if watch.guarded and pending.turn is not None:
            return run_to_end(
                _call_guarded(watch, pending, turn=pending.turn, make=make, waiter=ON_THREAD)
            )
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            disguised = watch.detect_silent_error(pending, result)
            if disguised is None:
                return _note_success(watch, pending, result)
            failed = disguised
        return run_to_end(_rescue_call(watch, failed, first=pending, make=make, waiter=ON_THREAD))

    return call_once


def _wrap_async(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    once = _make_async_once(function, watch)

    @functools.wraps(function)
    async def call_watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return await once(args, kwargs)
        except Exception as error:
            await consult(error, watch)
            corrected = find_correction(error, watch)
            if corrected is None:
                raise
        return await mend(watch, corrected, once=once)

    return call_watched


def _wrap_sync(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    once = _make_sync_once(function, watch)

    async def call_again(args: Any, kwargs: Any, corrects: Corrected) -> Any:
        return once(args, kwargs, corrects)

    @functools.wraps(function)
    def call_watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return once(args, kwargs)
        except Exception as error:
            corrected = find_correction(error, watch)
            if corrected is None:
                raise
        return run_to_end(mend(watch, corrected, once=call_again))

    return call_watched


async def _call_guarded(
    watch: Watch, pending: Pending, *, turn: OpenTurn, make: Make, waiter: Waiter
) -> Any:
    """A call of a turn that is looked at or written down before it is made."""
    refused = precheck_call(watch, pending, turn=turn)
    if refused is not None:
        return await _note_outcome(watch, refused, turn=turn, waiter=waiter)
    if watch.acts:
        attempt = turn.attempt
        return await Performing(
            watch=watch, pending=pending, turn=turn, attempt=attempt, waiter=waiter
        ).run(make)
    tried = await try_call(watch, pending, make=make, waiter=waiter)
    turn.attempt.asks = turn.attempt.asks or watch.declaration.review
    return await _note_outcome(watch, tried.last, turn=turn, waiter=waiter)


async def _rescue_call(
    watch: Watch, failed: Execution, *, first: Pending, make: Make, waiter: Waiter
) -> Any:
    tried = await rescue(watch, failed, first=first, make=make, waiter=waiter)
    return await _note_outcome(watch, tried.last, turn=first.turn, waiter=waiter)


def _note_success(watch: Watch, pending: Pending, result: Any) -> Any:
    took = watch.log_success(pending, result)
    turn = pending.turn
    if turn is not None:
        turn.attempt.asks = turn.attempt.asks or watch.declaration.review
        turn.attempt.notes.append(
            lambda: watch.build_execution(pending, result=result, duration_us=took)
        )
    return result


async def _note_outcome(
    watch: Watch, execution: Execution, *, turn: OpenTurn | None, waiter: Waiter
) -> Any:
    if turn is not None:
        turn.attempt.notes.append(lambda: execution)
    return await conclude(watch, execution, turn=turn, waiter=waiter)
