"""Models of Strands that only write."""

from __future__ import annotations

from typing import Any

import pytest
from strands import Agent, tool

from bench.hosts.drivers import Ran
from bench.hosts.drivers.strands import ScriptedModel
from mulligan import Mulligan

# The framework's own warnings are not ours to repair.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.full]

WRITTEN = 'I look.\nlook(city="Bari")'


@tool
def look(city: str) -> str:
    """How it is."""
    return f"sun in {city}"


class Cut(ScriptedModel):  # type: ignore[misc]
    """Is stopped before it has said all."""

    async def stream(self, *given: Any, **named: Any) -> Any:
        async for event in super().stream(*given, **named):
            yield (
                {"messageStop": {"stopReason": "guardrail_intervened"}}
                if "messageStop" in event
                else event
            )


async def run(m: Mulligan, model: ScriptedModel) -> tuple[Agent, Any]:
    hooks = [m.for_strands(written_calls=True)]
    agent = Agent(model, tools=[look], hooks=hooks, callback_handler=None)
    return agent, await agent.invoke_async("How is it?")


async def test_what_was_said_and_what_is_called_stand_in_one_message() -> None:
    ran = Ran()

    async with Mulligan("memory:", recover=False) as m:
        agent, result = await run(m, ScriptedModel([WRITTEN, "Sunny."], ran))

    said, used = agent.messages[1]["content"]
    assert (said["text"], used["toolUse"]["input"]) == (WRITTEN, {"city": "Bari"})
    assert "sun in Bari" in ran.shown[1]
    assert str(result).strip() == "Sunny."


async def test_the_agent_has_its_own_model_again_afterwards() -> None:
    model = ScriptedModel(["Hello."], Ran())

    async with Mulligan("memory:", recover=False) as m:
        agent, _ = await run(m, model)

    assert agent.model is model


async def test_a_text_that_breaks_off_is_no_call() -> None:
    async with Mulligan("memory:", recover=False) as m:
        agent, _ = await run(m, Cut([WRITTEN], Ran()))

    assert [list(block) for block in agent.messages[-1]["content"]] == [["text"]]
