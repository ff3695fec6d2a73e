"""Strands, with a model of our own that follows the script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

from strands import Agent, tool
from strands.models import Model

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan
from mulligan.hosts.strands import CANNOT as LACKS

CANNOT = {"test_a_stream_shows_nothing_that_was_not_reviewed": LACKS["hold_back"]}


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One run of an agent on a message."""
    ran = Ran()
    agent = Agent(
        ScriptedModel(script, ran),
        name="planner",
        tools=[tool(each) for each in tools],
        hooks=[] if m is None else [m.for_strands(**options)],
        callback_handler=None,
    )
    return read_end(agent, await agent.invoke_async(message), ran)


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """One agent, which keeps its messages."""
    runs: list[Ran] = []
    agent = Agent(
        ScriptedModel([], Ran()),
        name="planner",
        tools=[tool(each) for each in tools],
        hooks=[m.for_strands()],
        callback_handler=None,
    )
    for message, script in talk:
        ran = Ran()
        agent.model = ScriptedModel(script, ran)
        runs.append(read_end(agent, await agent.invoke_async(message), ran))
    return runs


stream = run


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:  # noqa: ARG001 - the agent has them
    """Go on with the calls that were interrupted."""
    agent, interrupts = ran.waits
    later = Ran()
    agent.model = ScriptedModel(script, later)
    return read_end(agent, await agent.invoke_async(answer_all(interrupts)), later)


def answer_all(interrupts: Sequence[Any], said: object = "approve") -> list[Any]:
    """A person's answer to everything that waits."""
    return [{"interruptResponse": {"interruptId": i.id, "response": said}} for i in interrupts]


def read_end(agent: Agent, result: Any, ran: Ran) -> Ran:
    """What came of an invocation."""
    if result.stop_reason == "interrupt":
        ran.waits = agent, result.interrupts
    else:
        ran.reply = str(result).rstrip("\n")
    return ran


class ScriptedModel(Model):  # type: ignore[misc]
    """Calls the tools of each step, and replies."""

    def __init__(self, script: Sequence[Step | list[Step]], ran: Ran) -> None:
        self.steps: list[Any] = list(script)
        self.ran = ran

    def update_config(self, **_: Any) -> None:
        """There is nothing to say."""

    def get_config(self) -> dict[str, Any]:
        """As nothing was said."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        """Nobody asks for it here."""
        raise NotImplementedError

    async def stream(
        self,
        messages: Any,
        tool_specs: Any = None,  # noqa: ARG002 - it knows its tools
        system_prompt: str | None = None,
        **_: Any,
    ) -> AsyncIterator[Any]:
        """The next step; several calls at once where it is a list."""
        self.ran.shown.append("\n".join([system_prompt or "", *map(_show, messages)]))
        step = self.steps.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        calls = [] if isinstance(step, str) else step if isinstance(step, list) else [step]
        for name, arguments in calls:
            use = {"toolUse": {"name": name, "toolUseId": f"tooluse_{uuid4().hex}"}}
            yield {"contentBlockStart": {"start": use}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        if isinstance(step, str):
            yield {"contentBlockDelta": {"delta": {"text": step}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def _show(message: Any) -> str:
    texts = []
    for block in message["content"]:
        result = block.get("toolResult", {}).get("content", [block])
        texts += [str(each.get("text") or each) for each in result]
    return "\n".join(texts)
