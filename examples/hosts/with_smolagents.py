"""A smolagents agent that moves dinner to the wrong day, and gets a second shot.

    python examples/hosts/with_smolagents.py         scripted: no key

It needs `pip install mulligan smolagents`. Its tool is decorated, and the agent
runs in `m.act_sync`.
"""

from __future__ import annotations

from typing import Any

from smolagents import ChatMessage, Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from mulligan import Effect, Mulligan

m = Mulligan("memory:")
calendar = {"dinner": "Wednesday"}


def put_back(record: Any) -> None:
    """What undoes it."""
    calendar["dinner"] = record.before
    print(f"  undone: dinner is on {calendar['dinner']}")


@m.tool(
    effect=Effect.REVERSIBLE,
    before=lambda _: calendar["dinner"],
    read=lambda _: calendar["dinner"],
    undo=put_back,
)
def move_dinner(day: str) -> str:
    """Move dinner to another day.

    Args:
        day: The day of the week.
    """
    calendar["dinner"] = day
    print(f"  the calendar: dinner is on {day}")
    return f"moved to {day}"


@m.check("move_dinner")
def is_friday(call: Any) -> str | None:
    """What was asked for."""
    return None if call.arguments["day"] == "Friday" else "It was to be on Friday."


class Scripted(Model):
    """A model that takes Saturday for Friday, until it is told."""

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        """The next step: a call, or the answer, which is a call too."""
        told = "It was to be on Friday." in str(messages)
        day = "Friday" if told else "Saturday"
        name, given = "move_dinner", {"day": day}
        if f"moved to {day}" in str(messages):
            name, given = "final_answer", {"answer": f"Dinner is on {day}."}
        function = ChatMessageToolCallFunction(name=name, arguments=given)
        call = ChatMessageToolCall(id=name, type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def plan(turn: Any) -> str:
    """One attempt: the agent runs, with what was wrong before."""
    told = "" if turn.correction is None else f"\n\n{turn.correction.text}"
    return str(agent.run(f"{turn.message}{told}"))


agent = ToolCallingAgent(tools=[tool(move_dinner)], model=Scripted(), verbosity_level=0)

with m:
    done = m.act_sync("Move dinner to Friday", plan)
print(f"{done.reply}  (confidence {done.confidence}, {len(done.attempts)} attempts)")
