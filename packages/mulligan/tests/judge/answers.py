"""What the tests of the judge share: a question, its answer, and models that misbehave."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from mulligan.judge import ModelJudge, Scrub
from mulligan.types.display import Prompt, Question
from mulligan.types.events import JudgeAsked
from mulligan.types.limits import Breaker, JudgeLimits


class Opinion(Struct, frozen=True, kw_only=True):
    """What the person would say."""

    right: bool
    remarks: tuple[str, ...] = ()


QUESTION = Question(
    prompt="opinion",
    values={"message": "Move dinner to Friday"},
    untrusted={"result": "moved"},
    answer=Opinion,
    purpose="test",
)


def plain(question: Question) -> Prompt:
    """A prompt that shows everything."""
    message = "\n".join([*question.values.values(), *question.untrusted.values()])
    return Prompt(name=question.prompt, version=7, instructions="Judge.", message=message)


def structured(info: AgentInfo, arguments: object) -> ModelResponse:
    """An answer in the form that was asked for."""
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, arguments)])


def speaking(*said: str | dict | None) -> FunctionModel:
    """Gives these answers in turn, the last one for ever. `None` is an empty answer."""
    return speaking_from(deque(said))


def speaking_from(left: deque[str | dict | None]) -> FunctionModel:
    """The same, from a queue of the caller's."""

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        words = left.popleft() if len(left) > 1 else left[0]
        match words:
            case None:
                return ModelResponse(parts=[])
            case str():
                return ModelResponse(parts=[TextPart(words)])
            case _:
                return structured(info, words)

    return FunctionModel(speak)


def let_an_hour_pass() -> None:
    """Put the clock of the running loop forward, so that every timer is due."""
    loop = asyncio.get_running_loop()
    clock = loop.time
    loop.time = lambda: clock() + 3_600


def hanging() -> FunctionModel:
    """Never answers, and an hour goes by."""

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        let_an_hour_pass()
        await asyncio.Event().wait()
        raise AssertionError

    return FunctionModel(hang)


def stubborn(let_go: asyncio.Event) -> FunctionModel:
    """Does not answer before it is let go, and cannot be cancelled either."""

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        let_an_hour_pass()
        while not let_go.is_set():
            with suppress(asyncio.CancelledError):  # as a library with a fault of its own does
                await let_go.wait()
        return structured(info, {"right": True})

    return FunctionModel(hang)


def raising(error: BaseException) -> FunctionModel:
    """Fails each time."""

    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise error

    return FunctionModel(fail)


class Bench:
    """A judge and what it told."""

    def __init__(
        self,
        model: object,
        *,
        scrub: Scrub = lambda text, _: text,
        render: Callable[[Question], Prompt] = plain,
        monotonic: Callable[[], float] = lambda: 0.0,
        timeout: float = 3,
    ) -> None:
        self.told: list[JudgeAsked] = []
        self.judge = ModelJudge(
            model,
            render=render,
            scrub=scrub,
            tell=self.told.append,
            limits=JudgeLimits(timeout=timedelta(minutes=1)),
            make_breaker=lambda: Breaker(failures=timeout, window=30.0),
            monotonic=monotonic,
        )

    async def ask(self) -> Opinion | None:
        return await self.judge.ask(QUESTION)
