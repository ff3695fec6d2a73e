from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.core.errors import ConfigurationError, OutOfStepsError
from mulligan.core.event import Happened
from mulligan.core.text import Critique, Draft
from mulligan.core.text_event import ToolAnswered, ToolCalled
from mulligan.loops.drafting import Brief, Budget, Meter, Tools


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


@pytest.mark.parametrize(
    ("budget", "used_up"),
    [
        (Budget(), False),
        (Budget(tokens=11), False),
        (Budget(tokens=10), True),
        (Budget(money=0.5), True),
        (Budget(time=timedelta(seconds=6)), False),
        (Budget(time=timedelta(seconds=5)), True),
    ],
)
def test_a_budget_is_used_up_by_whatever_ends_first(budget: Budget, used_up: bool) -> None:
    now = iter([0.0, 5.0, 5.0])
    meter = Meter(budget, monotonic=lambda: next(now))

    meter.spend(tokens=10, money=0.5)

    assert meter.used_up is used_up


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
