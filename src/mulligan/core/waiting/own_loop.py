"""An event loop of our own, for somebody who waits: it does not outlast what they wait for."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from mulligan.core.waiting.timeouts import Works, left_behind

T = TypeVar("T")
AnyTask = asyncio.Task[Any]

GRACE = 0.25
"""Seconds that work which is late already gets to end in good order."""

_left: list[AnyTask] = []
"""Those that did not let themselves be ended."""

_report = logging.getLogger("mulligan")


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
