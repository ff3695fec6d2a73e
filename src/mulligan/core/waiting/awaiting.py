"""Functions of others may be sync or async: what they answer, waited for if it must be."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

HELD_UP = 0.5
"""Seconds that an async function may keep the event loop for itself, between two awaits."""

_report = logging.getLogger("mulligan")


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
        work = function(*given, **named)
        if not _is_ours(function):
            work = watch_steps(work, name=name_function(function))
        return await await_value(await work)
    return await await_value(await call_aside(function, *given, **named))


def _is_ours(function: object) -> bool:
    """What calls a function of others in its place: that one is watched, and named."""
    return str(getattr(function, "__module__", "")).startswith("mulligan.")


def name_function(function: object) -> str:
    """What a person calls it: its own name, else that of its class."""
    named = getattr(function, "__qualname__", None) or getattr(function, "name", None)
    return named if isinstance(named, str) else type(function).__name__


def takes_arguments(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many values; of what has no signature nobody knows."""
    try:
        signature = inspect.signature(function)
    except Exception:  # noqa: BLE001 - an object of others may raise anything when it is asked
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def watch_steps(work: Awaitable[T], *, name: str) -> Awaitable[T]:
    """The same work; where it keeps the event loop for itself, that is said, and by its name.

    Nothing else goes on meanwhile: no other turn, and no limit of time.
    """
    return _TimedSteps(work, name) if inspect.iscoroutine(work) else work


class _TimedSteps:
    """A coroutine, each of whose steps is timed."""

    __slots__ = ("_name", "_work")

    def __init__(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._work = work
        self._name = name

    def __await__(self) -> _TimedSteps:
        return self

    def __iter__(self) -> _TimedSteps:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        return self._take_step(self._work.send, value)

    def throw(self, *error: Any) -> Any:
        return self._take_step(self._work.throw, *error)

    def close(self) -> None:
        self._work.close()

    def _take_step(self, step: Callable[..., Any], *given: Any) -> Any:
        began = time.monotonic()
        try:
            return step(*given)
        finally:
            took = time.monotonic() - began
            if took >= HELD_UP:
                _report.warning(
                    "%s held up the event loop for %.1f s, and no limit could hold meanwhile. "
                    "Await what takes long, or make it a plain function, which runs on a thread.",
                    self._name,
                    took,
                )


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
    except (SystemExit, KeyboardInterrupt) as error:
        # They would end the program, and no person asked for that: signals go to its main thread.
        settle = partial(_settle, answer, error=ConnectionAbortedError(type(error).__name__))
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
