"""The wrapper around a tool: same name, same signature, and a second shot where it is safe."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar, cast

from mulligan.core.call import Execution, Outcome
from mulligan.core.event import CallRepaired
from mulligan.loops.calls import Retrying, second_try
from mulligan.turns.declaration import Declaration
from mulligan.turns.instruments import Instruments
from mulligan.turns.signature import read_signature
from mulligan.turns.watch import Pending, Watch, was_stopped

P = ParamSpec("P")
R = TypeVar("R")


def wrap_tool(
    function: Callable[P, R], *, declaration: Declaration, instruments: Instruments
) -> Callable[P, R]:
    """Wrap a sync or async tool; the wrapper keeps its name, docstring and signature."""
    watch = Watch(declaration, signature=read_signature(function), instruments=instruments)
    wrapped: Any = (_wrap_async if _is_async(function) else _wrap_sync)(function, watch)
    wrapped.mulligan = declaration
    return cast("Callable[P, R]", wrapped)


def _is_async(function: Callable[..., object]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__
    )


def _wrap_async(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @functools.wraps(function)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        pending = watch.begin(args, kwargs)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            failed = watch.fail(pending, error)
            if was_stopped(error):
                raise

            async def again(number: int) -> Execution:
                return await _try_again(
                    watch, pending, number=number, call=lambda: function(*args, **kwargs)
                )

            last = await _rescue(watch, failed, again, sleep=asyncio.sleep)
            if last is failed:
                raise
            return _result_of(last)
        watch.succeed(pending, result)
        return result

    return watched


def _wrap_sync(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        pending = watch.begin(args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            failed = watch.fail(pending, error)
            if was_stopped(error):
                raise

            async def call() -> Any:
                return function(*args, **kwargs)

            async def again(number: int) -> Execution:
                return await _try_again(watch, pending, number=number, call=call)

            last = run_to_end(_rescue(watch, failed, again, sleep=_sleep_here))
            if last is failed:
                raise
            return _result_of(last)
        watch.succeed(pending, result)
        return result

    return watched


async def _try_again(
    watch: Watch, first: Pending, *, number: int, call: Callable[[], Coroutine[Any, Any, Any]]
) -> Execution:
    pending = watch.begin_again(first, try_number=number)
    try:
        result = await call()
    except BaseException as error:
        failed = watch.fail(pending, error)
        if was_stopped(error):
            raise
        return failed
    return watch.succeeded(pending, result)


async def _rescue(
    watch: Watch,
    failed: Execution,
    again: Callable[[int], Coroutine[Any, Any, Execution]],
    *,
    sleep: Callable[[float], Coroutine[Any, Any, None]],
) -> Execution:
    """Try again where the matrix allows it. The last execution: a success, or the final failure."""
    instruments = watch.instruments
    executions = await second_try(
        failed,
        again=again,
        effect=watch.declaration.effect,
        repeat=watch.declaration.repeat,
        mode=watch.declaration.mode,
        using=Retrying(
            budget=instruments.budget,
            breaker=watch.breaker,
            backoff=instruments.backoff,
            sleep=sleep,
            chance=instruments.chance.random,
            monotonic=instruments.monotonic,
            announce=instruments.events.publish,
        ),
    )
    last = executions[-1]
    if last.outcome is Outcome.SUCCESS:
        instruments.events.publish(
            CallRepaired(call=last.call.id, tool=last.call.tool, tries=last.try_number)
        )
    return last


def _result_of(execution: Execution) -> object:
    failure = execution.failure
    if failure is not None and failure.error is not None:
        raise failure.error
    return execution.result


async def _sleep_here(seconds: float) -> None:
    """Wait on this thread; but never make an event loop that runs on it wait."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        time.sleep(seconds)  # noqa: ASYNC251 - there is no loop on this thread to hold up


def run_to_end(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that waits for no loop, on this thread: how sync tools share the code."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("R", done.value)
    steps.close()
    raise RuntimeError("A synchronous tool was handed something that waits for an event loop.")
