"""One call of LangChain and LangGraph: as they make it, and what came of it, in their own form."""

from __future__ import annotations

import copy
import json
import threading
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

from langchain.agents.middleware import human_in_the_loop
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langchain_core.tools.base import _handle_validation_error  # no other has these words
from langgraph import errors
from langgraph.config import get_config
from langgraph.types import Command, interrupt
from pydantic import ValidationError

from mulligan.core.adapter import Host, MeantCall
from mulligan.core.errors import HeldError, NothingDone
from mulligan.core.runtime.dataclass import dataclass

Bring = Callable[["GraphCall"], Awaitable[Any]]
"""Brings a call, and answers with what its host is given for it."""


@dataclass(slots=True)
class BroughtCalls:
    """What comes of one call of a model: its tool is made once, or as often as whatever stands in
    between wants it, with these arguments or others."""

    host: Host
    bring: Bring
    failed: Exception | None = None
    """Why the last one was not made."""
    made: bool = False
    """A tool was reached."""

    def place(self, request: Any) -> Any:
        """The request with tools that bring their calls: nobody is nearer to what runs.

        A person may have put another tool in the place of the one that was asked for.
        """
        runtime, offered = request.runtime, getattr(request.runtime, "tools", None)
        if offered:
            runtime = replace(runtime, tools=[self.wrap(each) for each in offered])
        return request.override(tool=self.wrap(request.tool), runtime=runtime)

    def read_advice(self, error: Exception | None = None) -> str:
        """What would help, where the last one failed; an error may have become another since."""
        found = (self.host.read_advice(each) for each in (error, self.failed) if each is not None)
        return next(filter(None, found), "")

    def wrap(self, tool: Any) -> Any:
        """The tool, with its calls brought. All else is as before."""
        if not isinstance(tool, BaseTool):
            return tool
        wrapped = copy.copy(tool)

        async def bring(asked: Any, make: Callable[..., Awaitable[Any]]) -> Any:
            self.made, self.failed, call = True, None, GraphCall(tool, asked, make)
            try:
                return await self.bring(call)
            except errors.GraphBubbleUp:
                raise
            except Exception as error:
                self.failed = error
                if call.came is not None:
                    # The tool has made a message of it.
                    return call.came
                refused = error.__cause__ if isinstance(error, NothingDone) else None
                if refused is not None:
                    return call.refuse(refused)
                raise

        async def call_on_loop(asked: Any, config: Any = None, **rest: Any) -> Any:
            return await bring(asked, lambda asked: tool.ainvoke(asked, config, **rest))

        def call_here(asked: Any, config: Any = None, **rest: Any) -> Any:
            here = self.host.bring_here(lambda asked: tool.invoke(asked, config, **rest))
            return self.host.run_sync(lambda: bring(asked, here))

        # It is a model of pydantic, which takes no other attributes than its own.
        wrapped.__dict__.update(invoke=call_here, ainvoke=call_on_loop)
        return wrapped


@dataclass(slots=True)
class GraphCall:
    """One call as its tool is given it, and what came of it in the host's own form."""

    tool: Any
    asked: Any
    handler: Callable[[Any], Awaitable[Any]]
    came: Any = None
    value: object = None

    @property
    def arguments(self) -> dict[str, object]:
        """What the model has said, or whoever has mended that."""
        given: dict[str, object] = self.tool._filter_injected_args(self.asked["args"])  # noqa: SLF001 - nothing else tells them apart
        return given

    async def check(self, arguments: Mapping[str, object]) -> None:
        """Raise what the tool's schema says against them; of one with JSON Schema, nothing."""
        asked = self._ask(arguments)
        self.tool._to_args_and_kwargs(asked["args"], asked["id"])  # noqa: SLF001 - as it does itself, before it runs

    def refuse(self, error: BaseException) -> ToolMessage:
        """What the tool says of arguments that it does not take; raised where its graph says it."""
        how = self.tool.handle_validation_error
        if not how or not isinstance(error, ValidationError):
            raise error
        return self.build_message(_handle_validation_error(error, flag=how), failed=True)

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Make it. A message about a failure is raised."""
        self.came, self.value = None, None
        self.came = await self.handler(self._ask(arguments))
        message = find_message(self.came, self.asked["id"])
        if message is None:
            return None
        if message.status == "error":
            raise ToolException(str(message.text))
        self.value = read_value(message.content)
        return self.value

    def with_arguments(self, arguments: Mapping[str, object]) -> GraphCall:
        """The same call with others in the place of what the model has said."""
        return GraphCall(self.tool, self._ask(arguments), self.handler)

    def _ask(self, arguments: Mapping[str, object]) -> Any:
        known = self.arguments
        filled = {name: each for name, each in self.asked["args"].items() if name not in known}
        return {**self.asked, "args": {**filled, **arguments}}

    def with_result(self, result: object, note: str) -> Any:
        """The host's own result, unless there is another, or something to say beside it."""
        if self.came is None:
            return self.build_message(_add_note(_dump(result), note))
        if result is not self.value and find_message(self.came, self.asked["id"]) is not None:
            return _with_content(self.came, self.asked["id"], _add_note(_dump(result), note))
        return add_to(self.came, call=self.asked["id"], note=note)

    def build_message(self, text: Any, *, failed: bool = False) -> ToolMessage:
        """A message in the place of a result."""
        return build_message(self.asked, text, failed=failed)


def build_message(asked: Any, text: Any, *, failed: bool = False) -> ToolMessage:
    """A message in the place of what came of a call."""
    status = "error" if failed else "success"
    return ToolMessage(text, name=asked["name"], tool_call_id=asked["id"], status=status)


def add_to(came: Any, *, call: str, note: str) -> Any:
    """What came of a call, with something to say beside it."""
    message = find_message(came, call)
    if not note or message is None:
        return came
    return _with_content(came, call, _add_note(message.content, note))


class ApprovalDecision(NamedTuple):
    """What a person has said of a call."""

    tool: str
    arguments: Mapping[str, Any]
    """As it was asked about, or as the person has changed it."""
    approved: bool
    edited: bool = False
    reason: str = ""


def ask_person(held: HeldError, call: GraphCall, *, is_new: bool) -> ApprovalDecision | None:
    """Interrupt the graph until a person has said something of this very call.

    A graph hands one answer to whoever asks first. One that names the call is about it; one in
    LangChain's form names none, and is taken where the question was asked before: `None` where it
    `is_new`, as then the answer was to another one, and nobody can be asked here for now.
    """
    asked, why = dict(call.arguments), f"{call.tool.name} waits for your approval: {held.why}"
    approve, deny = {"approve": held.action}, {"deny": held.action}
    question = {
        "action_requests": [{"name": call.tool.name, "args": asked, "description": why}],
        "review_configs": [{"action_name": call.tool.name, "allowed_decisions": [*_DECISIONS]}],
        "mulligan": held.action,
        "tool": call.tool.name,
        "args": asked,
        "why": str(held),
        "approve": approve,
        "deny": deny,
    }
    while True:
        word = interrupt(question)
        if word in (approve, deny):
            return ApprovalDecision(call.tool.name, asked, approved=word == approve)
        found = read_decisions(question, word)
        # To change one tool into another is not offered: its arguments are not what was asked.
        if len(found) == 1 and found[0].tool == call.tool.name:
            return None if is_new else found[0]


_DECISIONS = ("approve", "edit", "reject")


def read_decisions(question: Any, answer: Any) -> list[ApprovalDecision]:
    """Decisions in LangChain's form, one for each call that was asked about: a list of them, or
    the only one by itself. None of them where they do not fit the question."""
    if not isinstance(question, Mapping) or not isinstance(answer, Mapping):
        return []
    asked, said = question.get("action_requests", [question]), answer.get("decisions", [answer])
    lists = isinstance(asked, (list, tuple)) and isinstance(said, (list, tuple))
    if not lists or len(said) != len(asked):
        return []
    read = [_read_decision(*pair) for pair in zip(asked, said, strict=True)]
    return [each for each in read if each is not None] if all(read) else []


def _read_decision(asked: Any, said: Any) -> ApprovalDecision | None:
    match asked, said:
        case {"name": str(tool), "args": dict(arguments)}, {"type": "approve"}:
            return ApprovalDecision(tool, arguments, approved=True)
        case _, {"type": "edit", "edited_action": {"name": str(tool), "args": dict(arguments)}}:
            return ApprovalDecision(tool, arguments, approved=True, edited=True)
        case {"name": str(tool), "args": dict(arguments)}, {"type": "reject" | "respond"}:
            reason = str(said.get("message") or "")
            return ApprovalDecision(tool, arguments, approved=False, reason=reason)
    return None


class CallPlace(NamedTuple):
    """A graph that is going on, as those know it that run inside."""

    saver: object
    thread: object
    around: str

    @classmethod
    def find(cls) -> CallPlace:
        """Where this runs."""
        inside = get_config().get("configurable", {})
        around = str(inside.get("checkpoint_ns", "")).rpartition("|")[0]
        return cls(inside.get("__pregel_checkpointer"), inside.get("thread_id"), around)


class NotedApproval(NamedTuple):
    """What a person has approved in a graph, whose checkpointer is not kept alive by it."""

    saver: weakref.ref[Any]
    thread: object
    around: str
    word: ApprovalDecision

    def is_of(self, place: CallPlace) -> bool:
        """Whether it was said there; of a graph that is gone, nowhere."""
        saver = self.saver()
        return saver is not None and place == (saver, self.thread, self.around)


class AnsweredElsewhere:
    """What people have approved for LangChain's own middleware, which asks before we do: in the
    graph that it asked in, until the call is made or that asks its model for other calls."""

    def __init__(self) -> None:
        self._kept: list[NotedApproval] = []
        self._lock = threading.Lock()

    def note(self, question: Any, answer: Any) -> None:
        """A person has answered, perhaps in a graph that has nothing to do with us, whose questions
        may be of any form: nothing of it may fail there."""
        try:
            said = [word for word in read_decisions(question, answer) if word.approved]
            if not said:
                return
            place = CallPlace.find()
            saver = weakref.ref(place.saver)
            new = [NotedApproval(saver, place.thread, place.around, word) for word in said]
        except Exception:  # noqa: BLE001 - at worst a person is asked once more
            return
        with self._lock:
            self._kept = [*self._kept, *new][-MOST_KEPT:]

    def forget(self) -> None:
        """The graph goes on to other calls."""
        place = CallPlace.find()
        with self._lock:
            self._kept = [each for each in self._kept if not each.is_of(place)]

    def take(self, call: GraphCall) -> ApprovalDecision | None:
        """The approval of a call, with the arguments that it is made with; once for each."""
        place, asked = CallPlace.find(), (call.tool.name, dict(call.arguments))
        with self._lock:
            for at, each in enumerate(self._kept):
                if each.is_of(place) and (each.word.tool, each.word.arguments) == asked:
                    return self._kept.pop(at).word
        return None


MOST_KEPT = 200
"""Approvals that are remembered while nobody asks for them, the latest."""

ANSWERED = AnsweredElsewhere()


@wraps(interrupt)
def note_answer(value: Any, **rest: Any) -> Any:
    """As LangChain's middleware asks a person."""
    answer = interrupt(value, **rest)
    ANSWERED.note(value, answer)
    return answer


# The one place that it asks in, whatever its mode: nothing in the state of a graph tells a call
# that was approved from one that nobody was asked about.
human_in_the_loop.interrupt = note_answer


def is_invalid_resume(error: Exception) -> bool:
    """Whether an error is a person's answer to an interrupt that its tool could not read: the graph
    asks again. Older graphs have no such errors."""
    tell = getattr(errors, "is_invalid_resume", None)
    return tell is not None and bool(tell(error))


def may_interrupt() -> bool:
    """Whether the graph can go on after an interrupt: it has a checkpointer."""
    return bool(get_config().get("configurable", {}).get("__pregel_checkpointer"))


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


def _with_content(came: Any, call: str, content: Any) -> Any:
    message = find_message(came, call)
    return _replace(came, message, message.model_copy(update={"content": content}))


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
