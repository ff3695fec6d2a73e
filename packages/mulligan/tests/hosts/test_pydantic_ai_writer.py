from __future__ import annotations

import pytest

from mulligan.hosts.pydantic_ai_writer import build_writer, is_agent, is_model
from mulligan.loops.drafts import DraftRules, write_draft
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import ToolAnswered, ToolCalled
from mulligan.types.finding import Standing
from mulligan.types.reply import Critique, Draft

pydantic_ai = pytest.importorskip("pydantic_ai")
messages = pytest.importorskip("pydantic_ai.messages")
function = pytest.importorskip("pydantic_ai.models.function")

pytestmark = pytest.mark.full


def by_number(question: str, draft: Draft) -> Critique:
    return Critique(score=9 if draft.number > 1 else 5, issues=("too vague",))


def agent_that(respond) -> object:
    agent = pydantic_ai.Agent(function.FunctionModel(respond))

    @agent.tool_plain
    def look_up(word: str) -> str:
        return f"about {word}"

    return agent


async def test_an_agent_writes_and_revises_with_the_critique_in_its_prompt() -> None:
    prompts: list[str] = []

    def respond(history, info):
        prompts.append(str(history[-1].parts[-1].content))
        return messages.ModelResponse(parts=[messages.TextPart(f"draft {len(prompts)}")])

    drafted = await write_draft(
        build_writer(agent_that(respond)), question="Why?", rules=DraftRules(critics=[by_number])
    )

    assert (drafted.text, drafted.standing) == ("draft 2", Standing.ACCEPTED)
    assert prompts[0] == "Why?"
    assert "too vague" in prompts[1]
    assert drafted.tokens > 0


async def test_an_agent_that_only_calls_tools_is_asked_once_without_them() -> None:
    calls = 0

    def respond(history, info):
        nonlocal calls
        if not info.function_tools:
            return messages.ModelResponse(parts=[messages.TextPart("without tools")])
        calls += 1
        return messages.ModelResponse(parts=[messages.ToolCallPart("look_up", {"word": "x"})])

    drafted = await write_draft(
        build_writer(agent_that(respond)),
        question="Why?",
        rules=DraftRules(critics=[lambda q, d: Critique(score=9)], tool_steps=2),
    )

    assert (drafted.text, drafted.draft.with_tools) == ("without tools", False)
    assert calls == 3  # the third call was refused


async def test_a_model_can_be_named() -> None:
    drafted = await write_draft(
        build_writer("test"), question="Why?", rules=DraftRules(critics=[by_number])
    )

    assert drafted.text


def test_models_are_told_from_agents_and_both_from_functions() -> None:
    model = function.FunctionModel(lambda history, info: None)

    assert is_model(model)
    assert not is_model(pydantic_ai.Agent(model))
    assert all(is_agent(each) for each in (model, pydantic_ai.Agent(model), "openai:gpt-5"))
    assert not is_agent(len)


def test_a_model_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigurationError, match="The model 'nobody:none' cannot write"):
        build_writer("nobody:none")


async def test_tools_of_the_rules_reach_the_agent_and_all_calls_are_steps() -> None:
    offered: list[str] = []

    def respond(history, info):
        offered[:] = [tool.name for tool in info.function_tools]
        calls = [part for each in history for part in each.parts if part.part_kind == "tool-call"]
        if len(calls) == 2:
            return messages.ModelResponse(parts=[messages.TextPart("done")])
        name = ("look_up", "price")[len(calls)]
        given = {"word": "oar"} if name == "look_up" else {"boat": "Heron"}
        return messages.ModelResponse(parts=[messages.ToolCallPart(name, given)])

    def price(boat: str) -> int:
        """What a boat costs."""
        return 900

    rules = DraftRules(critics=[lambda *_: Critique(score=9)], tools={"price": price})
    events: list[object] = []

    drafted = await write_draft(
        build_writer(agent_that(respond)), question="?", rules=rules, announce=events.append
    )

    assert (drafted.text, sorted(offered)) == ("done", ["look_up", "price"])
    called = [each for each in events if isinstance(each, ToolCalled)]
    assert [(each.tool, each.step) for each in called] == [("look_up", 1), ("price", 2)]
    assert [e.result for e in events if isinstance(e, ToolAnswered)] == ["about oar", 900]


async def test_what_a_run_cost_counts_where_the_price_of_its_model_is_known() -> None:
    def respond(history, info):
        usage = pydantic_ai.RequestUsage(input_tokens=1_000_000, output_tokens=1_000_000)
        return messages.ModelResponse(
            parts=[messages.TextPart("an answer")],
            provider_name="openai",
            usage=usage,
        )

    agent = pydantic_ai.Agent(function.FunctionModel(respond, model_name="gpt-4o"))

    drafted = await write_draft(
        build_writer(agent),
        question="Why?",
        rules=DraftRules(critics=[lambda *_: Critique(score=9)]),
    )

    assert drafted.text == "an answer"
    assert drafted.money > 1
