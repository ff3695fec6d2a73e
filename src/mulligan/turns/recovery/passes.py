"""One pass of recovery, which can be taken off an event loop that stopped in the middle of it."""

from __future__ import annotations

import asyncio
import threading
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_current: ContextVar[Pass | None] = ContextVar("mulligan_pass", default=None)


class Pass:
    """What runs until it is over or taken away: then no step of it is made any more.

    A loop that was only run until a request was answered leaves it in the middle of an undo, and
    may go on with it at any time. Each step is made under a lock, so that whoever takes it away
    can do what is left without ever doing it twice.
    """

    def __init__(self) -> None:
        self._stepping = threading.RLock()
        self._works: dict[Coroutine[Any, Any, Any], tuple[Context, asyncio.Task[Any]]] = {}
        self._taken = False

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start it on the loop that runs here, whose end does not cancel it."""
        context = copy_context()
        context.run(_current.set, self)
        create = asyncio.get_running_loop().create_task
        return self._start(work, context, create)

    def start_part(
        self, work: Coroutine[Any, Any, T], *, group: asyncio.TaskGroup
    ) -> asyncio.Task[T]:
        """Start a part of it beside the others."""
        return self._start(work, copy_context(), group.create_task)

    def take_away(self) -> None:
        """Close all that was begun, from any thread. What it had taken up is nobody's again."""
        with self._stepping:
            self._taken = True
            for work, (context, task) in list(self._works.items()):
                _close(work, context)
                with suppress(RuntimeError):  # its loop is closed
                    task.get_loop().call_soon_threadsafe(task.cancel)

    def _start(
        self,
        work: Coroutine[Any, Any, T],
        context: Context,
        create: Callable[..., asyncio.Task[T]],
    ) -> asyncio.Task[T]:
        task = create(self._guard(work, context), context=context)
        self._works[work] = context, task
        task.add_done_callback(partial(self._forget, work))
        # Not among those that are cancelled when a loop ends: whoever started it waits for it.
        let_go(task)
        asyncio._unregister_task(task)  # noqa: SLF001 - a documented name, for whoever brings tasks
        return task

    def _forget(self, work: Coroutine[Any, Any, Any], _: object) -> None:
        """It is over; what was cancelled before its first step is closed here."""
        self._works.pop(work, None)
        work.close()

    async def _guard(self, work: Coroutine[Any, Any, T], context: Context) -> T:
        try:
            return await self._make_steps(work)
        except GeneratorExit:
            # Its loop is gone, and it goes too.
            _close(work, context)
            raise

    @types.coroutine
    def _make_steps(self, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        step: Callable[[], Any] = partial(work.send, None)
        while True:
            with self._stepping:
                if self._taken:
                    raise asyncio.CancelledError
                try:
                    waits_for = step()
                except StopIteration as done:
                    result: T = done.value
                    return result
            try:
                given = yield waits_for
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - it is the work that is told
                step = partial(work.throw, error)
            else:
                step = partial(work.send, given)


def start_part(work: Coroutine[Any, Any, T], *, group: asyncio.TaskGroup) -> asyncio.Task[T]:
    """Start a part of the pass that goes on here, or of none, as when somebody asks for one."""
    current = _current.get()
    return group.create_task(work) if current is None else current.start_part(work, group=group)


def let_go(task: asyncio.Task[Any]) -> None:
    """Let a task go with its loop: nobody is warned, as the next pass finds what it leaves."""
    # As `asyncio.gather` does; there is no other way.
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001


def _close(work: Coroutine[Any, Any, Any], context: Context) -> None:
    """Let it leave in its own context: what it has set there is only put back there."""
    try:
        context.run(work.close)
    except (RuntimeError, ValueError):
        # This is its context, or it asks itself; or it waits where it leaves, and nobody can here.
        with suppress(RuntimeError, ValueError):
            work.close()
