"""Mulligan in google-adk: a wrong action undone and done right, and a payment held back.

`python examples/hosts/with_google_adk.py`: the model follows a script, so it needs no key.
"""

import asyncio
from collections.abc import AsyncIterator

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionResponse, Part

from mulligan import Effect, Mulligan

calendar = {"dinner": "2026-11-18"}
paid: list[int] = []
FRIDAY = "2026-11-20"


def move_event(event: str, day: str) -> str:
    """Move an event to another day."""
    calendar[event] = day
    return f"moved to {day}"


def pay(amount: int) -> str:
    """Pay, which cannot be undone."""
    paid.append(amount)
    return f"paid {amount}"


class Script(BaseLlm):
    """A model that follows a script."""

    model: str = "script"
    left: list[Part]

    async def generate_content_async(self, _: LlmRequest, **__: bool) -> AsyncIterator[LlmResponse]:
        """What the model answers next."""
        yield LlmResponse(content=Content(role="model", parts=[self.left.pop(0)]))


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
        m.check("move_event")(lambda call: None if call.arguments["day"] == FRIDAY else "Wrong.")
        call, dinner = Part.from_function_call, {"event": "dinner", "day": "2026-11-21"}
        steps = [call(name="move_event", args=dinner), Part(text="Moved.")]
        steps += [call(name="move_event", args={**dinner, "day": FRIDAY}), Part(text="On Friday.")]
        steps += [call(name="pay", args={"amount": 30}), Part(text="It is paid.")]
        agent = LlmAgent(name="planner", model=Script(left=steps), tools=[move_event, pay])
        plugin = m.for_google_adk(on_answer=lambda answer: print(f"  ({answer.confidence})"))
        runner = InMemoryRunner(app=App(name="a", root_agent=agent, plugins=[plugin]))
        session = await runner.session_service.create_session(app_name="a", user_id="ann")

        async def say(part: Part) -> list[Part]:
            said = Content(role="user", parts=[part])
            events = runner.run_async(user_id="ann", session_id=session.id, new_message=said)
            return [part async for event in events for part in event.content.parts]

        print((await say(Part(text="Move dinner to Friday")))[-1].text, calendar)
        parts = await say(Part(text="Pay the restaurant 30"))
        [*_, asked] = [part.function_call for part in parts if part.function_call]
        [waits] = m.insights.open_list.actions()
        print(f"{waits.opening.tool} is {waits.state}; paid so far: {paid}")
        m.insights.open_list.approve(waits.id, by="Ann")  # as `mulligan approve ID` does
        yes = FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        print((await say(Part(function_response=yes)))[-1].text, paid)


asyncio.run(main())
