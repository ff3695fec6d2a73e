"""Mulligan in openai-agents: a wrong action undone and done right, and a payment held back.

`python examples/hosts/with_openai_agents.py`: the model follows a script, so it needs no key.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, ModelResponse, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types import responses

from mulligan import Call, Effect, Mulligan

set_tracing_disabled(True)
calendar = {"dinner": "2026-11-18"}
paid: list[int] = []


@function_tool
async def move_event(event: str, day: str) -> None:
    """Move an event to another day."""
    calendar[event] = day


@function_tool
async def pay(amount: int) -> None:
    """Pay, which cannot be undone."""
    paid.append(amount)


class Scripted(Model):
    """A model that follows a script."""

    def __init__(self, *steps: str | tuple[str, dict[str, Any]]) -> None:
        self.steps = list(steps)

    def stream_response(self, *_given: Any, **_named: Any) -> AsyncIterator[Any]:
        """Nothing is streamed here."""
        raise NotImplementedError

    async def get_response(self, *_given: Any, **_named: Any) -> ModelResponse:
        """The next step."""
        step, id_ = self.steps.pop(0), f"call {len(self.steps)}"
        if isinstance(step, str):
            text = responses.ResponseOutputText(type="output_text", text=step, annotations=[])
            said = responses.ResponseOutputMessage(
                id=id_, type="message", role="assistant", status="completed", content=[text]
            )
        else:
            said = responses.ResponseFunctionToolCall(
                type="function_call", call_id=id_, name=step[0], arguments=json.dumps(step[1])
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)


async def main() -> None:
    """Two requests."""
    async with Mulligan("memory:") as m:
        m.declare(
            "move_event",
            effect=Effect.REVERSIBLE,
            before=lambda _: calendar["dinner"],
            undo=lambda record: calendar.update(dinner=record.before),
        )
        m.declare("pay", effect=Effect.IRREVERSIBLE)

        @m.check("move_event")
        def is_friday(call: Call) -> str | None:
            return None if call.arguments["day"] == "2026-11-20" else "Friday is 2026-11-20."

        runner = m.for_openai_agents(on_answer=lambda answer: print(f"  ({answer.confidence})"))
        moves = [("move_event", {"event": "dinner", "day": f"2026-11-{day}"}) for day in (21, 20)]
        model = Scripted(moves[0], "Moved.", moves[1], "It is on Friday.")
        agent = Agent("planner", model=model, tools=[move_event, pay])
        print((await runner.run(agent, "Move dinner to Friday")).final_output, calendar)
        agent.model = Scripted(("pay", {"amount": 30}), "It is paid.")
        result = await runner.run(agent, "Pay the restaurant 30")
        [waits] = m.insights.open_list.actions()
        print(f"{waits.opening.tool} is {waits.state}; paid so far: {paid}")
        m.insights.open_list.approve(waits.id, by="Ann")  # as `mulligan approve ID` does
        print((await runner.run(agent, result.to_state())).final_output, paid)


asyncio.run(main())
