"""Async utilities: sync or async functions, timeouts, a loop of our own, modules loaded late."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
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


Works = list[asyncio.Future[Any]]

left_behind: ContextVar[Works | None] = ContextVar("mulligan_left", default=None)
"""Where work is noted that was told to end, and that nobody waits for any more. A variable, as what
is given up may have been begun anywhere below the loop, by code that knows of neither."""


async def run_with_timeout(work: Coroutine[Any, Any, T], *, within: timedelta | None) -> T:
    """What the work comes to, or a `TimeoutError`: late work is left behind, even if it goes on.

    `None`: however long it takes. Work that cancels itself has failed, and so has what raises
    beyond exceptions, such as a group of cancellations, or wants to end the program; none of them
    ends whoever waits. Only `KeyboardInterrupt` does, which is a person's.
    """
    task = asyncio.ensure_future(_catch_exit(work))
    try:
        await asyncio.wait({task}, timeout=None if within is None else within.total_seconds())
        if not task.done():
            raise TimeoutError
        if task.cancelled():
            # Its own doing, not ours: our caller goes on.
            raise ConnectionAbortedError("CancelledError")
        return _take_result(task)
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(_let_go)
            if (left := left_behind.get()) is not None:
                left.append(task)


async def _catch_exit(work: Coroutine[Any, Any, T]) -> T:
    """A task that raises `SystemExit` would end the event loop, and all who are on it."""
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
    """Take notice of how abandoned work ended, so that nobody complains that no one did."""
    if not task.cancelled():
        task.exception()


AnyTask = asyncio.Task[Any]

GRACE = 0.25
"""Seconds that work which is late already gets to end in good order."""

_left: list[AnyTask] = []
"""Those that did not let themselves be ended."""


def run_on_own_loop(main: Coroutine[Any, Any, T]) -> T:
    """What `asyncio.run` comes to, less the wait for work that was given up and does not end.

    Without such work all that was begun is waited for, as there.
    """
    late: Works = []
    context = contextvars.copy_context()
    context.run(left_behind.set, late)
    threads = _Threads()
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(threads)
        try:
            return runner.run(main, context=context)
        finally:
            threads.given_up = bool(late)
            if any(not task.done() for task in late):
                runner.run(_end_tasks(late))


async def _end_tasks(late: Works) -> None:
    """End what is left on this loop; what does not let itself be ended is no longer the loop's."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    # What is late was cancelled before: once more would end what it does to end in good order.
    for task in tasks.difference(late):
        task.cancel()
    _, stubborn = await asyncio.wait(tasks, timeout=GRACE)
    if stubborn:
        # Whatever becomes of them, there is nobody any more to whom it is news.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _told: None)
        _leave_for_good(stubborn)
        _report.warning(
            "%d tasks went on though their time was up and they were cancelled; they are left "
            "behind. See that what writes or judges lets itself be cancelled.",
            len(stubborn),
        )


def _leave_for_good(tasks: set[AnyTask]) -> None:
    """Let the loop close without these tasks, and never let go of them.

    A coroutine that is let go of is ended where that happens; one that does not let itself be ended
    would go on there. What the stack of a thread holds is not let go of, also at the program's end.
    """
    for task in tasks:
        asyncio.tasks._unregister_task(task)  # noqa: SLF001 - documented, for tasks of others
    if not _left:
        threading.Thread(target=_hold, args=(_left,), name="mulligan-left", daemon=True).start()
    _left.extend(tasks)


def _hold(_: list[AnyTask]) -> None:
    threading.Event().wait()


class _Threads(ThreadPoolExecutor):
    """The threads of `asyncio.to_thread`: a process never waits for one at its end."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._running: set[threading.Thread] = set()
        self.given_up = False
        """One of them may hang: nobody waits for any."""

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call it on a thread of its own."""
        answer: Future[T] = Future()

        def work() -> None:
            try:
                if answer.set_running_or_notify_cancel():
                    settle_future(answer, lambda: function(*args, **kwargs))
            finally:
                self._running.discard(thread)

        thread = threading.Thread(target=work, name="mulligan-thread", daemon=True)
        self._running.add(thread)
        thread.start()
        return answer

    def shutdown(self, wait: bool = True, **_: Any) -> None:  # noqa: FBT001, FBT002 - as it is called
        """Wait for those that run, unless one of them may hang."""
        while wait and not self.given_up and self._running:
            for thread in tuple(self._running):
                thread.join()


def settle_future(answer: Future[T], work: Callable[[], T]) -> None:
    """Put what some work comes to where somebody waits for it."""
    try:
        answer.set_result(work())
    except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
        answer.set_exception(error)


class LateModules:
    """Some modules that are asked for by name, and whether they are there yet."""

    def __init__(self, *names: str) -> None:
        self.names: Sequence[str] = names
        self.loaded = False

    def load(self) -> None:
        """Load all of them; it takes a tenth of a second, the first time."""
        for name in self.names:
            import_module(name)
        self.loaded = True

    async def load_beside_loop(self) -> None:
        """Load them while the event loop goes on."""
        done: Future[None] = Future()
        # A thread of its own: those that the loop has may all wait for the call that needs them.
        threading.Thread(target=self._load_for, args=(done,), daemon=True).start()
        await asyncio.wrap_future(done)

    def _load_for(self, done: Future[None]) -> None:
        with suppress(Exception):  # who needs it says so where it is needed
            self.load()
        with suppress(InvalidStateError):  # nobody waits any more
            done.set_result(None)


def read_utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)
