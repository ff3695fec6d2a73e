"""A DSPy agent that moves dinner to the wrong day, and gets a second shot.

    python examples/hosts/with_dspy.py         scripted: no key

It needs `pip install mulligan dspy`. Its tool is decorated, and the agent
runs in `m.act_sync`.
"""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils import DummyLM

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


def script(day: str) -> list[dict[str, str]]:
    """What the model says to make a call, to finish, and to answer."""
    call = {"next_thought": "Move it.", "next_tool_name": "move_dinner"}
    end = {"next_thought": "Done.", "next_tool_name": "finish", "next_tool_args": "{}"}
    answer = {"reasoning": "It was moved.", "answer": f"Dinner is on {day}."}
    return [{**call, "next_tool_args": f'{{"day": "{day}"}}'}, end, answer]


def plan(turn: Any) -> str:
    """One attempt: the agent runs, with what was wrong before."""
    told = "" if turn.correction is None else f"\n\n{turn.correction.text}"
    return str(agent(question=f"{turn.message}{told}").answer)


dspy.configure(lm=DummyLM([*script("Saturday"), *script("Friday")]))
agent = dspy.ReAct("question -> answer", tools=[move_dinner])

with m:
    done = m.act_sync("Move dinner to Friday", plan)
print(f"{done.reply}  (confidence {done.confidence}, {len(done.attempts)} attempts)")
