"""The fakes that are shipped: a clock, a judge with a script."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Judge
from mulligan_testing.fakes import FixedClock, ScriptedJudge


def test_a_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock()
    before = clock()

    clock.move(timedelta(hours=1))

    assert clock() - before == timedelta(hours=1)
    assert clock() == clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    right: bool


def question(message: str = "Move it") -> Question[Answer]:
    rest = dict.fromkeys(("earlier", "now", "facts", "calls"), "none")
    values = {"message": message, **rest}
    return Question(prompt="review_actions", values=values, answer=Answer, purpose="a test")


async def test_it_answers_from_a_list_and_remembers_what_it_was_asked() -> None:
    scripted = ScriptedJudge([Answer(right=True), None])
    judge: Judge = scripted

    answers = [await judge.ask(question("first")), await judge.ask(question("second"))]

    assert answers == [Answer(right=True), None]
    assert [asked.values["message"] for asked in scripted.questions] == ["first", "second"]
    assert "first" in scripted.prompts[0].message


async def test_it_answers_from_a_function_of_the_question() -> None:
    judge = ScriptedJudge(lambda asked: Answer(right="Friday" in asked.values["message"]))

    assert await judge.ask(question("Friday")) == Answer(right=True)
    assert await judge.ask(question("Monday")) == Answer(right=False)


@pytest.mark.parametrize(
    ("script", "asked", "said"),
    [
        ([], question(), "has 0 answers, and this is question 1"),
        (["yes"], question(), "with str, but Answer was asked for"),
        ([None], Question(prompt="nothing", answer=Answer, purpose="x"), "no prompt 'nothing'"),
    ],
)
async def test_mistakes_show_in_tests(script: list, asked: Question, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await ScriptedJudge(script).ask(asked)
