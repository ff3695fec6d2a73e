"""The wrapper around a tool: same name, same signature, and a second shot where it is safe."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar, cast

from mulligan.turns.declaration import Declaration, is_async
from mulligan.turns.hands import ON_LOOP, ON_THREAD
from mulligan.turns.instruments import Instruments
from mulligan.turns.performing import perform
from mulligan.turns.signature import read_signature
from mulligan.turns.trying import rescue, result_of
from mulligan.turns.watch import Watch, was_stopped

P = ParamSpec("P")
R = TypeVar("R")


def wrap_tool(
    function: Callable[P, R], *, declaration: Declaration, instruments: Instruments
) -> Callable[P, R]:
    """Wrap a sync or async tool; the wrapper keeps its name, docstring and signature."""
    watch = Watch(declaration, signature=read_signature(function), instruments=instruments)
    wrapped: Any = (_wrap_async if is_async(function) else _wrap_sync)(function, watch)
    wrapped.mulligan = declaration
    return cast("Callable[P, R]", wrapped)


def _wrap_async(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @functools.wraps(function)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        pending = watch.begin(args, kwargs)
        attempt = None if pending.turn is None else pending.turn.attempt
        if attempt is not None:
            make = functools.partial(function, *args, **kwargs)
            return await perform(watch, pending, attempt=attempt, make=make, hands=ON_LOOP)
        # Most calls end here: nothing between the caller and the tool but the row.
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            watch.log_success(pending, result)
            return result
        # Outside the handler, or the second try's error would claim the first as its context.
        make = functools.partial(function, *args, **kwargs)
        return result_of(await rescue(watch, failed, first=pending, make=make, hands=ON_LOOP))

    return watched


def _wrap_sync(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        async def make() -> Any:
            return function(*args, **kwargs)

        pending = watch.begin(args, kwargs)
        attempt = None if pending.turn is None else pending.turn.attempt
        if attempt is not None:
            return run_to_end(perform(watch, pending, attempt=attempt, make=make, hands=ON_THREAD))
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            failed = watch.log_failure(pending, error)
            if was_stopped(error):
                raise
        else:
            watch.log_success(pending, result)
            return result
        return result_of(
            run_to_end(rescue(watch, failed, first=pending, make=make, hands=ON_THREAD))
        )

    return watched


def run_to_end(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that waits for no loop, on this thread: how sync tools share the code."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("R", done.value)
    steps.close()
    raise RuntimeError("A synchronous tool was handed something that waits for an event loop.")
