from __future__ import annotations

import pytest

from mulligan.judge import TextJudge, find_json
from mulligan.prompts.template import render
from mulligan.types.display import Question
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.reply import Critique

ASKED = Question(
    prompt="critique_draft",
    values={"question": "Why?", "rubric": "Clarity."},  # type: ignore[dict-item]
    untrusted={"draft": "Because."},
    answer=Critique,
    purpose="criticise",
)


class Says:
    """Answers what it was told, in order, and remembers the prompts."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    async def __call__(self, prompt: str) -> object:
        self.prompts.append(prompt)
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def judge(says: Says, told: list[JudgeAsked]) -> TextJudge:
    return TextJudge(says, name="mine", render=render, scrub=lambda text, _: text, tell=told.append)


@pytest.mark.parametrize(
    "answer",
    [
        '{"score": 9, "issues": []}',
        'Well:\n```json\n{"score": 9}\n```\nThat is all.',
        '{no} then {"score": 9}',
        {"score": 9},
        Critique(score=9),
    ],
)
async def test_an_answer_is_read_in_whatever_form_it_comes(answer: object) -> None:
    says, told = Says(answer), []

    critique = await judge(says, told).ask(ASKED)

    assert critique is not None
    assert critique.score == 9
    assert (told[0].outcome, told[0].model, told[0].requests) == (AskOutcome.ANSWERED, "mine", 1)
    for words in ("You are the critic", "Why?", "Because.", '"score"'):
        assert words in says.prompts[0]


@pytest.mark.parametrize("garbage", ["no idea", "{", '{"score": "high"}', None, 7, "[1]"])
async def test_what_cannot_be_read_is_asked_for_once_more_and_is_no_answer(garbage: object) -> None:
    silent, told = Says(garbage), []

    assert await judge(silent, told).ask(ASKED) is None
    assert (len(silent.prompts), told[0].outcome) == (2, AskOutcome.UNREADABLE)
    assert await judge(Says(garbage, {"score": 5}), []).ask(ASKED) == Critique(score=5.0)


async def test_one_that_breaks_has_not_answered() -> None:
    told: list[JudgeAsked] = []

    assert await judge(Says(OSError("down")), told).ask(ASKED) is None
    assert told[0].outcome is AskOutcome.DOWN


def test_json_is_found_among_talk() -> None:
    assert find_json('so: {"a": {"b": 1}} and more') == {"a": {"b": 1}}
    with pytest.raises(ValueError, match="no JSON object"):
        find_json("none")
