"""A CrewAI agent that moves dinner to the wrong day, and gets a second shot.

    python examples/hosts/with_crewai.py         scripted: no key

It needs `pip install mulligan crewai`. Its tool is decorated, and the agent
runs in `m.act_sync`.
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"

from crewai import Agent, BaseLLM
from crewai.tools import tool

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
    """Move dinner to another day."""
    calendar["dinner"] = day
    print(f"  the calendar: dinner is on {day}")
    return f"moved to {day}"


@m.check("move_dinner")
def is_friday(call: Any) -> str | None:
    """What was asked for."""
    return None if call.arguments["day"] == "Friday" else "It was to be on Friday."


class Scripted(BaseLLM):
    """A model that takes Saturday for Friday, until it is told."""

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        """The next step, as the agent is asked to write it."""
        told = "It was to be on Friday." in str(messages)
        day = "Friday" if told else "Saturday"
        if f"moved to {day}" in str(messages):
            return f"Thought: I know it.\nFinal Answer: Dinner is on {day}."
        return f"Thought: Move it.\nAction: move_dinner\nAction Input: {json.dumps({'day': day})}"

    def supports_function_calling(self) -> bool:
        """It writes its calls as text."""
        return False


def plan(turn: Any) -> str:
    """One attempt: the agent runs, with what was wrong before."""
    told = "" if turn.correction is None else f"\n\n{turn.correction.text}"
    return str(agent.kickoff(f"{turn.message}{told}").raw)


agent = Agent(
    role="Planner",
    goal="Keep the calendar.",
    backstory="You plan a family's week.",
    llm=Scripted(model="scripted"),
    tools=[tool(move_dinner)],
)

with m:
    done = m.act_sync("Move dinner to Friday", plan)
print(f"{done.reply}  (confidence {done.confidence}, {len(done.attempts)} attempts)")
