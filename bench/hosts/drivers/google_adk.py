"""google-adk, with a model of our own that follows the script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import Field

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan

CANNOT: dict[str, str] = {}

CONFIRM = "adk_request_confirmation"


class ScriptedLlm(BaseLlm):  # type: ignore[misc]
    """Calls the tools of each step, and replies."""

    model: str = "scripted"
    steps: list[Any] = Field(default_factory=list)
    shown: list[str] = Field(default_factory=list)

    async def generate_content_async(
        self,
        llm_request: Any,
        stream: bool = False,  # noqa: FBT001, FBT002 - as the host calls it
    ) -> AsyncIterator[Any]:
        """The next step; several calls at once where it is a list."""
        texts = [llm_request.config.system_instruction or "", *map(_show, llm_request.contents)]
        self.shown.append("\n".join(map(str, texts)))
        step = self.steps.pop(0)
        if isinstance(step, str):
            parts = [types.Part(text=step)]
        else:
            calls = step if isinstance(step, list) else [step]
            parts = [types.Part.from_function_call(name=name, args=args) for name, args in calls]
        content = types.Content(role="model", parts=parts)
        if stream and isinstance(step, str):
            yield LlmResponse(content=content, partial=True)
        yield LlmResponse(content=content)


class Talk:
    """One session of a runner."""

    def __init__(self, agent: Any, *plugins: Any) -> None:
        app = App(name="planning", root_agent=agent, plugins=list(plugins))
        self.runner = InMemoryRunner(app=app)
        self.session = ""
        self.asked: list[Any] = []
        """What waits for a confirmation."""

    async def say(self, *parts: Any, most: int = 20) -> str:
        """What the person reads in the end."""
        texts = await self.stream(*parts, most=most)
        return texts[-1] if texts else ""

    async def stream(
        self, *parts: Any, most: int = 20, mode: StreamingMode = StreamingMode.NONE
    ) -> list[str]:
        """What the person reads on the way."""
        if not self.session:
            opened = await self.runner.session_service.create_session(
                app_name="planning", user_id="ann"
            )
            self.session = opened.id
        self.asked = []
        shown: list[str] = []
        message = types.Content(role="user", parts=list(parts))
        async for event in self.runner.run_async(
            user_id="ann",
            session_id=self.session,
            new_message=message,
            run_config=RunConfig(max_llm_calls=most, streaming_mode=mode),
        ):
            self.asked += [call for call in event.get_function_calls() if call.name == CONFIRM]
            texts = [part.text for part in (event.content and event.content.parts) or ()]
            shown.append("\n".join(filter(None, texts)))
        return [text for text in shown if text]

    async def confirm(self, *, yes: bool = True) -> str:
        """Answer everything that waits."""
        parts = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=call.id, name=CONFIRM, response={"confirmed": yes}
                )
            )
            for call in self.asked
        ]
        return await self.say(*parts)


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One run of an agent on a message."""
    ran = Ran()
    model = ScriptedLlm(steps=list(script), shown=ran.shown)
    ran.shown = model.shown
    agent = LlmAgent(name="planner", model=model, tools=list(tools))
    talk = Talk(agent, *([] if m is None else [m.for_google_adk(**options)]))
    ran.reply = await talk.say(types.Part(text=message))
    if talk.asked:
        ran.waits = talk, model
    return ran


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """A session of the runner."""
    model = ScriptedLlm()
    agent = LlmAgent(name="planner", model=model, tools=list(tools))
    session, runs = Talk(agent, m.for_google_adk()), list[Ran]()
    for message, script in talk:
        model.steps[:], model.shown = list(script), []
        reply = await session.say(types.Part(text=message))
        runs.append(Ran(reply=reply, shown=model.shown))
    return runs


async def stream(
    m: Mulligan, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> list[str]:
    """The texts of all events, of a model that writes in parts."""
    agent = LlmAgent(name="planner", model=ScriptedLlm(steps=list(script)), tools=list(tools))
    talk = Talk(agent, m.for_google_adk(**options))
    return await talk.stream(types.Part(text=message), mode=StreamingMode.SSE)


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:  # noqa: ARG001 - the agent has them
    """Go on with the calls that wait for a confirmation."""
    talk, model = ran.waits
    model.steps[:], later = list(script), Ran()
    model.shown.clear()
    later.reply = await talk.confirm()
    later.shown = list(model.shown)
    return later


def _show(content: Any) -> str:
    texts = []
    for part in content.parts or ():
        response = part.function_response and part.function_response.response
        texts.append(part.text or _tell(response) or str(part.function_call))
    return "\n".join(texts)


def _tell(response: Any) -> str:
    """As text, without the signs that would stand for its quotes and lines."""
    return "\n".join(map(str, response.values())) if response else ""
