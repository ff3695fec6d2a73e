"""What the tests of the judge share: a question, its answer, and models that misbehave."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from mulligan.core.event import JudgeAsked
from mulligan.core.limits import Breaker
from mulligan.core.question import Prompt, Question
from mulligan.judge.model import ModelJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
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
    left = deque(said)

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


def hanging(*, stubborn: bool = False) -> FunctionModel:
    """Never answers; a stubborn one cannot even be cancelled."""

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        for _ in range(3 if stubborn else 1):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if not stubborn:
                    raise
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
        scrub: Callable[[str], str] = str,
        render: Callable[[Question], Prompt] = plain,
        timeout: timedelta = timedelta(seconds=60),
        monotonic: Callable[[], float] = lambda: 0.0,
        patience: float = 3,
    ) -> None:
        self.told: list[JudgeAsked] = []
        self.judge = ModelJudge(
            model,
            render=render,
            scrub=scrub,
            tell=self.told.append,
            timeout=timeout,
            breaker=Breaker(failures=patience, window=30.0),
            monotonic=monotonic,
        )

    async def ask(self) -> Opinion | None:
        return await self.judge.ask(QUESTION)
