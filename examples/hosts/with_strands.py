"""Mulligan in Strands: a wrong action undone and done right, and a payment held back.

`python examples/hosts/with_strands.py`: the model follows a script, so it needs no key.
"""

import json
from collections.abc import AsyncIterator

from strands import Agent, tool
from strands.models import Model

from mulligan import Effect, Mulligan

calendar = {"dinner": "2026-11-18"}
paid: list[int] = []


@tool
def move_event(event: str, day: str) -> str:
    """Move an event to another day."""
    calendar[event] = day
    return f"moved to {day}"


@tool
def pay(amount: int) -> str:
    """Pay, which cannot be undone."""
    paid.append(amount)
    return f"paid {amount}"


class Script(Model):
    """A model that follows a script."""

    def __init__(self, *steps: str | tuple[str, dict[str, object]]) -> None:
        self.left = list(steps)

    update_config = get_config = structured_output = lambda *_, **__: {}

    async def stream(self, *_: object, **__: object) -> AsyncIterator[dict[str, object]]:
        """What the model answers next."""
        step = self.left.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(step, str):
            yield {"contentBlockDelta": {"delta": {"text": step}}}
        else:
            use = {"name": step[0], "toolUseId": f"use-{len(self.left)}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(step[1])}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}


with Mulligan("memory:") as m:
    m.declare(
        "move_event",
        effect=Effect.REVERSIBLE,
        before=lambda record: calendar[record.arguments["event"]],
        undo=lambda record: calendar.update({record.arguments["event"]: record.before}),
    )
    m.declare("pay", effect=Effect.IRREVERSIBLE)
    m.check("move_event")(
        lambda call: None if call.arguments["day"] == "2026-11-20" else "Friday is 2026-11-20."
    )

    wrong, right = ({"event": "dinner", "day": f"2026-11-{day}"} for day in (21, 20))
    moves = [("move_event", wrong), "Moved.", ("move_event", right), "Dinner is on Friday."]
    model = Script(*moves, ("pay", {"amount": 30}), "It is paid.")
    hooks = m.for_strands(on_answer=lambda answer: print(f"  ({answer.confidence})"))
    agent = Agent(model, tools=[move_event, pay], hooks=[hooks], callback_handler=None)

    print(agent("Move dinner to Friday"), calendar)

    result = agent("Pay the restaurant 30")
    [waits] = m.insights.open_list.actions()
    print(f"{waits.opening.tool} is {waits.state}; paid so far: {paid}")
    m.insights.open_list.approve(waits.id, by="Ann")  # as `mulligan approve ID` does
    yes = {"interruptId": result.interrupts[0].id, "response": "yes"}
    print(agent([{"interruptResponse": yes}]), paid)
