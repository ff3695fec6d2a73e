"""The one door to functions of users: checks, writers, critics, judges, scores, strategies.

A plain function runs on a thread of its own, so that it holds up no event loop and no exit; an
async one runs on the loop. Either may take as long as it is given, and no longer. What it raises
beyond exceptions (an exit, a cancellation of itself) is a failure of its own, never of its caller.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as FutureTimeoutError
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from mulligan.process.event_loop import find_waiting_thread, leave_for_good, left_behind

T = TypeVar("T")

ANSWERS_WITHIN = timedelta(seconds=30)
"""How long a function may take for one answer, where nothing else limits it."""
MOST_AWAITED = 8
"""Awaitables that may answer with one another."""
HELD_UP = 0.5
"""Seconds that an async function may keep the event loop for itself, between two awaits."""

_report = logging.getLogger("mulligan")


async def call_function(
    function: Callable[..., Any],
    /,
    *given: object,
    within: timedelta | None = None,
    read: Callable[[Any], Any] | None = None,
) -> Any:
    """What a function of others answers, sync or async; late, it is a `TimeoutError`.

    `within` is `None`: however long it takes. `read` makes something of the answer where the
    function ran, so that an answer that hangs or fails when it is looked at is bounded too. A plain
    function of our own runs at once.
    """
    if is_async(function) or not is_ours(function):
        return await run_with_timeout(_call(function, given, read), within=within)
    answer = _call_and_read(function, given, read)
    if not isinstance(answer, Begun):
        return answer
    return await run_with_timeout(_finish(answer.work, read), within=within)


def call_function_now(
    function: Callable[..., Any],
    /,
    *given: object,
    within: timedelta,
    read: Callable[[Any], Any] | None = None,
) -> Any:
    """The same for a caller that awaits nothing; what a function has only begun is a `Begun`."""
    if is_ours(function):
        return _call_and_read(function, given, read)
    answer: Future[Any] = Future()
    call = partial(contextvars.copy_context().run, _call_and_read, function, given, read)
    _start_thread(partial(_settle_caught, call, answer))
    try:
        return answer.result(timeout=within.total_seconds())
    except FutureTimeoutError:
        if answer.done():
            raise
        _give_up(answer)
        raise TimeoutError from None


async def call_here(
    function: Callable[..., Any], /, *given: object, within: timedelta | None = None
) -> Any:
    """The same for a function that may belong to the thread of its caller, as a tool's own do.

    Where a thread waits for this event loop, a plain one runs there, as the agent and its tools do.
    It may also belong to the task of its caller, who sees to it that an undo comes to its end. A
    plain one cannot be bounded, nor one that swallows its cancellation.
    """
    thread = None if is_async(function) else find_waiting_thread()
    answer: Any
    try:
        answer = function(*given) if thread is None else thread.bring(function)(*given)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConnectionAbortedError(type(error).__name__) from error
    try:
        if thread is not None:
            answer = await answer
        if within is None or not inspect.isawaitable(answer):
            return await await_value(answer)
        async with asyncio.timeout(within.total_seconds()):
            return await answer
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        raise ConnectionAbortedError(type(error).__name__) from error


def _is_cancelled() -> bool:
    """Whether somebody else has cancelled the task that runs here."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop runs here
        return False
    return task is not None and task.cancelling() > 0


async def _call(
    function: Callable[..., Any], given: tuple[object, ...], read: Callable[[Any], Any] | None
) -> Any:
    if is_async(function):
        answer = function(*given)
        if not is_ours(function):
            answer = watch_steps(answer, name=name_function(function))
    else:
        answer = await call_aside(_call_and_read, function, given, read)
        if not isinstance(answer, Begun):
            return answer
        answer = answer.work
    return await _finish(answer, read)


async def _finish(work: Any, read: Callable[[Any], Any] | None) -> Any:
    answer = await wait_for_answer(work)
    return answer if read is None else await read_answer(read, answer)


async def read_answer(read: Callable[[Any], Any], answer: object) -> Any:
    """What is read of an answer; a plain generator works only now, so beside the event loop."""
    return await call_aside(read, answer) if isinstance(answer, Iterator) else read(answer)


class Begun:
    """What a plain function has only begun: the rest belongs on the event loop."""

    def __init__(self, work: Any) -> None:
        self.work = work


def _call_and_read(
    function: Callable[..., Any], given: tuple[object, ...], read: Callable[[Any], Any] | None
) -> Any:
    answer = function(*given)
    if is_waited_for(answer):
        return Begun(answer)
    return answer if read is None else read(answer)


async def wait_for_answer(answer: Any) -> Any:
    """The value behind awaitables and async generators."""
    answer = await _await_nested(answer)
    if hasattr(answer, "__aiter__"):
        return [each async for each in answer]
    return answer


async def _await_nested(answer: Any) -> Any:
    for _ in range(MOST_AWAITED):
        if not inspect.isawaitable(answer):
            break
        answer = await answer
    return answer


async def iterate_answer(function: Callable[..., Any], /, *given: object) -> AsyncIterator[Any]:
    """An answer in the pieces of its generator, plain or async; any other answer is one piece."""
    if is_async(function) or is_ours(function):
        answer = function(*given)
        answer = answer if is_ours(function) else watch_steps(answer, name=name_function(function))
    else:
        answer = await call_aside(function, *given)
    answer, end = await _await_nested(answer), object()
    if hasattr(answer, "__aiter__"):
        async for piece in answer:
            yield piece
            await asyncio.sleep(0)  # one that never waits would keep the loop for itself
    elif isinstance(answer, Iterator):
        while (piece := await call_aside(next, answer, end)) is not end:
            yield piece
    else:
        yield answer


def is_waited_for(answer: object) -> bool:
    """Whether an answer has to be awaited."""
    return inspect.isawaitable(answer) or hasattr(answer, "__aiter__")


async def await_value(answer: T | Awaitable[T]) -> T:
    """The answer itself; awaited, where what was called is async."""
    if inspect.isawaitable(answer):
        return await answer
    return answer


def is_async(function: object) -> bool:
    """Whether a call of it only begins something: an async function, or an object that is one."""
    call = getattr(function, "__call__", None)  # noqa: B004 - whether it can be called is not asked
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def is_ours(function: object) -> bool:
    """Whether it is one of our own, which neither hangs nor exits."""
    whole = getattr(function, "look", None) or getattr(function, "func", None) or function
    return str(getattr(whole, "__module__", "")).startswith("mulligan.")


def name_function(function: object) -> str:
    """What a person calls it: its own name, else that of its class."""
    function = getattr(function, "func", function)
    named = getattr(function, "__qualname__", None) or getattr(function, "name", None)
    return named if isinstance(named, str) else type(function).__name__


def takes_arguments(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many values; unknown for what has no signature."""
    try:
        signature = inspect.signature(function)
    except Exception:  # noqa: BLE001 - an object of others may raise anything when it is asked
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True


def takes_name(function: Callable[..., Any], name: str) -> bool:
    """Whether it has a parameter of that name."""
    try:
        return name in inspect.signature(function).parameters
    except Exception:  # noqa: BLE001 - an object of others may raise anything when it is asked
        return False


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
                    "%s held up the event loop for %.1f s, and no timeout could be enforced "
                    "meanwhile. Await what takes long, or make it a plain function, which runs "
                    "on a thread.",
                    self._name,
                    took,
                )


async def call_aside(function: Callable[..., Any], /, *given: object) -> Any:
    """What a plain function returns, called on a thread of its own.

    Of its own, and one that no process waits for at its end: a function that hangs takes no place
    from others, and does not block the process's exit.
    """
    answer: Future[Any] = Future()
    call = partial(contextvars.copy_context().run, function, *given)
    _start_thread(partial(_settle_caught, call, answer))
    try:
        return await asyncio.wrap_future(answer)
    except asyncio.CancelledError:
        _give_up(answer)
        raise


def _give_up(answer: Future[Any]) -> None:
    """Nobody waits for it any more: what has only begun is closed, also if it comes later."""
    if not answer.cancel() and answer.exception() is None:
        close_unbegun(answer.result())


def close_unbegun(answer: object) -> None:
    """Close what will not be awaited, of which Python would warn."""
    work = answer.work if isinstance(answer, Begun) else answer
    if inspect.iscoroutine(work) and inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
        work.close()


def _start_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="mulligan-aside", daemon=True).start()


def _settle_caught(call: Callable[[], Any], answer: Future[Any]) -> None:
    """Hand on what a call returns or raises, but nothing that would end the waiter."""
    try:
        result, failure = call(), None
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to the waiter
        # No future takes a StopIteration: it would end the waiter.
        stopped = isinstance(error, StopIteration)
        result, failure = None, RuntimeError(repr(error)) if stopped else error
    except BaseException as error:  # noqa: BLE001 - nobody asked for it: signals go to the main thread
        result, failure = None, ConnectionAbortedError(type(error).__name__)
    try:
        if failure is None:
            answer.set_result(result)
        else:
            answer.set_exception(failure)
    except (InvalidStateError, RuntimeError):  # no caller is left to get it
        close_unbegun(result)


async def run_with_timeout(work: Coroutine[Any, Any, T], *, within: timedelta | None) -> T:
    """The result of the work, or a `TimeoutError`: late work is left behind, even if it goes on.

    `None`: however long it takes. Work that cancels itself has failed, and so has what raises
    beyond exceptions, such as a group of cancellations, or wants to end the program; none of them
    ends the waiter. Only `KeyboardInterrupt` does, which comes from a person.
    """
    task = asyncio.ensure_future(_catch_exit(work))
    # One that is cancelled before its first step would leave the work behind.
    task.add_done_callback(lambda _: work.close())
    try:
        await asyncio.wait({task}, timeout=None if within is None else within.total_seconds())
    except asyncio.CancelledError:
        # Half as many: whoever gave this up waits for it in turn.
        await _abandon(task, steps=LAST_STEPS // 2)
        raise
    except BaseException:
        task.cancel()
        raise
    if not task.done():
        await _abandon(task, steps=LAST_STEPS)
        raise TimeoutError
    if task.cancelled():
        # Its own doing, not ours: our caller goes on.
        raise ConnectionAbortedError("CancelledError")
    return _take_result(task)


LAST_STEPS = 100
"""Steps of its loop that late work gets to end in good order; they take no time of its waiter's."""


async def _abandon(task: asyncio.Task[Any], *, steps: int) -> None:
    """End late work; what does not let itself be ended no longer keeps its loop from closing."""
    task.cancel()
    task.add_done_callback(_let_go)
    if (left := left_behind.get()) is not None:
        left.append(task)  # a loop of our own waits for it at its end
        return
    while steps and not task.done():
        steps -= 1
        await asyncio.sleep(0)
    if not task.done():
        leave_for_good({task})


async def _catch_exit(work: Coroutine[Any, Any, T]) -> T:
    """A task that raises `SystemExit` would end the event loop, and everything on it."""
    try:
        return await work
    except SystemExit as error:
        raise ConnectionAbortedError("SystemExit") from error


def _take_result(task: asyncio.Future[T]) -> T:
    try:
        return task.result()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConnectionAbortedError(type(error).__name__) from error


def _let_go(task: asyncio.Future[Any]) -> None:
    """Take notice of how abandoned work ended, so that no warning is logged."""
    if not task.cancelled():
        task.exception()
