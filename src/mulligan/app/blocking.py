"""`Mulligan` for programs without an event loop: what waits on the thread that calls it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from mulligan.app.turn_opener import About
from mulligan.app.wiring import Parts, on_brief_loop
from mulligan.core.errors import ConfigurationError, RunningLoopError
from mulligan.turns.tools.readers import read_name
from mulligan.turns.turn.act import Agent, Done
from mulligan.turns.turn.context import OpenTurn

if TYPE_CHECKING:
    from mulligan.turns.turn.reply import Rewrite

R = TypeVar("R")

AnyAgent = Callable[[OpenTurn], object]
"""What acts: a plain function or an async one."""

STOPPING = 5.0
"""Seconds that an interrupted program waits for its turn to end in good order."""


class Blocking:
    """The forms of `Mulligan`'s methods for programs that never await."""

    _parts: Parts

    @abstractmethod
    async def act(
        self,
        message: str,
        agent: AnyAgent,
        /,
        *,
        rewrite: Rewrite | None = None,
        **about: Unpack[About],
    ) -> Done:
        """Let an agent act on a request."""

    @abstractmethod
    async def recover(self) -> int:
        """Look after what was left."""

    def act_sync(
        self,
        message: str,
        agent: AnyAgent,
        /,
        *,
        rewrite: Rewrite | None = None,
        **about: Unpack[About],
    ) -> Done:
        """`act` for a program without an event loop.

        A plain agent runs on the thread that calls this, where no event loop runs, so that it may
        use what belongs to that thread and call what brings a loop of its own. What a turn leaves
        open is looked after by a thread in the background.
        """
        refuse_running_loop(instead="await m.act(…)")
        about.setdefault("agent", read_name(agent))
        here = None if is_async_agent(agent) else WaitingThread()
        called = agent if here is None else here.bring(agent)

        async def act_alone() -> Done:
            # The loop ends with this turn, and so would recovery on it: it is waited for.
            if self._parts.recover:
                await self._parts.timer.run_once()
            done = await self.act(message, called, rewrite=rewrite, **about)
            if done.open_actions:
                await self._parts.timer.run_once()
            return done

        with on_brief_loop():
            return asyncio.run(act_alone()) if here is None else here.run(act_alone)

    def recover_sync(self) -> int:
        """`recover` for a program without an event loop."""
        refuse_running_loop(instead="await m.recover()")
        with on_brief_loop():
            return asyncio.run(self.recover())


def refuse_running_loop(*, instead: str) -> None:
    """Refuse to hold up an event loop, in words that say what to write."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RunningLoopError(
        "An event loop runs here, as in a notebook or an async function, and this call would hold "
        f"it up. Nothing was done. Write `{instead}` instead; a notebook takes that as it is."
    )


def is_async_agent(agent: AnyAgent) -> bool:
    """Whether an agent is to be awaited: an async function, or an object whose call is one."""
    call = getattr(agent, "__call__", None)  # noqa: B004 - whether it can be called is not asked
    return inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(call)


def refuse_generator(reply: object) -> None:
    """A generator has done nothing yet, and would do it outside of its turn, reviewed by nobody."""
    if inspect.isgenerator(reply) or inspect.isasyncgen(reply):
        raise ConfigurationError(
            "An agent gives its reply once, so that it can be reviewed before anybody sees it, and "
            "this one yields. It was not begun. Collect what it yields, and return it."
        )


def as_async(agent: AnyAgent) -> Agent:
    """The agent as one to await; a plain function runs in a thread, in its turn all the same."""

    async def call_aside(turn: OpenTurn) -> object:
        return await _await_answer(await asyncio.to_thread(agent, turn))

    async def call_here(turn: OpenTurn) -> object:
        return await _await_answer(agent(turn))

    return call_here if is_async_agent(agent) else call_aside


class WaitingThread:
    """A thread that waits for an event loop beside it, and meanwhile runs what belongs here."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stop: Callable[[], object] = lambda: None

    def bring(self, agent: AnyAgent) -> Agent:
        """The agent as one to await on the loop, which runs on the thread that waits."""

        async def call_there(turn: OpenTurn) -> object:
            answer: Future[object] = Future()
            work = partial(contextvars.copy_context().run, agent, turn)
            self._jobs.put(partial(_settle, answer, work))
            return await _await_answer(await asyncio.wrap_future(answer))

        return call_there

    def run(self, steps: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Run to the end on a loop beside this thread."""
        done: Future[R] = Future()

        async def run_steps() -> R:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            if task is not None:
                self._stop = partial(loop.call_soon_threadsafe, task.cancel)
            return await steps()

        def run_loop() -> None:
            _settle(done, lambda: asyncio.run(run_steps()))
            self._jobs.put(None)

        work = contextvars.copy_context()
        beside = threading.Thread(
            target=work.run, args=(run_loop,), name="mulligan-act", daemon=True
        )
        beside.start()
        try:
            while (job := self._jobs.get()) is not None:
                job()
        except BaseException:
            self._stop()
            beside.join(STOPPING)
            raise
        beside.join()
        return done.result()


def _settle(answer: Future[R], work: Callable[[], R]) -> None:
    try:
        answer.set_result(work())
    except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
        answer.set_exception(error)


async def _await_answer(answer: object) -> object:
    reply = await answer if isinstance(answer, Awaitable) else answer
    refuse_generator(reply)
    return reply
