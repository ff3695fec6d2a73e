from __future__ import annotations

import pytest

from mulligan.checks.text import length
from mulligan.loops.briefs import Brief, ReplyBrief, Tools
from mulligan.types.errors import ConfigurationError, OutOfStepsError
from mulligan.types.events import Happened, ToolAnswered, ToolCalled
from mulligan.types.finding import Correction
from mulligan.types.limits import Budget, Meter
from mulligan.types.reply import Critique, Draft, Reply


def counting(steps: int, events: list[Happened]) -> Tools:
    async def later(n: int) -> int:
        return n + 1

    def breaks() -> None:
        raise ValueError("no")

    return Tools({"later": later, "breaks": breaks}, steps=steps, announce=events.append)


async def test_tools_are_counted_announced_and_not_called_beyond_the_last_step() -> None:
    events: list[Happened] = []
    tools = counting(2, events)

    assert await tools.call("later", n=1) == 2
    with pytest.raises(ValueError, match="no"):
        await tools.call("breaks")
    with pytest.raises(OutOfStepsError, match="All 2 tool steps"):
        await tools.call("later", n=1)

    assert [type(each) for each in events] == [ToolCalled, ToolAnswered] * 2
    assert events[3] == ToolAnswered(tool="breaks", step=2, error="ValueError")


async def test_a_tool_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(ConfigurationError, match="There are: later, breaks"):
        await counting(1, []).call("fly")
    assert counting(0, []).names == ()


def test_a_writer_that_takes_only_text_gets_draft_and_critique_too() -> None:
    tools, meter = counting(0, []), Meter(Budget())
    first = Brief(question="Why?", tools=tools, meter=meter)
    second = Brief(
        question="Why?",
        tools=tools,
        meter=meter,
        draft=Draft(text="Because.", number=1),
        critique=Critique(score=4, issues=("Too short.",), suggestion="Say more."),
    )

    assert first.prompt == "Why?"
    for words in ("Why?", "Because.", "(4 of 10)", "- Too short.", "Say more."):
        assert words in second.prompt


async def test_tools_of_an_agents_own_are_steps_too() -> None:
    events: list[Happened] = []
    tools = counting(1, events)

    async def run() -> str:
        return "found"

    assert await tools.make("search", arguments={"word": "x"}, run=run) == "found"
    with pytest.raises(OutOfStepsError):
        await tools.call("later", n=1)

    assert events[0] == ToolCalled(tool="search", arguments={"word": "x"}, step=1)
    assert events[1] == ToolAnswered(tool="search", step=1, result="found")


def test_without_a_step_there_are_no_tools_to_offer() -> None:
    assert list(counting(1, []).functions) == ["later", "breaks"]
    assert counting(0, []).functions == {}
    assert Tools().steps is None


def reply_brief(**about: object) -> ReplyBrief:
    asked = Reply(text="", query="How many?", context=("We have 5.", "They are red."))
    return ReplyBrief(
        asked=asked,
        checks=[length(at_least=5)],
        meter=Meter(Budget()),
        tools=Tools(),
        **about,  # type: ignore[arg-type]
    )


def test_the_first_prompt_has_question_context_and_requirements() -> None:
    prompt = reply_brief().prompt

    assert "# Question\n\nHow many?" in prompt
    assert "# Context 2\n\nThey are red." in prompt
    assert "# Requirements\n\n- Write at least 5 characters." in prompt


def test_later_ones_have_the_reply_itself_and_what_was_found_in_it() -> None:
    prompt = reply_brief(last="5.", correction=Correction(text="Too short.", findings=())).prompt

    assert "# Your last reply\n\n5." in prompt
    assert "# What was found in it\n\nToo short." in prompt


def test_what_it_takes_goes_to_the_meter_and_an_agents_own_tools_are_left_to_it() -> None:
    asked = reply_brief()

    asked.spend(tokens=3, money=0.1)

    assert (asked.meter.tokens, asked.meter.money, asked.steps) == (3, 0.1, None)
