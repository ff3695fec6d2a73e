"""Strands: every invocation of an agent with these hooks is a turn."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strands import Agent
from strands.hooks import (
    AfterInvocationEvent,
    BeforeInvocationEvent,
    BeforeToolCallEvent,
    HookProvider,
    HookRegistry,
)
from strands.interrupt import InterruptException
from strands.types._events import ToolInterruptEvent, ToolResultEvent
from strands.types.tools import AgentTool

from mulligan.types.adapter import (
    Called,
    Host,
    HostCall,
    HostRun,
    MeantCall,
    read_written,
    write_value,
)
from mulligan.types.errors import HeldError
from mulligan.types.finding import is_feedback
from mulligan.types.turn import History

WHOLE = ("end_turn", "stop_sequence")
"""Reasons to stop after which a text is as it was meant."""


def wrap_model(model: Any, host: Host) -> Any:
    """The model, with what it only writes as calls. All else is as before."""
    wrapped = copy.copy(model)

    def stream(messages: Any, tool_specs: Any = None, *given: Any, **named: Any) -> Any:
        schemas = {each["name"]: each["inputSchema"].get("json", {}) for each in tool_specs or ()}
        events = model.stream(messages, tool_specs, *given, **named)
        return stream_calls(events, lambda text: host.read_calls(text, schemas))

    wrapped.stream = stream
    return wrapped


async def stream_calls(
    events: AsyncIterable[Any], read: Callable[[str], Sequence[MeantCall]]
) -> AsyncIterator[Any]:
    """The model's own events, and before it stops the calls that it has only written."""
    text, called = "", False
    async for event in events:
        called = called or "toolUse" in event.get("contentBlockStart", {}).get("start", {})
        text += event.get("contentBlockDelta", {}).get("delta", {}).get("text", "")
        stop = event.get("messageStop", {})
        if called or stop.get("stopReason") not in WHOLE:
            yield event
            continue
        calls = read(text)
        for call in calls:
            begun = {"toolUse": {"name": call.tool, "toolUseId": call.id}}
            yield {"contentBlockStart": {"start": begun}}
            given = {"toolUse": {"input": json.dumps(call.arguments)}}
            yield {"contentBlockDelta": {"delta": given}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {**stop, "stopReason": "tool_use"}} if calls else event


INTERRUPT = "mulligan"
"""The name of the interrupt that a held call is."""

YES = ("y", "yes", "approve", "approved")
NO = ("n", "no", "deny", "denied")

CANNOT = {
    "hold_back": (
        "Events reach their reader as the model writes them, and hooks cannot stop one. Show the "
        "last result where the answer must wait."
    )
}

UNFINISHED = ("interrupt", "cancelled", "checkpoint")
"""Reasons to stop that come without an answer."""

_report = logging.getLogger("mulligan")


def build(host: Host) -> StrandsHooks:
    """A provider of hooks: `Agent(…, hooks=[m.for_strands()])`."""
    return StrandsHooks(host)


class StrandsHooks(HookProvider):  # type: ignore[misc]
    """Reviews what an invocation did before it ends, and has it go on where that was wrong."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._begun: dict[tuple[int, int], Invocation] = {}
        self._warned = False

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """As the host asks for it, once for each agent."""
        registry.add_callback(BeforeInvocationEvent, self.open_run)
        registry.add_callback(BeforeToolCallEvent, self.wrap_tool)
        registry.add_callback(AfterInvocationEvent, self.review_run)

    def open_run(self, event: Any) -> None:
        """The turn begins; after a correction it goes on."""
        if event.messages is None or _name(event) in self._begun:
            # Without messages it is `structured_output`, which calls no tool and shows no result.
            return
        agent = event.agent
        messages = [*agent.messages, *event.messages]
        asked = find_asked(messages)
        said = read_message(messages[asked]) if asked < len(messages) else ""
        history = History(messages[:asked], since=messages[asked:])
        thread = str(getattr(getattr(agent, "_session_manager", None), "session_id", ""))
        run = self._host.open(
            said,
            agent=agent.name,
            given=event,
            history=history,
            thread=thread,
            kept=bool(thread),
        )
        run.add_instructions(str(agent.system_prompt or ""))
        run.note_tools(len(agent.tool_names))
        begun = Invocation(run, before=list(agent.messages))
        told = self._host.describe_pitfalls(agent.tool_names, agent=agent.name)
        if told:
            begun.prompt = [{"text": told}]
            agent.system_prompt = [*(agent.system_prompt_content or ()), *begun.prompt]
        if self._host.options.get("written_calls"):
            begun.models = agent.model, wrap_model(agent.model, self._host)
            agent.model = begun.models[1]
        self._begun[_name(event)] = begun

    def wrap_tool(self, event: Any) -> None:
        """Have the call brought, in the place of the tool that was to make it."""
        tool, begun = event.selected_tool, self._begun.get(_name(event))
        if begun is None and not isinstance(event.agent, Agent) and not self._warned:
            self._warned = True
            _report.warning("Calls of a %s are not reviewed.", type(event.agent).__name__)
        known = tool is not None and tool.tool_type != "structured_output"
        if begun is not None and known and isinstance(event.tool_use["input"], dict):
            event.selected_tool = ReviewedTool(tool, event, host=self._host, run=begun.run)

    async def review_run(self, event: Any) -> None:
        """Review at the end; where something was wrong, the host goes on with what is said."""
        begun, result = self._begun.get(_name(event)), event.result
        if begun is None:
            return
        over = True
        try:
            if result is not None and result.stop_reason not in UNFINISHED:
                over = await begun.review(event)
        finally:
            if over:
                del self._begun[_name(event)]
                begun.restore(event.agent)
                # Stopped or not, the agent keeps what was said.
                await begun.run.leave()


@dataclass
class Invocation:
    """One running invocation of an agent, with all its attempts."""

    run: HostRun
    before: list[Any]
    """The messages that were there; the objects, as others may be taken out meanwhile."""
    prompt: list[Any] = field(default_factory=list)
    """What was added to the agent's own."""
    models: tuple[Any, Any] | None = None
    """The agent's own, and the one in its place for now."""

    async def review(self, event: Any) -> bool:
        """Whether it is over."""
        content = event.result.message["content"]
        text, output = read_text(content), event.result.structured_output
        answer = await self.run.review(text if output is None else output)
        if answer.feedback:
            event.resume = answer.feedback
            if answer.undone:
                event.resume = await self._drop_attempt(event.agent, answer.feedback)
            return False
        if answer.undone:
            await self._drop_last(event.agent, event.result.message)
        drop_feedback(event.agent.messages)
        said = answer.refusal if answer.undone else answer.reply
        if isinstance(said, str) and said != text:
            # A note stands under what was said, anything else in its place.
            under = content if said.startswith(text) and not answer.undone else ()
            content[:] = [*under, {"text": said.removeprefix(text).strip() if under else said}]
            manager = getattr(event.agent, "_session_manager", None)
            if manager is not None:
                # The one message of a session that can still be changed.
                manager.redact_latest_message(event.result.message, event.agent)
        if output is not None and answer.unfinished is not None:
            raise answer.unfinished
        return True

    async def _drop_attempt(self, agent: Any, feedback: str) -> Any:
        """Take an attempt out of the history, and give what the next one begins with."""
        asked = await self._drop_made(agent)
        if asked is None:
            return feedback
        agent.messages[:] = [each for each in agent.messages if each is not asked]
        # One message, as not every model takes two of the same role in a row.
        return [{"role": "user", "content": [*asked["content"], {"text": feedback}]}]

    async def _drop_last(self, agent: Any, reply: Any) -> None:
        """Take the last attempt out as well, but for the message that answers the person."""
        if await self._drop_made(agent) is not None:
            agent.messages.append(reply)

    async def _drop_made(self, agent: Any) -> Any:
        """Take out what an attempt has made, and give the message that it was asked by; `None`
        where nothing is taken out."""
        before = {id(each) for each in self.before}
        added = [each for each in agent.messages if id(each) not in before]
        asked = next((each for each in added if each["role"] == "user"), None)
        if asked is None or any("toolResult" in block for block in asked["content"]):
            # It went on with a call that had waited, whose result the host needs in its place.
            return None
        dropped = added[added.index(asked) + 1 :]
        await self.run.keep_dropped(json.dumps(dropped, default=str).encode())
        gone = {id(each) for each in dropped}
        agent.messages[:] = [each for each in agent.messages if id(each) not in gone]
        return asked

    def restore(self, agent: Any) -> None:
        """Give it back its own prompt and model."""
        if self.models is not None and agent.model is self.models[1]:
            agent.model = self.models[0]
        content = agent.system_prompt_content or []
        if self.prompt and content[-1:] == self.prompt:
            agent.system_prompt = content[:-1] or None


class ReviewedTool(AgentTool):  # type: ignore[misc]
    """A tool whose calls are brought before they are made. Else it is as the one inside."""

    def __init__(self, tool: Any, event: Any, *, host: Host, run: HostRun) -> None:
        super().__init__()
        self.inner = tool
        self.event = event
        self.host = host
        self.run = run

    @property
    def tool_name(self) -> str:
        """As the model calls it."""
        return str(self.inner.tool_name)

    @property
    def tool_spec(self) -> Any:
        """As the model sees it."""
        return self.inner.tool_spec

    @property
    def tool_type(self) -> str:
        """What kind of tool is inside."""
        return str(self.inner.tool_type)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def stream(self, tool_use: Any, invocation_state: Any, **rest: Any) -> AsyncIterator[Any]:
        """Bring the call; what the tool streams meanwhile comes through as it comes."""
        if "_tool_context" in rest:
            told = f"{self.tool_name} was not called: under review it cannot run in the background."
            yield ToolResultEvent(build_result(tool_use, told, status="error"))
            return
        brought = BroughtCall(self, tool_use, invocation_state, rest)
        task = asyncio.create_task(brought.bring())
        try:
            while (event := await brought.events.get()) is not None:
                yield event
            yield await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])


@dataclass
class BroughtCall:
    """One call, from the model's wish to what the model reads of it."""

    tool: ReviewedTool
    use: Any
    state: Any
    rest: dict[str, Any]
    events: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    """What the tool streams; `None` is the end."""
    came: Any = None
    """The host's own result, of the last time that it was made."""
    read: object = None
    """The same, as it was read: a value, or an error."""
    interrupt: Any = None
    """The tool's own, where it puts the call off."""

    async def bring(self) -> Any:
        """What the host is given: a result, or an interrupt."""
        try:
            return await self._bring()
        except InterruptException as put_off:
            return self.interrupt or ToolInterruptEvent(self.use, [put_off.interrupt])
        except Exception as error:  # noqa: BLE001 - as the host's own tools, which raise nothing
            return ToolResultEvent(self._tell(error), exception=error)
        finally:
            self.events.put_nowait(None)

    async def _bring(self, *, approved: bool | None = None) -> Any:
        if self.tool.tool_type == "agent" and not self.tool.host.is_declared(self.tool.tool_name):
            # What it does is brought by its own calls.
            with self.tool.run.make_current():
                return ToolResultEvent(
                    self._answer(Called(result=await self._make(self.use["input"])))
                )
        try:
            called = await self.tool.run.call(self._read_call(approved=approved))
        except HeldError as held:
            if not held.decided and approved is None:
                # Raises until the host has an answer.
                why = {"action": held.action, "why": str(held)}
                approved = read_approval(self.tool.event.interrupt(INTERRUPT, reason=why))
                if approved is not None:
                    return await self._bring(approved=approved)
            return ToolResultEvent(build_result(self.use, str(held), status="error"))
        return ToolResultEvent(self._answer(called))

    def _read_call(self, *, approved: bool | None) -> HostCall:
        spec = self.tool.tool_spec
        return HostCall(
            tool=self.tool.tool_name,
            arguments=self.use["input"],
            make=self._make,
            check=self._check,
            id=str(self.use["toolUseId"]),
            approved=approved,
            schema=spec["inputSchema"].get("json", {}),
            description=spec.get("description", ""),
            function=self.tool.inner,
        )

    async def _check(self, arguments: Mapping[str, object]) -> None:
        """As a decorated function does before it is entered; other tools tell once they are."""
        metadata = getattr(self.tool.inner, "_metadata", None)
        if metadata is not None:
            metadata.validate_input(dict(arguments))

    async def _make(self, arguments: Mapping[str, object]) -> object:
        self.came, error = None, None
        use = {**self.use, "input": dict(arguments)}
        async for event in self.tool.inner.stream(use, self.state, **self.rest):
            if isinstance(event, ToolInterruptEvent):
                self.interrupt = event
                raise InterruptException(event.interrupts[0])
            if isinstance(event, ToolResultEvent):
                self.came, error = event.tool_result, event.exception
                break
            # Of tools that are not the host's own, the last one is the result.
            self.came = event
            self.events.put_nowait(event)
        self.came = self.came or build_result(use, "It returned nothing.", status="error")
        if self.came["status"] == "error":
            self.read = failure = error or FailedResultError(read_text(self.came["content"]))
            raise failure
        self.read = read_value(self.came)
        return self.read

    def _answer(self, called: Called) -> Any:
        same = self.came is not None and called.result is self.read
        result = self.came if same else build_result(self.use, write_value(called.result))
        return add_text(result, called.note)

    def _tell(self, error: Exception) -> Any:
        own = self.came is not None and error is self.read
        result = self.came if own else build_result(self.use, f"Error: {error}", status="error")
        return add_text(result, self.tool.host.read_advice(error))


class FailedResultError(Exception):
    """A failure that a tool has returned, without an error that it came from."""


def find_asked(messages: list[Any]) -> int:
    """Where the person spoke last, also where an invocation only goes on; else behind the end."""
    people = (at for at in reversed(range(len(messages))) if messages[at]["role"] == "user")
    return next((at for at in people if read_message(messages[at])), len(messages))


def read_message(message: Any) -> str:
    """What the person said, without what we told the agent since."""
    return read_text([part for part in message["content"] if not is_feedback(part.get("text", ""))])


def drop_feedback(messages: list[Any]) -> None:
    """Take out what we told the agent since the person spoke, and the replies that were written
    again."""
    asked = find_asked(messages)
    kept = messages[:asked]
    for message in messages[asked:]:
        content = [part for part in message["content"] if not is_feedback(part.get("text", ""))]
        if len(content) < len(message["content"]):
            message["content"] = content
            if len(kept) > asked and is_reply(kept[-1]):
                kept.pop()
        if content:
            kept.append(message)
    messages[:] = kept


def is_reply(message: Any) -> bool:
    """Whether the agent has answered, and called nothing."""
    calls = any("toolUse" in block for block in message["content"])
    return message["role"] == "assistant" and not calls


def read_text(content: list[Any]) -> str:
    """The text of a message, as its reader sees it."""
    cited = [block.get("citationsContent", {}).get("content", ()) for block in content]
    parts = [*content, *(part for each in cited for part in each)]
    return "\n".join(part["text"] for part in parts if "text" in part)


def read_value(result: Any) -> object:
    """What a tool returned: the host has made text of it where it was none."""
    if "structuredContent" in result:
        return result["structuredContent"]
    values = [
        read_written(block["text"]) if "text" in block else block.get("json", block)
        for block in result["content"]
    ]
    return values[0] if len(values) == 1 else values


def read_approval(said: object) -> bool | None:
    """What a person has answered to an interrupt; `None` where it is neither yes nor no."""
    word = said.strip().lower() if isinstance(said, str) else said
    return True if word is True or word in YES else False if word is False or word in NO else None


def build_result(use: Any, text: str, *, status: str = "success") -> dict[str, Any]:
    """A result in the host's words."""
    return {"toolUseId": use["toolUseId"], "status": status, "content": [{"text": text}]}


def add_text(result: Any, text: str) -> Any:
    """A result with what the agent is told beside it."""
    return {**result, "content": [*result["content"], {"text": text}]} if text else result


def _name(event: Any) -> tuple[int, int]:
    """An invocation: agents of one graph share its state, and those of one agent may overlap."""
    return id(event.agent), id(event.invocation_state)
