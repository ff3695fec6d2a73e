"""Mulligan in pydantic-ai: a wrong action undone and done right, and a payment held back.

`python examples/hosts/with_pydantic_ai.py`: the model follows a script, so it needs no key.
"""

import asyncio
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from mulligan import Call, Effect, Mulligan

calendar = {"dinner": "2026-11-18"}
paid: list[int] = []


async def move_event(event: str, day: str) -> str:
    """Move an event to another day."""
    calendar[event] = day
    return f"moved to {day}"


async def pay(amount: int) -> str:
    """Pay, which cannot be undone."""
    paid.append(amount)
    return f"paid {amount}"


def follow(*steps: str | tuple[str, dict[str, Any]]) -> FunctionModel:
    """A model that follows a script."""
    left = list(steps)

    def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        step = left.pop(0)
        part = TextPart(step) if isinstance(step, str) else ToolCallPart(step[0], step[1])
        return ModelResponse(parts=[part])

    return FunctionModel(answer)


async def main() -> None:
    """Two requests."""
    async with Mulligan("memory:") as m:
        m.declare(
            "move_event",
            effect=Effect.REVERSIBLE,
            before=lambda record: calendar[record.arguments["event"]],
            undo=lambda record: calendar.update({record.arguments["event"]: record.before}),
        )
        m.declare("pay", effect=Effect.IRREVERSIBLE)

        @m.check("move_event")
        def is_friday(call: Call) -> str | None:
            return None if call.arguments["day"] == "2026-11-20" else "Friday is 2026-11-20."

        agent = Agent(
            tools=[move_event, pay],
            output_type=[str, DeferredToolRequests],
            capabilities=[m.for_pydantic_ai(on_answer=lambda a: print(f"  ({a.confidence})"))],
        )
        wrong, right = ({"event": "dinner", "day": f"2026-11-{day}"} for day in (21, 20))
        steps = (("move_event", wrong), "Moved.", ("move_event", right), "Dinner is on Friday.")
        result = await agent.run("Move dinner to Friday", model=follow(*steps))
        print(result.output, calendar)

        model = follow(("pay", {"amount": 30}), "It is paid.")
        result = await agent.run("Pay the restaurant 30", model=model)
        [waits] = m.insights.open_list.actions()
        print(f"{waits.opening.tool} is {waits.state}; paid so far: {paid}")
        m.insights.open_list.approve(waits.id, by="Ann")  # as `mulligan approve ID` does
        asked = result.output.approvals if isinstance(result.output, DeferredToolRequests) else []
        said = DeferredToolResults(approvals={each.tool_call_id: ToolApproved() for each in asked})
        result = await agent.run(
            message_history=result.all_messages(),
            deferred_tool_results=said,
            model=model,
        )
        print(result.output, paid)


asyncio.run(main())
