"""Functions of others may be sync or async: what they answer, waited for if it must be."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


async def await_value(answer: T | Awaitable[T]) -> T:
    """The answer itself; awaited, where what was called is async."""
    if inspect.isawaitable(answer):
        return await answer
    return answer


def is_async(function: object) -> bool:
    """Whether a call of it only begins something: an async function, or an object that is one."""
    call = getattr(function, "__call__", None)  # noqa: B004 - whether it can be called is not asked
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


async def call_function(function: Callable[..., Any], /, *given: object, **named: object) -> Any:
    """What a function of others answers; a plain one runs beside the loop, which it never holds."""
    if is_async(function):
        return await function(*given, **named)
    return await await_value(await call_aside(function, *given, **named))


async def call_aside(function: Callable[..., Any], /, *given: object, **named: object) -> Any:
    """What a plain function returns, called on a thread of its own.

    Of its own, and one that no process waits for at its end: a function that hangs takes no place
    from others, and keeps nobody from leaving.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    call = partial(contextvars.copy_context().run, function, *given, **named)
    threading.Thread(
        target=_answer_from_thread, args=(call, answer, loop), name="mulligan-aside", daemon=True
    ).start()
    return await answer


def _answer_from_thread(
    call: Callable[[], Any], answer: asyncio.Future[Any], loop: asyncio.AbstractEventLoop
) -> None:
    try:
        settle = partial(_settle, answer, result=call())
    except StopIteration as error:
        # No future takes it: it would end whoever waits.
        settle = partial(_settle, answer, error=RuntimeError(repr(error)))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to who waits
        settle = partial(_settle, answer, error=error)
    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return  # nobody is there any more to hear it


def _settle(
    answer: asyncio.Future[Any], *, result: object = None, error: BaseException | None = None
) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)
