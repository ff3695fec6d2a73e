"""`Mulligan` for programs without an event loop: what waits on the thread that calls it."""

from __future__ import annotations

import asyncio
import inspect
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Unpack

from mulligan.app.turn_opener import About
from mulligan.app.wiring import Parts, on_brief_loop
from mulligan.core.errors import ConfigurationError, RunningLoopError
from mulligan.core.waiting.own_loop import run_on_own_loop
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.tool_settings import read_name
from mulligan.runtime.turn import Agent, Done
from mulligan.runtime.waiting import WaitingThread

if TYPE_CHECKING:
    from mulligan.runtime.turn import Rewrite

AnyAgent = Callable[[OpenTurn], object]
"""What acts: a plain function or an async one."""


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
        rewrite: Rewrite | object = None,
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
        rewrite: Rewrite | object = None,
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
        called = agent if here is None else _bring(agent, here)

        async def act_alone() -> Done:
            # The loop ends with this turn, and so would recovery on it: it is waited for.
            if self._parts.recover:
                await self._parts.timer.run_once()
            done = await self.act(message, called, rewrite=rewrite, **about)
            if done.open_actions:
                await self._parts.timer.run_once()
            return done

        with on_brief_loop():
            return run_on_own_loop(act_alone()) if here is None else here.run(act_alone)

    def recover_sync(self) -> int:
        """`recover` for a program without an event loop."""
        refuse_running_loop(instead="await m.recover()")
        with on_brief_loop():
            return run_on_own_loop(self.recover())


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


def _bring(agent: AnyAgent, here: WaitingThread) -> Agent:
    """The agent as one to await on the loop, which runs on the thread that waits."""
    call_there = here.bring(agent)

    async def call_agent(turn: OpenTurn) -> object:
        return await _await_answer(await call_there(turn))

    return call_agent


async def _await_answer(answer: object) -> object:
    reply = await answer if isinstance(answer, Awaitable) else answer
    refuse_generator(reply)
    return reply
