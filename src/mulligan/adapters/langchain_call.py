"""One call of LangChain and LangGraph: as they make it, and what came of it, in their own form."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import ToolException
from langgraph.types import Command, interrupt

from mulligan.core.adapter import MeantCall
from mulligan.core.errors import HeldError, NothingDone


@dataclass(slots=True)
class GraphCall:
    """One call, and what came of it in the host's own form."""

    request: Any
    handler: Callable[[Any], Awaitable[Any]]
    came: Any = None
    value: object = None
    failed: bool = False
    """What came is a failure that the host returns as a message."""

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Make it. A message about a failure is raised."""
        asked = {**self.request.tool_call, "args": dict(arguments)}
        self.came, self.value, self.failed = None, None, False
        self.came = await self.handler(self.request.override(tool_call=asked))
        message = find_message(self.came, asked["id"])
        if message is None:
            return None
        self.failed = message.status == "error"
        if self.failed:
            said = str(message.text)
            refused = self.request.tool is None or said.startswith("Error invoking tool")
            raise (NothingDone if refused else ToolException)(said)
        self.value = read_value(message.content)
        return self.value

    def with_result(self, result: object, note: str) -> Any:
        """The host's own result, unless there is another, or something to say beside it."""
        if self.came is None:
            return self.build_message(_add_note(_dump(result), note))
        if result is not self.value:
            return self._with_content(_add_note(_dump(result), note))
        return self.with_note(note)

    def with_note(self, note: str) -> Any:
        """What came, with something to say beside it."""
        message = find_message(self.came, self.request.tool_call["id"])
        if not note or message is None:
            return self.came
        return self._with_content(_add_note(message.content, note))

    def build_message(self, text: Any, *, failed: bool = False) -> ToolMessage:
        """A message in the place of a result."""
        asked = self.request.tool_call
        return ToolMessage(
            text,
            name=asked["name"],
            tool_call_id=asked["id"],
            status="error" if failed else "success",
        )

    def _with_content(self, content: Any) -> Any:
        message = find_message(self.came, self.request.tool_call["id"])
        changed = message.model_copy(update={"content": content})
        return _replace(self.came, message, changed)


def ask_person(held: HeldError, call: Mapping[str, Any]) -> bool:
    """Interrupt the graph until a person has said something of this very call.

    A graph hands one answer to whoever asks first, so that only one which names the call counts;
    after any other, the call is looked for in the journal again, and asked about once more.
    """
    approve, deny = {"approve": held.action}, {"deny": held.action}
    asked = {"mulligan": held.action, "tool": call["name"], "args": call["args"]}
    while True:
        word = interrupt({**asked, "why": str(held), "approve": approve, "deny": deny})
        if word in (approve, deny):
            return bool(word == approve)


def is_handing_over(came: Any) -> bool:
    """Whether a tool has ended the agent's part, and another one goes on."""
    each = came if isinstance(came, list) else [came]
    return any(isinstance(one, Command) and one.graph == Command.PARENT for one in each)


def find_message(came: Any, call: str) -> Any:
    """The answer to a call in what its tool gave back, which may be a command with one inside."""
    if isinstance(came, ToolMessage):
        return came if came.tool_call_id == call else None
    return next(filter(None, (find_message(each, call) for each in _list_inside(came))), None)


def read_value(content: Any) -> object:
    """What a tool returned, of which its host has made text."""
    if isinstance(content, list):
        if not all(isinstance(each, dict) and each.get("type") == "text" for each in content):
            return content
        content = "\n".join(each["text"] for each in content)
    if content[:1] not in ("{", "["):
        return content
    try:
        return json.loads(content)
    except ValueError:
        return content


def _list_inside(came: Any) -> list[Any]:
    if isinstance(came, Command):
        came = came.update.get("messages", ()) if isinstance(came.update, dict) else ()
    return list(came) if isinstance(came, (list, tuple)) else []


def _replace(came: Any, old: Any, new: Any) -> Any:
    if came is old:
        return new
    if isinstance(came, list):
        return [_replace(each, old, new) for each in came]
    if isinstance(came, Command) and any(each is old for each in _list_inside(came)):
        messages = _replace(_list_inside(came), old, new)
        return Command(
            graph=came.graph,
            update={**came.update, "messages": messages},
            resume=came.resume,
            goto=came.goto,
        )
    return came


def _add_note(content: Any, note: str) -> Any:
    if not note:
        return content
    if isinstance(content, list):
        return [*content, {"type": "text", "text": note}]
    return f"{content}\n\n{note}"


def _dump(result: object) -> str:
    return result if isinstance(result, str) else json.dumps(result, default=str)


def add_calls(response: Any, read: Callable[[str], Sequence[MeantCall]]) -> Any:
    """What a model answered, with the calls that it has only written as calls of its own."""
    said = response.result[-1]
    if said.tool_calls or response.structured_response is not None:
        return response
    calls = [{"name": each.tool, "args": each.arguments, "id": each.id} for each in read(said.text)]
    if not calls:
        return response
    made = said.model_copy(update={"tool_calls": [{**call, "type": "tool_call"} for call in calls]})
    return replace(response, result=[*response.result[:-1], made])
