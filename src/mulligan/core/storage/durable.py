"""A turn that an engine keeps: told step by step, so that any process can go on with it.

An engine for durable workflows remembers what each step came to, and after a crash goes through the
workflow again, with what it remembers in the place of steps that were made. So the workflow here is
pure: it decides nothing by itself, knows no clock and no store, and has an `Engine` make its steps.
What a step does is in `mulligan.runtime.steps`, in whichever process has the tools.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Protocol

from mulligan.core.runtime.dataclass import dataclass

Plain = dict[str, Any]
"""JSON values alone: engines write steps down."""

Tools = Mapping[str, Callable[..., object]]
"""What steps can call, by name."""

WAITS = (1.0, 2.0, 5.0, 15.0)
"""Seconds between one look at a call that waits for a person and the next, where nobody signals."""


class CallRefusedError(Exception):
    """A call of a durable turn was not made, or failed: in words for its agent."""


class Engine(Protocol):
    """What keeps a workflow: its steps and its waits are its own."""

    async def make_step(self, name: str, step: Plain) -> Plain:
        """Make a step, or give what it came to when it was made before."""

    async def wait_for_word(self, action: str, seconds: float) -> None:
        """Wait for a signal about an action, or so long; a crash begins no wait anew."""


@dataclass(slots=True, kw_only=True)
class DurableTurn:
    """One turn, as the agent in a workflow sees it. It is made anew whenever the engine goes on."""

    engine: Engine
    about: Plain
    """`id`, `message`, `now` and what else is known: the same whenever the engine goes on."""
    attempt: int = 1
    correction: str = ""
    """What was wrong with the attempt before this one, and what is true now; empty at first."""
    _steps: list[Plain] = field(default_factory=list)
    """The calls so far, as they ended."""
    _made: int = 0

    @property
    def message(self) -> str:
        """What the person said."""
        return str(self.about["message"])

    async def call(self, tool: str | Callable[..., object], /, **arguments: object) -> Any:
        """Call a tool, once, whatever happens to the process that does.

        One that cannot be undone waits here for a person, as long as that takes. What is not made,
        or fails, is a `CallRefusedError` in words for the agent.
        """
        name = tool if isinstance(tool, str) else getattr(tool, "__name__", str(tool))
        self._made += 1
        asked: Plain = {
            "kind": "call", "number": self._made, "tool": name, "arguments": arguments
        }  # fmt: skip
        came = await self._make(f"call {name}", asked)
        looks = 0
        while "waits" in came:
            seconds = WAITS[min(looks, len(WAITS) - 1)]
            await self.engine.wait_for_word(str(came["waits"]), seconds)
            looks += 1
            came = await self._make(f"look {name}", asked | {"kind": "look", "look": looks})
        taken = {"id": came["id"], "tool": name, "arguments": arguments, "attempt": self.attempt}
        if "refused" in came:
            # Something of it may be there all the same, and belongs to the attempt.
            self._steps.append(taken | {"failed": True})
            raise CallRefusedError(str(came["refused"]))
        self._steps.append(taken | {"result": came["result"]})
        return came["result"]

    async def review(self, reply: object) -> Plain:
        """Review the attempt and its reply; with `feedback`, the agent is to try again."""
        answer = await self._make(f"review {self.attempt}", {"kind": "review", "reply": reply})
        if answer["feedback"]:
            self.attempt += 1
            self.correction = str(answer["feedback"])
        return answer

    async def _make(self, name: str, step: Plain) -> Plain:
        whole = {"turn": self.about, "attempt": self.attempt, "steps": list(self._steps)}
        return await self.engine.make_step(name, whole | step)


DurableAgent = Callable[[DurableTurn], Awaitable[object]]
"""What acts: it is told the turn, calls tools by it, and gives a reply. All else that it does and
that is not the same every time, such as asking a model, is a step of the engine's own."""


async def run_turn(agent: DurableAgent, turn: DurableTurn) -> Plain:
    """Attempt, review, and once more, until a reply goes out. What it came to, as plain values."""
    while True:
        reply = await agent(turn)
        answer = await turn.review(reply)
        if not answer["feedback"]:
            return answer


def name_tools(tools: Iterable[Callable[..., object]]) -> Tools:
    """Tools by the names that turns call them by."""
    return {str(getattr(tool, "__name__", tool)): tool for tool in tools}


def describe_turn(id: str, message: str, *, now: str, about: Mapping[str, object]) -> Plain:  # noqa: A002
    """What is known of a turn, in the form in which engines keep it."""
    return {**about, "id": id, "message": message, "now": now}
