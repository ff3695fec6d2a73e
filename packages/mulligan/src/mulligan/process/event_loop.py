"""Event loops: one of our own, which waits for no abandoned work, and a thread that waits for one;
modules loaded late.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

_report = logging.getLogger("mulligan")

Works = list[asyncio.Future[Any]]

left_behind: ContextVar[Works | None] = ContextVar("mulligan_left", default=None)
"""Where work is noted that was told to end, and that has no waiter any more. A variable, as what is
given up may have been begun anywhere below the loop, by code that knows of neither."""

AnyTask = asyncio.Task[Any]

GRACE = 0.25
"""Seconds that work which is late already gets to end in good order."""

_left: list[AnyTask] = []
"""Those that did not let themselves be ended."""


def run_on_own_loop(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, without waiting for abandoned work that does not end.

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
    if not tasks:
        return
    _, stubborn = await asyncio.wait(tasks, timeout=GRACE)
    if stubborn:
        # No waiter is left to report their result to.
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _told: None)
        leave_for_good(stubborn)


def leave_for_good(tasks: set[AnyTask]) -> None:
    """Let the loop close without these tasks, and never let go of them.

    A coroutine that is let go of is ended where that happens; one that does not let itself be ended
    would go on there. What the stack of a thread holds is not let go of, also at the program's end.
    """
    for task in tasks:
        asyncio.tasks._unregister_task(task)  # noqa: SLF001 - documented, for tasks of others
    if not _left:
        threading.Thread(target=_hold, args=(_left,), name="mulligan-left", daemon=True).start()
    _left.extend(tasks)
    for task in tasks:
        task.add_done_callback(_left.remove)
    _report.warning(
        "%d tasks kept running after their timeout and cancellation; they are abandoned. "
        "Make sure that writers and judges can be cancelled.",
        len(tasks),
    )


def _hold(_: list[AnyTask]) -> None:
    threading.Event().wait()


class _Threads(ThreadPoolExecutor):
    """The threads of `asyncio.to_thread`: a process never waits for one at its end."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._running: set[threading.Thread] = set()
        self.given_up = False
        """One of them may hang: none is waited for."""

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
    """Hand the result of some work to its waiter."""
    try:
        result = work()
    except StopIteration as error:  # no coroutine can raise it: its waiter would wait for ever
        answer.set_exception(RuntimeError(repr(error)))
    except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
        answer.set_exception(error)
    else:
        answer.set_result(result)


def call_beside(work: Callable[[], T], *, name: str) -> Future[T]:
    """Do some work on a thread of its own, which no process waits for at its end."""
    answer: Future[T] = Future()
    answer.set_running_or_notify_cancel()  # who stops waiting for it does not stop it
    threading.Thread(target=settle_future, args=(answer, work), name=name, daemon=True).start()
    return answer


STOPPING = 5.0
"""Seconds that an interrupted program waits for its turn to end in good order."""


class WaitingThread:
    """A thread that waits for an event loop beside it, and meanwhile runs what belongs here."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        """The one that is waited for; `None`: not yet, or no longer."""
        self._stop: Callable[[], object] = lambda: None

    def waits_for_this_loop(self) -> bool:
        """Whether it waits for the event loop that runs here."""
        try:
            return self._loop is asyncio.get_running_loop()
        except RuntimeError:  # none runs here, as on the waiting thread itself
            return False

    def bring(self, function: Callable[..., T]) -> Callable[..., Awaitable[T]]:
        """The function as one to await on the loop, which runs on the thread that waits."""

        async def call_there(*args: object, **kwargs: object) -> T:
            answer: Future[T] = Future()
            work = partial(contextvars.copy_context().run, function, *args, **kwargs)
            with self._lock:
                waits = self._loop is not None
                if waits:
                    self._jobs.put((answer, work))
            return await _wait_to_end(answer) if waits else work()

        return call_there

    def run(self, steps: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run to the end on a loop beside this thread, which ends with it."""
        done: Future[T] = Future()

        async def run_steps() -> T:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            if task is not None:
                self._stop = partial(loop.call_soon_threadsafe, task.cancel)
            return await self._serve(loop, steps())

        def run_loop() -> None:
            settle_future(done, lambda: run_on_own_loop(run_steps()))
            self._jobs.put(None)

        work = contextvars.copy_context()
        beside = threading.Thread(
            target=work.run, args=(run_loop,), name="mulligan-act", daemon=True
        )
        self._work_until_done(beside.start)
        beside.join()
        return done.result()

    def run_on(self, loop: asyncio.AbstractEventLoop, steps: Coroutine[Any, Any, T]) -> T:
        """Run to the end on a loop that goes on afterwards."""
        done: Future[T] = Future()

        def begin() -> None:
            nonlocal done
            done = asyncio.run_coroutine_threadsafe(self._serve(loop, steps), loop)
            self._stop = done.cancel
            done.add_done_callback(lambda _: self._jobs.put(None))

        self._work_until_done(begin)
        return done.result()

    async def _serve(self, loop: asyncio.AbstractEventLoop, steps: Coroutine[Any, Any, T]) -> T:
        self._loop = loop
        _waits.set(self)
        return await steps

    def _work_until_done(self, begin: Callable[[], None]) -> None:
        try:
            begin()
            self._work(None)
        except BaseException:
            self._stop()
            with suppress(Empty):  # what ends in good order may belong to this thread
                self._work(time.monotonic() + STOPPING)
            raise
        finally:
            with self._lock:
                self._loop = None
            while not self._jobs.empty():
                if (left := self._jobs.get()) is not None:
                    left[0].cancel()

    def _work(self, until: float | None) -> None:
        """Do what is brought, to the end of the loop's work; `Empty`: until then there was none."""
        while True:
            rest = None if until is None else max(0.0, until - time.monotonic())
            if (job := self._jobs.get(timeout=rest)) is None:
                return
            if job[0].set_running_or_notify_cancel():
                settle_future(*job)


async def _wait_to_end(answer: Future[T]) -> T:
    """The result; who is cancelled waits for what has begun, as if it ran where it is awaited."""
    waiting = asyncio.wrap_future(answer)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        if not answer.cancel():
            await asyncio.wait({waiting})
            waiting.exception()  # it belongs to nobody now
        raise


_waits: ContextVar[WaitingThread | None] = ContextVar("mulligan_waits", default=None)
"""A variable, as a function of a tool that is called on the loop may be called from anywhere."""


STEPPED = threading.local()
"""Whether a coroutine is run on this thread which can wait for no loop, as those of sync tools."""


def find_waiting_thread() -> WaitingThread | None:
    """The thread that waits for the event loop on which this was awaited, if one does."""
    waits = _waits.get()
    if waits is None or getattr(STEPPED, "here", False) or not waits.waits_for_this_loop():
        return None
    return waits


def leave_waiting_thread() -> None:
    """Call all functions where they are awaited, from here on: nobody may be waiting by then."""
    _waits.set(None)


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
        # A thread of its own: those that the loop has may all wait for the call that needs them.
        done = call_beside(self.load, name="mulligan-load")
        with suppress(Exception):  # code that needs it says so
            await asyncio.wrap_future(done)


def read_utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def call_on_fork(
    *,
    before: Callable[[], object] | None = None,
    after_in_parent: Callable[[], object] | None = None,
    after_in_child: Callable[[], object] | None = None,
) -> None:
    """From now on, call these at every fork of this process."""
    hooks = {
        "before": before,
        "after_in_parent": after_in_parent,
        "after_in_child": after_in_child,
    }
    register = getattr(os, "register_at_fork", None)
    if register is not None:
        register(**{name: hook for name, hook in hooks.items() if hook is not None})
