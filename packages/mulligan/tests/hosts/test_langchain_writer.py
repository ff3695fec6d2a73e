from __future__ import annotations

import pytest

from mulligan.hosts.langchain_writer import build_writer, is_agent, read_text
from mulligan.loops.drafts import DraftRules, write_draft
from mulligan.types.events import ToolAnswered, ToolCalled
from mulligan.types.reply import Critique

pytest.importorskip("langchain_core")
pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import (
    GenericFakeChatModel,
)
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

pytestmark = pytest.mark.full


class Chat(GenericFakeChatModel):
    """A chat model that says what it was given, and takes any tools."""

    def bind_tools(self, tools, **_):
        return self


def says(*answers: object) -> Chat:
    return Chat(messages=iter(answers))


def good(question, draft) -> Critique:
    return Critique(score=9)


def look_up(word: str) -> str:
    """Look a word up."""
    return f"about {word}"


def call(word: str) -> AIMessage:
    asked = {"name": "look_up", "args": {"word": word}, "id": word, "type": "tool_call"}
    used = {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}
    return AIMessage(content="", tool_calls=[asked], usage_metadata=used)


def test_runnables_are_told_from_other_things() -> None:
    assert is_agent(RunnableLambda(len))
    assert is_agent(says("x"))
    assert not any(is_agent(each) for each in (len, "openai:gpt-5", object()))


async def test_the_tools_of_a_graph_are_steps_and_its_tokens_count() -> None:
    agent = create_agent(says(call("oar"), AIMessage("an oar")), tools=[look_up])
    events: list[object] = []

    drafted = await write_draft(
        build_writer(agent), question="?", rules=DraftRules(critics=[good]), announce=events.append
    )

    assert (drafted.text, drafted.tokens) == ("an oar", 10)
    assert [e.arguments for e in events if isinstance(e, ToolCalled)] == [{"word": "oar"}]
    assert [e.result for e in events if isinstance(e, ToolAnswered)] == ["about oar"]


async def test_tools_of_the_rules_reach_a_chat_model() -> None:
    model = says(call("oar"), AIMessage("an oar"))
    events: list[object] = []
    rules = DraftRules(critics=[good], tools={"look_up": look_up})

    drafted = await write_draft(
        build_writer(model), question="?", rules=rules, announce=events.append
    )

    assert drafted.text == "an oar"
    assert [e.tool for e in events if isinstance(e, ToolCalled)] == ["look_up"]


async def test_a_graph_that_wants_more_tools_than_it_may_call_is_stopped() -> None:
    agent = create_agent(says(*(call(str(n)) for n in range(9))), tools=[look_up])
    events: list[object] = []

    drafted = await write_draft(
        build_writer(agent),
        question="?",
        rules=DraftRules(critics=[good], tool_steps=2, fallback="Sorry."),
        announce=events.append,
    )

    assert drafted.text == "Sorry."
    assert len([e for e in events if isinstance(e, ToolCalled)]) == 2


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("plain", "plain"),
        (AIMessage("a message"), "a message"),
        ({"messages": [AIMessage("one"), AIMessage("two")]}, "two"),
        ({"output": "out"}, "out"),
        ({"odd": 1}, '{"odd": 1}'),
    ],
)
def test_the_text_is_found_in_whatever_is_answered(answer: object, text: str) -> None:
    assert read_text(answer) == text
