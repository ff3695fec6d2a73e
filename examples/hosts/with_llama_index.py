"""A LlamaIndex agent that moves dinner to the wrong day, and gets a second shot.

    python examples/hosts/with_llama_index.py         scripted: no key

It needs `pip install mulligan llama-index-core`. Its tool is decorated, and the agent
runs in `m.act`.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

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
async def move_dinner(day: str) -> str:
    """Move dinner to another day."""
    calendar["dinner"] = day
    print(f"  the calendar: dinner is on {day}")
    return f"moved to {day}"


@m.check("move_dinner")
def is_friday(call: Any) -> str | None:
    """What was asked for."""
    return None if call.arguments["day"] == "Friday" else "It was to be on Friday."


class Scripted(CustomLLM):
    """A model that takes Saturday for Friday, until it is told."""

    @property
    def metadata(self) -> LLMMetadata:
        """Nothing is known of it."""
        return LLMMetadata()

    def complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
        """The next step, as the agent is asked to write it."""
        told = "It was to be on Friday." in prompt
        day = "Friday" if told else "Saturday"
        if f"moved to {day}" in prompt:
            return CompletionResponse(text=f"Thought: I know it.\nAnswer: Dinner is on {day}.")
        call = f"Action: move_dinner\nAction Input: {json.dumps({'day': day})}"
        return CompletionResponse(text=f"Thought: I need to use a tool.\n{call}")

    def stream_complete(self, *_: Any, **__: Any) -> Any:
        """It is not asked for."""
        raise NotImplementedError


async def plan(turn: Any) -> str:
    """One attempt: the agent runs, with what was wrong before."""
    told = "" if turn.correction is None else f"\n\n{turn.correction.text}"
    return str(await agent.run(user_msg=f"{turn.message}{told}"))


async def main() -> None:
    """Let the agent act."""
    async with m:
        done = await m.act("Move dinner to Friday", plan)
    print(f"{done.reply}  (confidence {done.confidence}, {len(done.attempts)} attempts)")


agent = ReActAgent(tools=[move_dinner], llm=Scripted(), streaming=False)
asyncio.run(main())
