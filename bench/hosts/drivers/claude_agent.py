"""claude-agent-sdk with its own command line, and a scripted model behind the API that it asks."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import getdoc, isawaitable
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan
from mulligan.codec import to_arguments_schema
from mulligan.hosts.claude_agent import CANNOT as LACKS
from mulligan_testing.scripted_claude import ScriptedClaude

CANNOT = {
    "test_a_call_that_is_only_written_is_made": LACKS["written_calls"],
    "test_a_stream_shows_nothing_that_was_not_reviewed": LACKS["hold_back"],
    "test_a_rejected_attempt_leaves_what_the_model_sees": (
        "Hooks cannot take messages out of a session: the correction follows what was rejected."
    ),
    "test_a_failing_call_is_repaired_and_its_agent_told": (
        "Hooks stand before and after a call and cannot make it again: the agent is told the fix."
    ),
    "test_nobody_is_asked_to_approve_what_cannot_run": (
        "Hooks are told no schema of a tool: what the host refuses, it refuses after the approval."
    ),
    "test_a_run_that_goes_on_is_about_what_the_person_said": (
        "A held call is made again after another prompt, and that is what its turn is about."
    ),
}

SERVER = "world"
AGAIN = "It was approved. Make the call again."


@dataclass
class Waits:
    """A session that can be gone on with, and the call in it that was held."""

    session: str
    home: str
    held: Step | None


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One prompt to an agent."""
    home = tempfile.mkdtemp(prefix="claude-")
    hooks = None if m is None else m.for_claude_agent(**options)
    ran, ended = await _ask(message, script, tools=tools, hooks=hooks, home=home)
    called = [step for step in script if not isinstance(step, str)]
    ran.waits = Waits(session=ended.session_id, home=home, held=called[-1] if called else None)
    weakref.finalize(ran, shutil.rmtree, home, ignore_errors=True)
    return ran


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """A session that is gone on with."""
    home, runs, rest = tempfile.mkdtemp(prefix="claude-"), list[Ran](), dict[str, Any]()
    for message, script in talk:
        hooks = m.for_claude_agent()
        ran, ended = await _ask(message, script, tools=tools, hooks=hooks, home=home, **rest)
        rest = {"resume": ended.session_id}
        runs.append(ran)
    shutil.rmtree(home, ignore_errors=True)
    return runs


stream = run


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
    """Tell the agent, which makes the call again; what the model is shown counts from there."""
    waits: Waits = ran.waits
    later, _ = await _ask(
        AGAIN,
        [waits.held or "", *script],
        tools=tools,
        hooks=m.for_claude_agent(),
        home=waits.home,
        resume=waits.session,
    )
    del later.shown[0]
    return later


async def _ask(
    message: str, script: Sequence[Step], *, tools: Tools, home: str, **rest: Any
) -> tuple[Ran, ResultMessage]:
    steps = [step if isinstance(step, str) else (_name(step[0]), step[1]) for step in script]
    with ScriptedClaude(steps) as claude:
        options = ClaudeAgentOptions(
            mcp_servers={SERVER: create_sdk_mcp_server(SERVER, tools=[_wrap(t) for t in tools])},
            allowed_tools=[_name(each.__name__) for each in tools],
            tools=[],
            setting_sources=[],
            cwd=home,
            env=claude.build_environment(home),
            stderr=lambda _: None,
            **rest,
        )
        async for said in query(prompt=message, options=options):
            if isinstance(said, ResultMessage):
                ended = said
        return Ran(reply=ended.result or "", shown=claude.list_shown()), ended


def _name(tool_name: str) -> str:
    return f"mcp__{SERVER}__{tool_name}"


def _wrap(function: Callable[..., Any]) -> Any:
    """A plain function as the SDK takes it: with a schema, answering in blocks."""
    schema = to_arguments_schema(function)

    async def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        result = function(**arguments)
        result = await result if isawaitable(result) else result
        text = result if isinstance(result, str) else json.dumps(result)
        return {"content": [{"type": "text", "text": text}]}

    return tool(function.__name__, getdoc(function) or "", schema)(answer)
