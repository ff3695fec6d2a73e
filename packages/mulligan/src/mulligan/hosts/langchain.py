"""LangChain and LangGraph: every run of an agent with this middleware is a turn."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Annotated, Any, NamedTuple, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config, human_in_the_loop
from langchain.agents.middleware.types import OmitFromOutput
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
    messages_to_dict,
)
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, ToolException
from langchain_core.tools.base import _handle_validation_error  # no other has these words
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph import errors
from langgraph.config import get_config
from langgraph.graph import END
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt
from pydantic import ValidationError

from mulligan.types.adapter import (
    NOT_MADE,
    Host,
    HostCall,
    HostRun,
    MeantCall,
    read_written,
    write_value,
)
from mulligan.types.errors import HeldError, NothingDone
from mulligan.types.turn import History


def read_id(state: Any) -> str:
    """The id of the turn in the state of a graph; empty where it keeps none."""
    return str(read_key(state, "mulligan_turn") or "")


def read_messages(state: Any) -> list[Any]:
    """The messages in the state of a graph."""
    return state if isinstance(state, list) else list(read_key(state, "messages") or ())


def find_asked(messages: list[Any]) -> int | None:
    """Where the person said what the run is about: last, and not in our words."""
    for at in reversed(range(len(messages))):
        if isinstance(messages[at], HumanMessage) and not is_feedback(messages[at]):
            return at
    return None


HIDDEN = "do-not-render-"
"""What LangChain's own chat pages know messages by that are not for the person. What an agent is
told about its last attempt is one: models take it only from the person in the middle of a
conversation; until the run ends, pages tell it by its id or its metadata."""


def list_feedback(messages: list[Any]) -> list[Any]:
    """What leaves a thread once its run has ended: what we told the agent, and the replies that
    this was about, which were written again."""
    left = []
    for at, each in enumerate(messages):
        if is_feedback(each):
            before = messages[at - 1] if at else None
            if isinstance(before, AIMessage) and not before.tool_calls:
                left.append(before)
            left.append(each)
    return [each for each in left if each.id]


def put_reply(messages: list[Any], text: object, *, left: list[Any]) -> list[Any]:
    """The changes after which a thread ends with what the person is told, and without `left`."""
    last, changed = messages[-1], list[Any]()
    gone = dict.fromkeys(each.id for each in left)
    is_reply = isinstance(last, AIMessage) and not last.tool_calls
    if is_reply:
        gone.pop(last.id, None)
    if text != str(last.text):
        if last.id not in gone:
            changed.append(last.model_copy(update={"content": text}))
        if not is_reply:
            changed.append(AIMessage(text))
    return [*(RemoveMessage(id=each) for each in gone), *changed]


def is_feedback(message: Any) -> bool:
    """Whether a message is what we told an agent about its last attempt."""
    return "mulligan" in (message.response_metadata or {})


def read_key(state: Any, name: str) -> Any:
    """What the state of a graph has under a name, of whichever form it is; else `None`."""
    if isinstance(state, Mapping):
        return state.get(name)
    return getattr(state, name, None)


Bring = Callable[["GraphCall"], Awaitable[Any]]
"""Brings a call, and answers with what its host is given for it."""


@dataclass(slots=True)
class BroughtCalls:
    """The result of one call of a model: its tool is made once, or as often as whatever stands in
    between wants it, with these arguments or others."""

    host: Host
    bring: Bring
    failed: Exception | None = None
    """Why the last one was not made."""
    made: bool = False
    """A tool was reached."""

    def place(self, request: Any) -> Any:
        """The request with tools that bring their calls: nothing is nearer to what runs.

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
    """One call as its tool is given it, and its result in the host's own form."""

    tool: Any
    asked: Any
    handler: Callable[[Any], Awaitable[Any]]
    came: Any = None
    value: object = None

    @property
    def arguments(self) -> dict[str, object]:
        """What the model has said, or whoever has repaired that."""
        given: dict[str, object] = self.tool._filter_injected_args(self.asked["args"])  # noqa: SLF001 - nothing else tells them apart
        return given

    async def check(self, arguments: Mapping[str, object]) -> None:
        """Raise what the tool's schema says against them; of one with JSON Schema, nothing."""
        asked = self.ask(arguments)
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
        self.came = await self.handler(self.ask(arguments))
        message = find_message(self.came, self.asked["id"])
        if message is None:
            return None
        if message.status == "error":
            raise ToolException(str(message.text))
        self.value = read_value(message.content)
        return self.value

    def ask(self, arguments: Mapping[str, object]) -> Any:
        """The same with others in the place of what the model has said."""
        known = self.arguments
        filled = {name: each for name, each in self.asked["args"].items() if name not in known}
        return {**self.asked, "args": {**filled, **arguments}}

    def with_result(self, result: object, note: str) -> Any:
        """The host's own result, unless there is another, or something to say beside it."""
        if self.came is None:
            return self.build_message(_add_note(write_value(result), note))
        if result is not self.value and find_message(self.came, self.asked["id"]) is not None:
            return _with_content(self.came, self.asked["id"], _add_note(write_value(result), note))
        return add_to(self.came, call=self.asked["id"], note=note)

    def build_message(self, text: Any, *, failed: bool = False) -> ToolMessage:
        """A message in the place of a result."""
        return build_message(self.asked, text, failed=failed)


def build_message(asked: Any, text: Any, *, failed: bool = False) -> ToolMessage:
    """A message in the place of a call's result."""
    status = "error" if failed else "success"
    return ToolMessage(text, name=asked["name"], tool_call_id=asked["id"], status=status)


def add_to(came: Any, *, call: str, note: str) -> Any:
    """A call's result, with something to say beside it."""
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
    `is_new`, as then the answer was to another one, and no person can be asked here for now.
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
"""The latest approvals, remembered until they are asked for."""

ANSWERED = AnsweredElsewhere()


@wraps(interrupt)
def note_answer(value: Any, **rest: Any) -> Any:
    """As LangChain's middleware asks a person."""
    answer = interrupt(value, **rest)
    ANSWERED.note(value, answer)
    return answer


# The one place that it asks in, whatever its mode: nothing in the state of a graph tells a call
# that was approved from one that was never asked about.
human_in_the_loop.interrupt = note_answer


def is_invalid_resume(error: Exception) -> bool:
    """Whether an error is a person's answer to an interrupt that its tool could not read: the graph
    asks again. Older graphs have no such errors."""
    tell = getattr(errors, "is_invalid_resume", None)
    return tell is not None and bool(tell(error))


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
    return read_written(content)


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


MOST = 1000
"""Runs that are remembered until they are known to be over."""

CANNOT = {
    "hold_back": (
        "A graph gives out what its model wrote before it asks for the review. Take the last event "
        'of `stream_mode="values"`, or `invoke`.'
    )
}

_report = logging.getLogger("mulligan")


def build(host: Host) -> TurnMiddleware:
    """A middleware: `create_agent(model, tools, middleware=[m.for_langchain()])`."""
    return TurnMiddleware(host)


class TurnState(AgentState):  # type: ignore[misc]
    """What a graph keeps of a turn: an id. What lives stays with the middleware."""

    mulligan_turn: NotRequired[Annotated[str, OmitFromOutput]]  # type: ignore[valid-type]
    """Agents that are nodes of another graph are given it, and belong to the turn of that."""


class GraphPlace(NamedTuple):
    """Where a run goes on: there is one at a time."""

    thread: str
    around: str
    """The graphs that this one runs in."""
    agent: str


@dataclass(slots=True)
class GraphRun:
    """A run under way."""

    run: HostRun
    place: GraphPlace
    seen: frozenset[str]
    """The ids of messages that are older than what the agent did."""
    id: str = ""
    """Empty: its graph keeps none, so that it ends with the call."""
    calls: int = 0
    asks: int = 0
    """How often its model is being asked."""
    failed: bool | None = None
    """Whether the graph stops for a failure; `None`: it does not stop."""

    @property
    def is_busy(self) -> bool:
        """Whether it waits for its model, or for a tool."""
        return bool(self.calls or self.asks)

    @contextmanager
    def ask(self) -> Iterator[None]:
        """Its model is being asked."""
        self.asks += 1
        try:
            yield
        finally:
            self.asks -= 1


class TurnMiddleware(AgentMiddleware):  # type: ignore[misc]
    """Reviews what a run did before it ends, and has its model go on where that was wrong."""

    state_schema = TurnState

    def __init__(self, host: Host) -> None:
        super().__init__()
        self.host = host
        self.going: dict[str, GraphRun] = {}
        """By the ids in the states of their graphs."""
        self.schemas: dict[str, tuple[object, Mapping[str, object]]] = {}
        self.warned = False

    @property
    def name(self) -> str:
        """What its nodes are called by in a graph, and in traces."""
        return "Mulligan"

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """The turn begins."""
        begun: dict[str, Any] | None = self.host.run_sync(lambda: self._begin(state, runtime))
        return begun

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """The same."""
        return await self._begin(state, runtime)

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Say what is known to go wrong; a model that fails ends the run."""
        try:
            with self._ask(request):
                return self._make_written(handler(self._add_pitfalls(request)), request)
        except BaseException as error:
            failed = not isinstance(error, errors.GraphInterrupt)
            self.host.run_sync(lambda: self._leave(read_id(request.state), failed=failed))
            raise

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """The same."""
        try:
            with self._ask(request):
                if self.host.options.get("pitfalls"):
                    request = await asyncio.to_thread(self._add_pitfalls, request)
                return self._make_written(await handler(request), request)
        except BaseException as error:
            failed = not isinstance(error, errors.GraphInterrupt)
            await self._leave(read_id(request.state), failed=failed)
            raise

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Bring a call. Also for `ToolNode(tools, wrap_tool_call=reflection.wrap_tool_call)`."""
        here = self.host.bring_here(handler)
        return self.host.run_sync(lambda: self._enter(request, here))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """The same."""
        return await self._enter(request, handler)

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Review at the end; where something was wrong, the run does not end there."""
        update: dict[str, Any] | None = self.host.run_sync(lambda: self._end(state, runtime))
        return update

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]
    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """The same."""
        return await self._end(state, runtime)

    def build_beginning(self) -> RunnableLambda[Any, Any]:
        """A node for the beginning of a graph of your own, whose state is a `TurnState`."""

        def begin(state: Any) -> Any:
            return self.before_agent(state, get_runtime())

        async def begin_on_loop(state: Any) -> Any:
            return await self.abefore_agent(state, get_runtime())

        return RunnableLambda(begin, afunc=begin_on_loop, name="begin")

    def build_review(self, *, model: str = "model", then: str = END) -> RunnableLambda[Any, Any]:
        """A node for its end, which goes back to the node `model`, or on to `then`."""

        def go_on(update: dict[str, Any] | None) -> Command[Any]:
            rest = dict(update or {})
            return Command(update=rest, goto=model if rest.pop("jump_to", "") else then)

        def review(state: Any) -> Command[Any]:
            return go_on(self.after_agent(state, get_runtime()))

        async def review_on_loop(state: Any) -> Command[Any]:
            return go_on(await self.aafter_agent(state, get_runtime()))

        return RunnableLambda(review, afunc=review_on_loop, name="review")

    async def _begin(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        place = read_place()
        outer = self.going.get(read_id(state))
        if outer is not None and len(outer.place.around) < len(place.around):
            return None
        # What a run in the same place has left open was stopped where no hook sees it; one
        # that waits for its model or a tool goes on beside this one.
        same = {id_: each for id_, each in self.going.items() if each.place == place}
        left = [id_ for id_, each in same.items() if place.thread and not each.is_busy]
        for id_ in left + list(self.going)[: max(0, len(self.going) - MOST)]:
            await self._leave(id_, failed=True)
        return {"mulligan_turn": self._open(uuid4().hex, state, runtime).id}

    def _open(self, id_: str, state: Any, runtime: Any) -> GraphRun:
        place, messages = read_place(), read_messages(state)
        asked = find_asked(messages)
        run = self.host.open(
            str(messages[asked].text) if asked is not None else "",
            agent=place.agent,
            given=runtime,
            history=History(messages[:asked], since=() if asked is None else messages[asked:]),
            thread=place.thread,
            kept=bool(place.thread),
        )
        older = messages if asked is None else messages[: asked + 1]
        going = GraphRun(run, place, seen=frozenset(each.id for each in older if each.id), id=id_)
        if id_:
            self.going[id_] = going
        return going

    def _find(self, state: Any, runtime: Any) -> GraphRun:
        """The run; another turn of it where it goes on after a wait, or in another process."""
        id_ = read_id(state)
        if not id_ and not self.warned:
            self.warned = True
            _report.warning(
                "A graph calls tools without a turn: each call is one of its own, and is reviewed "
                "later. Begin with `reflection.build_beginning()` and end with `build_review()`."
            )
        return self.going.get(id_) or self._open(id_, state, runtime)

    def _ask(self, request: Any) -> AbstractContextManager[None]:
        ANSWERED.forget()
        going = self.going.get(read_id(request.state))
        if going is None:
            return nullcontext()
        going.run.add_instructions(str(request.system_prompt or ""))
        going.run.note_tools(len(request.tools))
        return going.ask()

    async def _leave(self, id_: str, *, failed: bool) -> None:
        going = self.going.pop(id_, None)
        if going is not None:
            # A thread keeps what was said, and may go on after a failure.
            await going.run.leave(failed=failed and not going.place.thread)

    async def _enter(self, request: Any, handler: Any) -> Any:
        """Have a call made, whatever stands between here and its tool, and note how it ended."""
        going = self._find(request.state, request.runtime)
        going.calls += 1
        try:
            came = await self._have_made(request, handler, going)
            each = came if isinstance(came, list) else [came]
            # A tool has ended the agent's part, and another one goes on.
            over = any(isinstance(one, Command) and one.graph == Command.PARENT for one in each)
            if over and going.place.around == read_place().around:
                going.failed = False
        except BaseException as error:
            going.failed = going.failed or not isinstance(error, errors.GraphInterrupt)
            raise
        finally:
            going.calls -= 1
            if not going.id:
                await going.run.leave(failed=bool(going.failed) and not going.place.thread)
            elif going.failed is not None and not going.calls:
                # The graph stops here; calls beside this one have still ended in their turn.
                await self._leave(going.id, failed=going.failed)
        return came

    async def _have_made(self, request: Any, handler: Any, going: GraphRun) -> Any:
        asked, brought = request.tool_call, BroughtCalls(self.host, partial(self._bring, going))
        try:
            came = await handler(brought.place(request))
        except errors.GraphBubbleUp:
            raise
        except Exception as error:
            advice = "" if is_invalid_resume(error) else brought.read_advice(error)
            if not advice:
                raise
            return build_message(asked, f"{error}\n\n{advice}", failed=True)
        message = find_message(came, asked["id"])
        if message is None or message.status != "error":
            return came
        if not brought.made and request.tool is None:
            brought.failed = await self._note_unknown(going, asked, str(message.text))
        return add_to(came, call=asked["id"], note=brought.read_advice())

    async def _note_unknown(self, going: GraphRun, asked: Any, said: str) -> Exception | None:
        """Log a call of a tool that there is none of."""

        async def refuse(_: Mapping[str, object]) -> object:
            raise NothingDone(said)

        call = HostCall(tool=asked["name"], arguments=asked["args"], make=refuse, check=refuse)
        try:
            await going.run.call(call)
        except Exception as error:  # noqa: BLE001 - the model has it from its host
            return error
        return None

    async def _bring(self, going: GraphRun, call: GraphCall) -> Any:
        made, word, before = call, ANSWERED.take(call), going.run.list_actions()
        while True:
            try:
                called = await going.run.call(self._read_call(made, word))
            except HeldError as held:
                # It can go on after an interrupt where it has a checkpointer.
                if held.decided or not CallPlace.find().saver:
                    return call.build_message(str(held), failed=held.decided)
                is_new = held.action in set(going.run.list_actions()).difference(before)
                word = ask_person(held, call, is_new=is_new)
                if word is None:
                    return call.build_message(str(held))
                asked = call.ask(word.arguments) if word.edited else call.asked
                made = GraphCall(call.tool, asked, call.handler)
            except NOT_MADE as refused:
                return call.build_message(str(refused), failed=True)
            else:
                return made.with_result(called.result, called.note)

    def _read_call(self, call: GraphCall, word: ApprovalDecision | None) -> HostCall:
        return HostCall(
            tool=call.tool.name,
            arguments=call.arguments,
            make=call.make,
            check=call.check,
            id=call.asked["id"] or "",
            approved=None if word is None else word.approved,
            edited=word is not None and word.edited,
            reason="" if word is None else word.reason,
            schema=self._read_schema(call.tool),
            description=call.tool.description,
            function=getattr(call.tool, "coroutine", None) or getattr(call.tool, "func", None),
        )

    def _read_schema(self, tool: Any) -> Mapping[str, object]:
        known, schema = self.schemas.get(tool.name, (None, {}))
        if known is not tool:
            schema = convert_to_openai_tool(tool)["function"].get("parameters", {})
            self.schemas[tool.name] = tool, schema
        return schema

    async def _end(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        going, messages = self._find(state, runtime), read_messages(state)
        if going.place.around != read_place().around:
            return None
        structured = read_key(state, "structured_response")
        text = str(messages[-1].text)
        answer = await going.run.review(text if structured is None else structured)
        dropped = [each for each in messages if answer.undone and is_of_attempt(each, going)]
        if dropped:
            kept = json.dumps(messages_to_dict(dropped), default=str)
            await going.run.keep_dropped(kept.encode())
        if not answer.feedback:
            await (self._leave(going.id, failed=False) if going.id else going.run.leave())
            fails = structured is not None and answer.unfinished is not None
            # A failed response in the host's own form: a thread goes on from what is true.
            given = {"structured_response": None} if fails else {}
            said = text if structured is not None else answer.reply
            if answer.undone or fails:
                said = answer.refusal
            changes = put_reply(messages, said, left=[*list_feedback(messages), *dropped])
            return {"messages": changes, **given} if changes or given else None
        told = HumanMessage(
            answer.feedback,
            id=f"{HIDDEN}{uuid4().hex}",
            response_metadata={"mulligan": "feedback"},
        )
        leaving = [RemoveMessage(id=each.id) for each in dropped]
        again = {} if structured is None else {"structured_response": None}
        return {"messages": [*leaving, told], "jump_to": "model", **again}

    def _make_written(self, response: Any, request: Any) -> Any:
        if not self.host.options.get("written_calls"):
            return response
        tools = [each for each in request.tools if not isinstance(each, dict)]
        schemas = {each.name: self._read_schema(each) for each in tools}
        return add_calls(response, lambda text: self.host.read_calls(text, schemas))

    def _add_pitfalls(self, request: Any) -> Any:
        names = [each["name"] if isinstance(each, dict) else each.name for each in request.tools]
        found = self.host.describe_pitfalls(names, agent=read_place().agent)
        if not found:
            return request
        before = getattr(request, "system_message", None)
        if before is not None and isinstance(before.content, list):
            blocks = [*before.content, {"type": "text", "text": found}]
            return request.override(system_message=before.model_copy(update={"content": blocks}))
        whole = "\n\n".join(filter(None, (request.system_prompt, found)))
        return request.override(system_prompt=whole)


def read_place() -> GraphPlace:
    """Where this is called."""
    config = get_config()
    inside = config.get("configurable", {})
    around = str(inside.get("checkpoint_ns", "")).rpartition("|")[0]
    agent = config.get("metadata", {}).get("lc_agent_name") or ""
    return GraphPlace(str(inside.get("thread_id") or ""), around, agent)


def is_of_attempt(message: Any, going: GraphRun) -> bool:
    """Whether a message leaves with a rejected attempt: what the agent said, called and was told;
    not what another middleware has put there, such as a summary."""
    if not message.id or message.id in going.seen:
        return False
    return isinstance(message, (AIMessage, ToolMessage)) or is_feedback(message)
