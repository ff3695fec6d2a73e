"""The wrapper around a tool: same name, same signature, and a second shot where it is safe."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from mulligan.core.call import Execution
from mulligan.turns.advising import conclude, correction_of, mend
from mulligan.turns.declaration import Declaration, is_async
from mulligan.turns.hands import ON_LOOP, ON_THREAD, Hands, run_to_end
from mulligan.turns.instruments import Instruments
from mulligan.turns.performing import Performing
from mulligan.turns.signature import read_signature
from mulligan.turns.toolbox import Tool, Toolbox
from mulligan.turns.trying import rescue
from mulligan.turns.turn import OpenTurn
from mulligan.turns.watch import Pending, Watch, was_stopped

P = ParamSpec("P")
R = TypeVar("R")


def wrap_tool(
    function: Callable[P, R], *, declaration: Declaration, instruments: Instruments, box: Toolbox
) -> Callable[P, R]:
    """Wrap a sync or async tool; the wrapper keeps its name, docstring and signature."""
    watch = Watch(declaration, signature=read_signature(function), instruments=instruments)
    box.add(Tool(watch=watch, function=function))
    wrapped: Any = (_wrap_async if is_async(function) else _wrap_sync)(function, watch)
    wrapped.mulligan = declaration
    return cast("Callable[P, R]", wrapped)


def _async_once(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """One call with all its tries, as it is or in the place of one that failed."""

    async def once(args: Any, kwargs: Any, corrects: Execution | None = None) -> Any:
        pending = watch.begin(args, kwargs, corrects=corrects)
        turn = pending.turn
        if watch.acts and turn is not None:
            make = partial(function, *args, **kwargs)
            return await _performing(watch, pending, turn=turn, hands=ON_LOOP).run(make)
        # Most calls end here: nothing between the caller and the tool but the row.
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            disguised = watch.disguised(pending, result)
            if disguised is None:
                return _succeeded(watch, pending, result)
            failed = disguised
        # Outside the handler, or the second try's error would claim the first as its context.
        make = partial(function, *args, **kwargs)
        tried = await rescue(watch, failed, first=pending, make=make, hands=ON_LOOP)
        return _noted(watch, tried.last, turn)

    return once


def _wrap_async(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    once = _async_once(function, watch)

    @functools.wraps(function)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return await once(args, kwargs)
        except Exception as error:
            corrected = correction_of(error, watch)
            if corrected is None:
                raise
        return await mend(watch, corrected, once=once)

    return watched


def _sync_once(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The same for a function that is called and not awaited."""

    def once(args: Any, kwargs: Any, corrects: Execution | None = None) -> Any:
        async def make(**more: Any) -> Any:
            return function(*args, **kwargs | more)

        pending = watch.begin(args, kwargs, corrects=corrects)
        turn = pending.turn
        if watch.acts and turn is not None:
            return run_to_end(_performing(watch, pending, turn=turn, hands=ON_THREAD).run(make))
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            disguised = watch.disguised(pending, result)
            if disguised is None:
                return _succeeded(watch, pending, result)
            failed = disguised
        tried = run_to_end(rescue(watch, failed, first=pending, make=make, hands=ON_THREAD))
        return _noted(watch, tried.last, turn)

    return once


def _wrap_sync(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    once = _sync_once(function, watch)

    async def again(args: Any, kwargs: Any, corrects: Execution) -> Any:
        return once(args, kwargs, corrects)

    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return once(args, kwargs)
        except Exception as error:
            corrected = correction_of(error, watch)
            if corrected is None:
                raise
        return run_to_end(mend(watch, corrected, once=again))

    return watched


def _performing(watch: Watch, pending: Pending, *, turn: OpenTurn, hands: Hands) -> Performing:
    return Performing(watch=watch, pending=pending, turn=turn, attempt=turn.attempt, hands=hands)


def _succeeded(watch: Watch, pending: Pending, result: Any) -> Any:
    took = watch.log_success(pending, result)
    turn = pending.turn
    if turn is not None:
        turn.attempt.asks = turn.attempt.asks or watch.declaration.review
        turn.attempt.notes.append(
            lambda: watch.execution_of(pending, result=result, duration_us=took)
        )
    return result


def _noted(watch: Watch, execution: Execution, turn: OpenTurn | None) -> Any:
    if turn is not None:
        turn.attempt.notes.append(lambda: execution)
    return conclude(watch, execution, turn=turn)
