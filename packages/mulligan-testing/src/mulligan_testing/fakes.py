"""Stand-ins that users get too: a clock that stands still, a scripted judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from mulligan.prompts.template import render
from mulligan.types.display import A, Prompt, Question
from mulligan.types.errors import ConfigurationError


class FixedClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)) -> None:
        self.now = now
        self.passed = timedelta()
        """How much time has really passed, whatever the clock was set to."""

    def __call__(self) -> datetime:
        """The time it shows."""
        return self.now

    def read_steady(self) -> tuple[str, float]:
        """The same on a monotonic clock, by which waits are measured."""
        return "fixed", self.passed.total_seconds()

    def move(self, by: timedelta) -> None:
        """Let time pass."""
        self.now += by
        self.passed += by

    def jump(self, by: timedelta) -> None:
        """Set the clock forward, or back: no time passes."""
        self.now += by


Script = Sequence[object] | Callable[[Question[Any]], object]


class ScriptedJudge:
    """Answers from a list, in order, or from a function of the question; `None` is no answer.

    It is stricter than a real judge, so that mistakes show in tests: a question that does not fit
    its prompt, an answer of the wrong type and one question too many are refused.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self.questions: list[Question[Any]] = []
        """Everything it was asked, oldest first."""
        self.prompts: list[Prompt] = []
        """The same, as a model would have read it."""

    async def ask(self, question: Question[A]) -> A | None:
        """The next answer of the script."""
        self.prompts.append(render(question))
        self.questions.append(question)
        answer = self._choose_answer(question)
        if answer is None or isinstance(answer, question.answer):
            return answer
        raise ConfigurationError(
            f"The script answers {question.purpose!r} with {type(answer).__name__}, but "
            f"{question.answer.__name__} was asked for. Change the script."
        )

    def _choose_answer(self, question: Question[A]) -> object:
        if callable(self._script):
            return self._script(question)
        asked = len(self.questions)
        if asked > len(self._script):
            raise ConfigurationError(
                f"The script has {len(self._script)} answers, and this is question {asked}: "
                f"{question.purpose!r}. Add an answer, or expect fewer questions."
            )
        return self._script[asked - 1]
