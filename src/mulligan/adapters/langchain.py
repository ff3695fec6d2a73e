"""LangChain and LangGraph: every run of an agent with this middleware is a turn."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Annotated, Any, NamedTuple, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import OmitFromOutput
from langchain_core.messages import (
    AIMessage,
    RemoveMessage,
    ToolMessage,
    messages_to_dict,
)
from langchain_core.runnables import RunnableLambda
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph import errors
from langgraph.config import get_config
from langgraph.graph import END
from langgraph.runtime import get_runtime
from langgraph.types import Command

from mulligan.adapters.langchain_call import (
    ANSWERED,
    ApprovalDecision,
    BroughtCalls,
    GraphCall,
    add_calls,
    add_to,
    ask_person,
    build_message,
    find_message,
    is_handing_over,
    is_invalid_resume,
    may_interrupt,
)
from mulligan.adapters.langchain_state import (
    build_feedback,
    find_asked,
    is_feedback,
    list_feedback,
    read_id,
    read_key,
    read_messages,
)
from mulligan.core.adapter import NOT_MADE, Host, HostCall, HostRun
from mulligan.core.errors import HeldError, NothingDone
from mulligan.core.history import History
from mulligan.core.runtime.dataclass import dataclass

MOST = 1000
"""Runs that are remembered while nobody says that they are over."""

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
    """A run on its way."""

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
        # What a run in the same place has left open was stopped where no hook is told of it; one
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
            if is_handing_over(came) and going.place.around == read_place().around:
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
                if held.decided or not may_interrupt():
                    return call.build_message(str(held), failed=held.decided)
                is_new = held.action in set(going.run.list_actions()).difference(before)
                word = ask_person(held, call, is_new=is_new)
                if word is None:
                    return call.build_message(str(held))
                made = call.with_arguments(word.arguments) if word.edited else call
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
        if not answer.feedback:
            await (self._leave(going.id, failed=False) if going.id else going.run.leave())
            if structured is not None and answer.unfinished is not None:
                # A failed response in the host's own form: a thread goes on from what is true.
                asks = take_place(messages[-1], answer.unfinished.answer)
                return {"messages": asks, "structured_response": None}
            said = text if structured is not None else answer.reply
            changes = [RemoveMessage(id=each.id) for each in list_feedback(messages)]
            if said != text:
                changes.append(messages[-1].model_copy(update={"content": said}))
            return {"messages": changes} if changes else None
        dropped = [each for each in messages if answer.undone and is_of_attempt(each, going)]
        if dropped:
            kept = json.dumps(messages_to_dict(dropped), default=str)
            await going.run.keep_dropped(kept.encode())
        told = build_feedback(answer.feedback)
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


def take_place(message: Any, text: str) -> list[Any]:
    """A text in the place of the message that gave a structured response, and for the person."""
    told = message.model_copy(update={"content": text})
    return [told] if isinstance(message, AIMessage) else [told, AIMessage(text)]


def is_of_attempt(message: Any, going: GraphRun) -> bool:
    """Whether a message leaves with a rejected attempt: what the agent said, called and was told;
    not what another middleware has put there, such as a summary."""
    if not message.id or message.id in going.seen:
        return False
    return isinstance(message, (AIMessage, ToolMessage)) or is_feedback(message)
