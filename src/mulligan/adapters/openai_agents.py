"""openai-agents: every run through this runner is a turn, with the agents that it is handed to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Self

from agents import Runner, RunState

from mulligan.adapters.openai_agents_call import bring_calls, bring_decisions
from mulligan.adapters.openai_agents_model import wrap_model
from mulligan.core.adapter import Answer, Host
from mulligan.core.errors import RunningLoopError
from mulligan.core.finding import is_feedback
from mulligan.core.history import History

EVERYTHING = 1_000_000_000
"""More items than a session has: asked for less, it may keep to a limit of its own."""


def build(host: Host) -> ReviewedRunner:
    """A runner: `await m.for_openai_agents().run(agent, "…")`."""
    return ReviewedRunner(host)


class ReviewedRunner:
    """Runs agents as the host's `Runner` does, and takes what that takes."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002
        """As `Runner.run`: from a message, or a `RunState` that waited for a person."""
        async with ReviewedRun(self._host, starting_agent, input, options) as reviewed:
            while True:
                with reviewed.bring_calls():
                    result = await Runner.run(reviewed.agent, reviewed.input, **reviewed.options)
                if await reviewed.is_over(result):
                    return result

    def run_sync(self, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002
        """As `Runner.run_sync`, on a thread where no event loop runs."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._host.run_sync(partial(self.run, starting_agent, input, **options))
        raise RunningLoopError("An event loop runs on this thread: `await run(…)` instead.")

    def run_streamed(
        self,
        starting_agent: Any,
        input: Any,  # noqa: A002
        *,
        live: bool | None = None,
        **options: Any,
    ) -> ReviewedStream:
        """As `Runner.run_streamed`; events come once they are reviewed, or `live` at once."""
        if live is None:
            live = not self._host.options.get("hold_back", True)
        reviewed = ReviewedRun(self._host, starting_agent, input, options)
        return ReviewedStream(reviewed, live=live)

    def wrap_model(self, model: Any) -> Any:
        """A model of an agent, for `written_calls`: what it only writes are calls of its own."""
        return wrap_model(model, self._host)


class ReviewedStream:
    """A streamed run. What the host's own result has, this has once the events have come."""

    def __init__(self, reviewed: ReviewedRun, *, live: bool) -> None:
        self._reviewed = reviewed
        self._live = live
        self._result: Any = None

    async def stream_events(self) -> AsyncIterator[Any]:
        """The events: of the attempt that stands, or `live` of all of them."""
        async with self._reviewed as reviewed:
            over = False
            while not over:
                with reviewed.bring_calls():
                    self._result = Runner.run_streamed(
                        reviewed.agent, reviewed.input, **reviewed.options
                    )
                kept = []
                async for event in self._result.stream_events():
                    if self._live:
                        yield event
                    else:
                        kept.append(event)
                # What an attempt gave is nobody's to read before it was reviewed.
                result, self._result = self._result, None
                over = await reviewed.is_over(result)
                self._result = result
        for event in kept:
            yield event

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._result is None:
            raise AttributeError(f"{name} is there once `stream_events()` was gone through.")
        return getattr(self._result, name)


class ReviewedRun:
    """One run on its way, with as many attempts as it takes."""

    def __init__(self, host: Host, agent: Any, asked: Any, options: dict[str, Any]) -> None:
        self.agent = agent
        self.input = asked
        self.options = dict(options)
        self._host = host
        self._first = agent, asked, options.get("previous_response_id")
        self._saved = 0
        """How many items of the session are older than the attempt that is going on."""
        self._dropped: list[Any] = []
        """What rejected attempts have used."""

    async def __aenter__(self) -> Self:
        session, state = self.options.get("session"), self.input
        resumed = isinstance(state, RunState)
        given = self.options.get("context")
        if resumed and given is None:
            given = getattr(state._context, "context", None)  # noqa: SLF001 - it has no other way
        before = list(await session.get_items(EVERYTHING)) if session is not None else []
        self.run = self._host.open(
            read_message(self.input) or (read_message(before) if resumed else ""),
            agent=self.agent.name,
            given=given,
            history=self._read_history(before),
            thread=self._find_thread(),
            kept=self._is_kept(),
        )
        for each in (self.agent, *getattr(self.agent, "handoffs", ())):
            told = getattr(each, "instructions", None)
            self.run.add_instructions(told if isinstance(told, str) else "")
        if not self.agent.mcp_servers:
            self.run.note_tools(len(self.agent.tools))
        self._saved = _count_told(before) if resumed else len(before)
        if resumed:
            await bring_decisions(state, self.run)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        # A session keeps what was said, and may go on after a failure.
        await self.run.leave(failed=kind is not None and not self._is_kept())

    def bring_calls(self) -> AbstractContextManager[None]:
        """Agents that are started in here make their calls through this run."""
        return bring_calls(self._host, self.run)

    async def is_over(self, result: Any) -> bool:
        """Review what came of an attempt; where something was wrong, the next one is prepared."""
        if result.interruptions:
            return True
        answer = await self.run.review(result.final_output)
        if answer.feedback:
            await self._go_on(result, answer)
            self._dropped.append(result.context_wrapper.usage)
            return False
        if isinstance(result.final_output, str):
            if answer.reply != result.final_output:
                await self._put_reply(answer.reply)
            result.final_output = answer.reply
        elif answer.unfinished is not None:
            await self._put_reply(answer.unfinished.answer)
            raise answer.unfinished
        for usage in self._dropped:
            result.context_wrapper.usage.add(usage)
        return True

    async def _go_on(self, result: Any, answer: Answer) -> None:
        """What is asked next: the same without the rejected attempt, or only for another reply."""
        told = [{"role": "user", "content": answer.feedback}]
        kept = self.options.get("conversation_id") is not None
        if not answer.undone:
            self.agent = result.last_agent
            if self._is_chained():
                self.options["previous_response_id"] = result.last_response_id
            kept = kept or self._is_chained() or self.options.get("session") is not None
            self.input = told if kept else [*result.to_input_list(), *told]
            return
        self.agent, first, self.options["previous_response_id"] = self._first
        items = list_made(result.new_items)
        await self.run.keep_dropped(json.dumps(items, default=str).encode())
        await self._restore_session()
        if isinstance(first, RunState):
            # What was said before the interruption is in the session since then.
            kept = kept or self.options.get("session") is not None
            first = result.input
        self.input = told if kept else [*list_items(first), *told]

    def _read_history(self, before: list[Any]) -> History:
        """The conversation of the session and of the input, and what a run did before it waited."""
        state, since = self.input, []
        if isinstance(state, RunState):
            since = list_made(state._generated_items)  # noqa: SLF001 - as above
        items = [*before, *list_items(_read_input(state))]
        asked = find_asked(items)
        # What a server keeps, nobody else has.
        whole = not (self._is_chained() or self.options.get("conversation_id"))
        return History(items[:asked], since=[*items[asked:], *since], whole=whole)

    def _is_chained(self) -> bool:
        """Whether the server knows what was said, as of the response that is named."""
        return self._first[2] is not None or bool(self.options.get("auto_previous_response_id"))

    async def _restore_session(self) -> None:
        session = self.options.get("session")
        if session is not None:
            for _ in range(len(await session.get_items(EVERYTHING)) - self._saved):
                await session.pop_item()

    async def _put_reply(self, text: object) -> None:
        """Have the session say what the person was told: its next run goes on from there."""
        session = self.options.get("session")
        if session is None:
            return
        said = await session.pop_item()
        if said is not None and said.get("role") == "assistant":
            said = {"role": "assistant", "content": str(text)}
        await session.add_items([said] if said is not None else [])

    def _is_kept(self) -> bool:
        """Whether somebody may go on from what was said, also after a failure."""
        named = ("conversation_id", "previous_response_id", "auto_previous_response_id")
        asked = [self.options.get(name) for name in named]
        return self.options.get("session") is not None or any(asked)

    def _find_thread(self) -> str:
        session = getattr(self.options.get("session"), "session_id", "")
        config = self.options.get("run_config") or {}
        grouped = config.get("group_id") if isinstance(config, dict) else config.group_id
        return str(session or self.options.get("conversation_id") or grouped or "")


def read_message(asked: Any) -> str:
    """What the person said last, and not what we told the agent since."""
    items = list_items(_read_input(asked))
    return "\n".join(_list_texts(item) for item in items[find_asked(items) :][:1])


def find_asked(items: list[Any]) -> int:
    """Where the person said what a run is about; behind the end where they said nothing."""
    for at in reversed(range(len(items))):
        said = _list_texts(items[at]) if items[at].get("role") == "user" else ""
        if said and not is_feedback(said):
            return at
    return len(items)


def _count_told(items: list[Any]) -> int:
    """How many items there are up to what an agent was told last: what it made of that before it
    waited, such as a call without its output, goes with the rest of its attempt."""
    told = [at for at, item in enumerate(items, 1) if item.get("role") == "user"]
    return told[-1] if told else len(items)


def _read_input(asked: Any) -> Any:
    return asked._original_input if isinstance(asked, RunState) else asked  # noqa: SLF001 - it has no other way


def _list_texts(item: Any) -> str:
    content = item.get("content")
    parts = [{"text": content}] if isinstance(content, str) else content or []
    return "\n".join(str(part["text"]) for part in parts if part.get("text"))


def list_made(items: Iterable[Any]) -> list[Any]:
    """What a run has made, as items; what waits for a person is none yet."""
    return [each.to_input_item() for each in items if each.type != "tool_approval_item"]


def list_items(asked: Any) -> list[Any]:
    """What a run was asked, as items."""
    return [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)
