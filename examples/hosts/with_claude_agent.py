"""An agent of claude-agent-sdk that moves dinner to the wrong day, and gets a second shot.

    python examples/hosts/with_claude_agent.py      scripted: no key, the model is on this machine

It needs `pip install "mulligan[claude-agent]"`. With a model of your own, leave out `env=`.
"""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

from mulligan import Effect, Mulligan
from mulligan.types.adapter import Answer
from mulligan_testing.scripted_claude import ScriptedClaude

MOVE = "mcp__calendar__move_dinner"
calendar = {"dinner": "Wednesday"}


@tool("move_dinner", "Move dinner to another day.", {"day": str})
async def move_dinner(arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool as the SDK has it; Mulligan knows it by its name."""
    calendar["dinner"] = arguments["day"]
    print(f"  the calendar: dinner is on {calendar['dinner']}")
    return {"content": [{"type": "text", "text": f"moved to {arguments['day']}"}]}


def put_back(record: Any) -> None:
    """What undoes it."""
    calendar["dinner"] = record.before
    print(f"  undone: dinner is on {calendar['dinner']}")


def tell(answer: Answer) -> None:
    """The outcome of the reply."""
    print(f"{answer.reply}  ({answer.standing}, confidence {answer.confidence})")


async def main() -> None:
    """Let the agent act."""
    m = Mulligan("memory:")
    m.declare(
        "move_dinner",
        effect=Effect.REVERSIBLE,
        before=lambda _: calendar["dinner"],
        read=lambda _: calendar["dinner"],
        undo=put_back,
    )

    @m.check("move_dinner")
    def is_friday(call: Any) -> str | None:
        return None if call.arguments["day"] == "Friday" else "It was to be on Friday."

    script = [(MOVE, {"day": day}) for day in ("Saturday", "Friday")]
    steps = [script[0], "Dinner is moved.", script[1], "Dinner is on Friday."]
    with ScriptedClaude(steps) as claude, tempfile.TemporaryDirectory() as home:
        options = ClaudeAgentOptions(
            hooks=m.for_claude_agent(on_answer=tell),
            mcp_servers={"calendar": create_sdk_mcp_server("calendar", tools=[move_dinner])},
            allowed_tools=[MOVE],
            env=claude.build_environment(home),
            cwd=home,
        )
        async with m:
            async for said in query(prompt="Move dinner to Friday", options=options):
                if isinstance(said, ResultMessage):
                    print(f"The result: {said.result}")


asyncio.run(main())
