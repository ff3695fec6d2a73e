"""google-adk: every invocation of a runner with this plugin is a turn."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from google.adk.agents.run_config import StreamingMode
from google.adk.events import Event, EventActions
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from mulligan.types.adapter import NOT_MADE, Answer, Host, HostCall, HostRun
from mulligan.types.errors import HeldError
from mulligan.types.finding import is_feedback
from mulligan.types.turn import History

STEERING = (
    "google.adk.tools.transfer_to_agent_tool",
    "google.adk.tools.exit_loop_tool",
    "google.adk.tools.set_model_response_tool",
)
"""Tools by which the model steers the framework, and which do nothing else."""

SETS_OUTPUT = "set_model_response"
"""The tool by which a model gives an output with a schema, where it has other tools too."""

UNFINISHED = "MULLIGAN_UNFINISHED"
"""The error of an event in the place of such an output, where its run was rejected or waits."""

_report = logging.getLogger("mulligan")


def build(host: Host) -> AdkPlugin:
    """A plugin: `App(…, plugins=[m.for_google_adk()])`, for its runner."""
    return AdkPlugin(host)


class AdkPlugin(BasePlugin):  # type: ignore[misc]
    """Reviews what an invocation did before its answer is an event, and has the model go on."""

    def __init__(self, host: Host) -> None:
        super().__init__(name="mulligan")
        self._host = host
        self._begun: dict[str, AdkInvocation] = {}

    async def before_run_callback(self, *, invocation_context: Any) -> None:
        """The turn begins."""
        if invocation_context.live_request_queue is not None:
            _report.warning("What `run_live` does is not reviewed: it has no whole answers.")
            return
        if self._host.options.get("hold_back"):
            # What is not streamed by the model is whole, and reviewed before it is an event.
            whole = {"streaming_mode": StreamingMode.NONE}
            config = invocation_context.run_config.model_copy(update=whole)
            invocation_context.run_config = config
        session = invocation_context.session
        for name, begun in list(self._begun.items()):
            # Older releases do not tell of a run that died: at the latest, the next one does. One
            # that another task is still at goes on beside this one.
            task = begun.task
            going_on = task is not None and task is not asyncio.current_task() and not task.done()
            if begun.context.session.id == session.id and not going_on:
                await self._leave(name)
        run = self._host.open(
            read_message(invocation_context.user_content, session.events),
            agent=invocation_context.agent.name,
            given=invocation_context,
            history=read_history(invocation_context),
            thread=session.id,
            kept=True,
        )
        opened = AdkInvocation(self._host, run, invocation_context)
        self._begun[invocation_context.invocation_id] = opened

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        """The turn is over."""
        await self._leave(invocation_context.invocation_id)

    async def on_run_error_callback(self, *, invocation_context: Any, **_: Any) -> None:
        """The turn has failed."""
        await self._leave(invocation_context.invocation_id)

    async def close(self) -> None:
        """The runner is closed, and with it what has not ended in good order."""
        for name in list(self._begun):
            await self._leave(name)

    async def before_agent_callback(self, *, agent: Any, callback_context: Any) -> None:
        """Know the model of every agent that has its turn."""
        begun = self._begun.get(callback_context.invocation_id)
        if begun is not None:
            begun.agents[agent.name] = agent

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Put tools in the place of those that are offered which bring their calls."""
        begun = self._begun.get(callback_context.invocation_id)
        if begun is None:
            return
        llm_request.contents = begun.add_told(llm_request.contents)
        name, tools = callback_context.agent_name, llm_request.tools_dict
        begun.run.note_tools(len(tools))
        begun.requests[name] = llm_request
        begun.first.setdefault(name, list(llm_request.contents))
        begun.run.add_instructions(str(llm_request.config.system_instruction or ""))
        pitfalls = self._host.describe_pitfalls(tools, agent=name)
        if pitfalls:
            llm_request.append_instructions([pitfalls])
        tools.update({each: begun.wrap(tool) for each, tool in tools.items()})

    async def before_tool_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any
    ) -> dict[str, Any] | None:
        """Bring a call that goes on after an approval: the host takes no offered tool for it."""
        begun = self._begun.get(tool_context.invocation_id)
        if begun is None or tool_context.tool_confirmation is None or hasattr(tool, "reviewed"):
            return None
        try:
            result = await begun.bring(tool, args=tool_args, tool_context=tool_context)
        except Exception as error:  # noqa: BLE001 - here it would end the run as ours
            advice = self._host.read_advice(error)
            return {"error": "\n\n".join(filter(None, (str(error), advice)))}
        return result if isinstance(result, dict) else {"result": result}

    async def on_tool_error_callback(self, *, error: Exception, **_: Any) -> dict[str, Any] | None:
        """Tell the model what would help, where something would."""
        advice = self._host.read_advice(error)
        return {"error": f"{error}\n\n{advice}"} if advice else None

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> Any:
        """Review what would be the answer; where something was wrong, ask the model again."""
        begun = self._begun.get(callback_context.invocation_id)
        came = llm_response if begun is None else put_off_output(llm_response)
        if begun is None or read_answer(came) is None:
            return None if came is llm_response else came
        response = await begun.review(callback_context.agent_name, came)
        agent = begun.agents.get(callback_context.agent_name)
        key = getattr(agent, "output_key", None)
        if key and response.error_code == UNFINISHED:
            # What an earlier run has left under the key of an agent's output is not this one's.
            callback_context.state[key] = None
        return None if response is llm_response else response

    async def _leave(self, name: str) -> None:
        """A run is over; its session keeps what was said in it, also where it failed."""
        begun = self._begun.pop(name, None)
        if begun is not None:
            await begun.run.leave()


@dataclass
class AdkInvocation:
    """One running invocation of a runner, with all its agents and attempts."""

    host: Host
    run: HostRun
    context: Any
    agents: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, Any] = field(default_factory=dict)
    """What each agent has asked its model last."""
    first: dict[str, list[Any]] = field(default_factory=dict)
    """What it showed it first, before there was an attempt."""
    told: Any = None
    """What the attempt that is going on is told beside what the person said."""
    task: asyncio.Task[Any] | None = field(default_factory=asyncio.current_task)

    def wrap(self, tool: Any) -> Any:
        """The tool, with its calls brought. All else is as before, callbacks included."""
        made = getattr(tool, "func", None) or type(tool)
        deferring = getattr(tool, "_defers_response", False)
        if hasattr(tool, "reviewed") or deferring or made.__module__ in STEERING:
            return tool
        wrapped = copy.copy(tool)
        wrapped.reviewed = True
        wrapped.run_async = partial(self.bring, tool)
        return wrapped

    async def bring(self, tool: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Bring a call; what is said about it reaches the model as its response."""
        if isinstance(tool, AgentTool) and not self.host.is_declared(tool.name):
            # What it does is brought by its own calls.
            with self.run.make_current():
                return await tool.run_async(args=args, tool_context=tool_context)
        try:
            called = await self.run.call(read_call(tool, args=args, tool_context=tool_context))
        except ConfirmationRequested as asked:
            return asked.answer
        except HeldError as held:
            if not held.decided:
                payload = {"mulligan": held.action}
                tool_context.request_confirmation(hint=str(held), payload=payload)
                tool_context.actions.skip_summarization = True
            return {"error": str(held)}
        except NOT_MADE as refused:
            return {"error": str(refused)}
        return called.join_note()

    async def review(self, name: str, response: Any) -> Any:
        """The answer that goes out, or what the model does in the place of it."""
        response = self._make_written(name, response)
        while (given := read_answer(response)) is not None:
            answer = await self.run.review(given)
            if not answer.feedback:
                response = await self._end(name, response, given, answer)
                break
            told = types.Part(text=answer.feedback)
            said = types.Content(role="user", parts=[told])
            shown = self.requests[name].contents
            if not answer.undone:
                contents = [*shown, response.content, said]
            elif await self._drop_attempt(name, response):
                self.told = told
                contents = self.add_told(self.first[name])
            else:
                # As another's word: the session keeps it.
                await self._append(author="mulligan", content=said)
                contents = [*shown, said]
            self.requests[name] = self.requests[name].model_copy(update={"contents": contents})
            self.context.increment_llm_call_count()
            model = self.agents.get(name, self.context.agent).canonical_model
            asked = model.generate_content_async(self.requests[name], stream=False)
            response = self._make_written(name, [each async for each in asked][-1])
        return response

    async def _end(self, name: str, response: Any, given: object, answer: Answer) -> Any:
        """What goes out in the end."""
        if answer.undone:
            await self._drop_attempt(name, response)
        # Its host reads an object out of the text.
        typed = getattr(self.agents.get(name), "output_schema", None) is not None
        if typed and answer.unfinished is not None:
            # An answer that failed, in the host's own form; what is true stays in the session.
            text = answer.unfinished.answer
            said = types.Content(role="model", parts=[types.Part(text=text)])
            await self._append(author=name, content=said)
            return LlmResponse(error_code=UNFINISHED, error_message=text)
        keeps = typed and self.host.options.get("keep_unfinished") and not answer.finished
        if keeps and answer.undone:
            said = types.Content(role="model", parts=[types.Part(text=answer.refusal)])
            await self._append(author=name, content=said)
        if isinstance(answer.reply, str) and answer.reply != given and not keeps:
            return put_answer(response, answer.reply)
        return response

    def _make_written(self, name: str, response: Any) -> Any:
        """The response, with the calls that the model has only written as calls of its own."""
        text = read_answer(response)
        if not isinstance(text, str) or not self.host.options.get("written_calls"):
            return response
        tools = self.requests[name].tools_dict.items()
        declared = {each: tool._get_declaration() for each, tool in tools}  # noqa: SLF001 - see `read_call`
        # What has no declaration is the model's own, and not called here.
        schemas = {each: read_schema(said) for each, said in declared.items() if said is not None}
        calls = [
            types.FunctionCall(id=each.id, name=each.tool, args=each.arguments)
            for each in self.host.read_calls(text, schemas)
        ]
        if not calls:
            return response
        made = (types.Part(function_call=each) for each in calls)
        return with_parts(response, [*response.content.parts, *made])

    async def _drop_attempt(self, name: str, response: Any) -> bool:
        """Take an attempt out of the session in its own way, but for what the person said."""
        dropped = [*self.requests[name].contents[len(self.first[name]) :], response.content]
        asked = self.context.user_content
        if asked is None or any(part.function_response for part in asked.parts or ()):
            # It went on with a call that had waited, whose response has its place there.
            return False
        kept = [each.model_dump(mode="json", exclude_none=True) for each in dropped]
        await self.run.keep_dropped(json.dumps(kept).encode())
        rewind = EventActions(rewind_before_invocation_id=self.context.invocation_id)
        await self._append(actions=rewind)
        await self._append(content=asked)
        return True

    def add_told(self, contents: list[Any]) -> list[Any]:
        """What a model is shown, with what this attempt is told under what the person said: the
        session has no place for it that is not the person's."""
        if self.told is None:
            return contents
        parts = self.context.user_content.parts or []
        said = types.Content(role="user", parts=[*parts, self.told])
        for at in reversed(range(len(contents))):
            if contents[at].role == "user" and contents[at].parts == parts:
                return [*contents[:at], said, *contents[at + 1 :]]
        return [*contents, types.Content(role="user", parts=[self.told])]

    async def _append(self, *, author: str = "user", **said: Any) -> None:
        event = Event(invocation_id=self.context.invocation_id, author=author, **said)
        service = self.context.session_service
        await service.append_event(session=self.context.session, event=event)


class ArgumentsRefusedError(ValueError):
    """What the host says of arguments that a function does not take."""


class ConfirmationRequested(Exception):  # noqa: N818 - it steers, and is no error
    """A tool asks the person by itself, and was put off. The host has no exception for it."""

    def __init__(self, answer: Any) -> None:
        super().__init__("It waits for a confirmation.")
        self.answer = answer


def read_call(tool: Any, *, args: dict[str, Any], tool_context: Any) -> HostCall:
    """A call in no framework's words."""
    asked = tool_context.actions.requested_tool_confirmations
    declaration = tool._get_declaration()  # noqa: SLF001 - as models are shown it, nothing else has it

    async def make(arguments: Mapping[str, object]) -> object:
        result = await tool.run_async(args=dict(arguments), tool_context=tool_context)
        if tool_context.function_call_id in asked:
            raise ConfirmationRequested(result)
        return result

    async def check(arguments: Mapping[str, object]) -> None:
        refused = find_refusal(tool, dict(arguments))
        if refused:
            raise ArgumentsRefusedError(refused)

    said = tool_context.tool_confirmation
    return HostCall(
        tool=tool.name,
        arguments=args,
        make=make,
        check=check,
        id=tool_context.function_call_id or "",
        approved=None if said is None else bool(said.confirmed),
        schema=read_schema(declaration),
        description=tool.description or "",
        function=getattr(tool, "func", None),
    )


def find_refusal(tool: Any, arguments: dict[str, Any]) -> str:
    """What the host answers arguments with that a function does not take; empty if it takes them.

    Its answer is a result like any other, which a function may return as well, after it has done
    something: so it is asked first.
    """
    if not isinstance(tool, FunctionTool):
        return ""
    read = getattr(tool, "_preprocess_args_with_validation", None)
    if read is not None:
        arguments, wrong = read(arguments)
        if wrong:
            return str(tool._build_validation_error_response(wrong)["error"])  # noqa: SLF001 - in its words
    missing = [each for each in tool._get_mandatory_args() if each not in arguments]  # noqa: SLF001 - as above
    if not missing:
        return ""
    return (
        f"Invoking `{tool.name}()` failed as the following mandatory input parameters are not "
        f"present:\n{chr(10).join(missing)}"
    )


def read_schema(declaration: Any) -> dict[str, Any]:
    """Of the arguments, as JSON Schema."""
    if declaration is None:
        return {}
    if declaration.parameters_json_schema is not None:
        return dict(declaration.parameters_json_schema)
    if declaration.parameters is None:
        return {}
    schema: dict[str, Any] = declaration.parameters.json_schema.model_dump(
        mode="json", by_alias=True, exclude_none=True
    )
    return schema


def read_message(content: Any, events: list[Any]) -> str:
    """What the person said last, also where an invocation only goes on."""
    said = [content, *(each.content for each in reversed(events) if each.author == "user")]
    return next(filter(None, map(partial(read_text, corrections=False), said)), "")


def read_history(context: Any) -> History:
    """The session before an invocation, or around what the person said last where one goes on."""
    kept = drop_rewound(context.session.events)
    if read_text(context.user_content, corrections=False):
        asked = [at for at, each in enumerate(kept) if each.invocation_id == context.invocation_id]
    else:
        people = [at for at, each in enumerate(kept) if each.author == "user"]
        asked = [at for at in people if read_text(kept[at].content, corrections=False)][-1:]
    first = asked[0] if asked else len(kept)
    return History(kept[:first], since=kept[first:])


def drop_rewound(events: list[Any]) -> list[Any]:
    """The events that the host still shows its models."""
    kept: list[Any] = []
    at = len(events) - 1
    while at >= 0:
        until = getattr(events[at].actions, "rewind_before_invocation_id", None)
        if until:
            found = (n for n, each in enumerate(events[:at]) if each.invocation_id == until)
            at = next(found, at)
        else:
            kept.append(events[at])
        at -= 1
    return kept[::-1]


def read_text(content: Any, *, corrections: bool = True) -> str:
    """The text of a content, without what the model only thought, or also what we told it."""
    parts = (content.parts if content is not None else None) or ()
    texts = [part.text for part in parts if part.text and not part.thought]
    return "\n".join(text for text in texts if corrections or not is_feedback(text))


def read_answer(response: Any) -> str | dict[str, Any] | None:
    """The text of an answer, or what it sets as its output; `None` where it is none yet, or not
    whole."""
    calls = list_calls(response)
    if response.partial or response.error_code:
        return None
    if [call.name for call in calls] == [SETS_OUTPUT]:
        return dict(calls[0].args or {})
    return None if calls else read_text(response.content) or None


def put_off_output(response: Any) -> Any:
    """The response without an output that would end the run beside calls that are yet to be made:
    the model is asked for it again once they are."""
    names = {call.name for call in list_calls(response)}
    if SETS_OUTPUT not in names or names == {SETS_OUTPUT}:
        return response
    parts = response.content.parts
    named = [part.function_call and part.function_call.name for part in parts]
    kept = [part for part, name in zip(parts, named, strict=True) if name != SETS_OUTPUT]
    return with_parts(response, kept)


def list_calls(response: Any) -> list[Any]:
    """The calls that a response asks for."""
    parts = (response.content.parts if response.content else None) or ()
    return [part.function_call for part in parts if part.function_call]


def put_answer(response: Any, text: str) -> Any:
    """The answer with another text."""
    parts = [part for part in response.content.parts if not part.text or part.thought]
    return with_parts(response, [*parts, types.Part(text=text)])


def with_parts(response: Any, parts: list[Any]) -> Any:
    """A response of other parts."""
    said = types.Content(role=response.content.role, parts=parts)
    return response.model_copy(update={"content": said})
