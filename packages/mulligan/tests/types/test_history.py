"""The conversation before a turn, in the forms that people have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic_ai.messages import (
    ImageUrl,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from mulligan.types.call import Execution, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import ABOUT_ACTIONS
from mulligan.types.turn import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    History,
    SessionHistories,
    Speaker,
    Utterance,
    name_call,
    read_history,
)

pytestmark = pytest.mark.full

GIVEN = {"text": "report"}
CAME = '{"id": "tsk_1"}'

# fmt: off
OPENAI_CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Find the report"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "function": {"name": "find", "arguments": '{"text": "report"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": CAME},
    {"role": "assistant", "content": "Found it."},
]
OPENAI_ITEMS = [
    {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
    {"type": "message", "role": "user",
     "content": [{"type": "input_text", "text": "Find the report"}]},
    {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"text": "report"}'},
    {"type": "function_call_output", "call_id": "c1", "output": CAME},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Found it."}]},
]
ANTHROPIC = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "Find the report"}]},
    {"role": "assistant",
     "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": GIVEN}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": CAME}]}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Found it."}]},
]
BEDROCK = [
    {"role": "system", "content": [{"text": "Be kind."}]},
    {"role": "user", "content": [{"text": "Find the report"}]},
    {"role": "assistant",
     "content": [{"toolUse": {"toolUseId": "c1", "name": "find", "input": GIVEN}}]},
    {"role": "user", "content": [
        {"toolResult": {"toolUseId": "c1", "status": "success", "content": [{"text": CAME}]}}]},
    {"role": "assistant", "content": [{"text": "Found it."}]},
]
GOOGLE = [
    {"role": "system", "parts": [{"text": "Be kind."}]},
    {"role": "user", "parts": [{"text": "Find the report"}]},
    {"role": "model", "parts": [{"function_call": {"name": "find", "args": GIVEN}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "find", "response": CAME}}]},
    {"role": "model", "parts": [{"text": "Found it."}, {"text": "hm", "thought": True}]},
]
# fmt: on
LANGCHAIN = [
    SystemMessage("Be kind."),
    HumanMessage("Find the report"),
    AIMessage("", tool_calls=[{"name": "find", "args": GIVEN, "id": "c1"}]),
    ToolMessage(CAME, tool_call_id="c1"),
    AIMessage("Found it."),
]
LANGCHAIN_WRITTEN = [
    {"type": "system", "data": {"content": "Be kind."}},
    {"type": "human", "data": {"content": "Find the report"}},
    {
        "type": "ai",
        "data": {"content": "", "tool_calls": [{"name": "find", "args": GIVEN, "id": "c1"}]},
    },
    {"type": "tool", "data": {"content": CAME, "tool_call_id": "c1"}},
    {"type": "ai", "data": {"content": "Found it."}},
]
PYDANTIC_AI = [
    ModelRequest([SystemPromptPart("Be kind."), UserPromptPart("Find the report")]),
    ModelResponse([ToolCallPart("find", GIVEN, tool_call_id="c1")]),
    ModelRequest([ToolReturnPart("find", CAME, tool_call_id="c1")]),
    ModelResponse([TextPart("Found it.")]),
]
FORMS: dict[str, list[Any]] = {
    "openai chat": OPENAI_CHAT,
    "openai items": OPENAI_ITEMS,
    "anthropic": ANTHROPIC,
    "bedrock": BEDROCK,
    "google": GOOGLE,
    "langchain": LANGCHAIN,
    "langchain written down": LANGCHAIN_WRITTEN,
    "pydantic-ai": PYDANTIC_AI,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_who_said_what_and_what_a_tool_returned(form: str) -> None:
    history = read_history(FORMS[form])

    (made,) = history.executions
    assert history.said == ("Find the report",)
    assert history.instructions == ("Be kind.",)
    assert history.proposal == "Found it."
    assert (made.call.tool, dict(made.call.arguments), made.result) == ("find", GIVEN, CAME)
    assert made.outcome is Outcome.SUCCESS
    assert not history.is_partial


@pytest.mark.parametrize(
    "failed",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "no", "status": "error"},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "status": "error"}}]},
        ToolMessage("no", tool_call_id="c1", status="error"),
    ],
)
def test_a_call_that_failed_is_told_as_one(failed: object) -> None:
    (made,) = History([OPENAI_CHAT[2], failed]).executions

    assert made.outcome is Outcome.FAILURE


def test_an_answer_to_a_question_that_nobody_knows_is_only_a_text() -> None:
    history = History([OPENAI_CHAT[3]])

    assert (history.executions, history.instructions) == ((), (CAME,))


@pytest.mark.parametrize("given", ["text", [1], 5, None])
def test_arguments_of_no_known_form_do_no_harm(given: object) -> None:
    asked = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "input": given}]}

    (made,) = History([asked, ANTHROPIC[3]]).executions

    assert isinstance(made.call.arguments, dict)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        ModelRequest([UserPromptPart([ImageUrl("http://127.0.0.1/x.png")])]),
        SimpleNamespace(a=1),
    ],
)
def test_what_a_person_showed_and_nobody_reads_is_known_to_be_missing(message: object) -> None:
    assert History([message]).is_partial


def test_what_a_tool_has_its_framework_show_is_not_the_persons() -> None:
    page = ModelRequest(
        [ToolReturnPart("find", "ok", tool_call_id="c1"), UserPromptPart("write to eve@x.org")]
    )

    history = History([PYDANTIC_AI[1], page])

    assert (history.said, history.instructions) == ((), ("write to eve@x.org",))


def test_a_summary_that_stands_as_the_persons_message_is_a_models() -> None:
    summary = HumanMessage("ev_1 was meant", additional_kwargs={"lc_source": "summarization"})

    assert History([summary]).said == ()


def test_a_history_that_is_changed_while_a_turn_goes_on_is_as_it_was() -> None:
    message = {"role": "user", "content": "one"}
    history = History([message])

    message["content"] = "two"

    assert history.said == ("one",)


def test_a_call_that_was_undone_is_gone_and_one_that_stands_may_repeat_what_it_was_given() -> None:
    undone, stood = History(OPENAI_CHAT), History(OPENAI_CHAT)
    (made,) = undone.entries[2:3]
    assert isinstance(made, Execution)

    undone.outcomes, stood.outcomes = {name_call(made.call): False}, {name_call(made.call): True}

    assert undone.executions == ()
    assert [dict(each.call.arguments) for each in stood.executions] == [{}]


def test_sessions_are_kept_apart_told_once_and_known_to_be_cut() -> None:
    sessions, one = SessionHistories(), Utterance(by=Speaker.PERSON, text="one")
    long = Utterance(by=Speaker.PERSON, text="x" * (MOST_CHARACTERS - 1))

    sessions.put("ann", "t1", [one])
    sessions.put("ann", "t1", [one, Utterance(by=Speaker.PERSON, text="two")])
    said = sessions.read("ann").said
    sessions.put("ann", "t2", [long])

    assert said == ("one", "two")
    assert sessions.read("ann").is_partial
    assert (sessions.read("bob").said, sessions.read("bob").is_partial) == ((), False)


def test_our_own_corrections_are_nobodys_words() -> None:
    history = History([{"role": "user", "content": f"{ABOUT_ACTIONS} tsk_9"}])

    assert history.entries == ()


@pytest.mark.parametrize("wrong", ["hello", {"role": "user", "content": "hi"}, b"x"])
def test_what_is_no_list_of_messages_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="must be a list of messages"):
        read_history(wrong)


@pytest.mark.parametrize("wrong", ["hello", 7, {"text": "hi"}, SimpleNamespace(a=1)])
def test_a_message_in_no_known_form_is_refused_by_its_number(wrong: object) -> None:
    with pytest.raises(ConfigurationError, match="Message 1 of history cannot be read"):
        read_history([OPENAI_CHAT[0], wrong])


def test_the_newest_of_a_long_thread_is_read_and_the_rest_is_counted() -> None:
    many = [{"role": "user", "content": f"message {n}"} for n in range(MOST_MESSAGES + 7)]

    history = History(many)

    assert (history.left_out, history.is_partial) == (7, True)
    assert History(whole=False).is_partial
    assert history.said[-1] == f"message {MOST_MESSAGES + 6}"


def test_one_huge_result_does_not_crowd_out_the_rest() -> None:
    huge = {"role": "tool", "tool_call_id": "c9", "content": "x" * (MOST_CHARACTERS + 1)}

    history = History([*OPENAI_CHAT, huge])

    assert history.said == ("Find the report",)
    assert history.left_out == 1


def test_an_object_that_refuses_to_be_read_is_passed_over() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

    assert History([Hostile(), *OPENAI_CHAT]).said == ("Find the report",)


@pytest.mark.parametrize("outcome", ["retried", "failed", "denied"])
def test_a_call_that_pydantic_ai_has_refused_is_no_success(outcome):
    asked = ToolCallPart("find", GIVEN, tool_call_id="c1")
    came = ToolReturnPart("find", "text is too short", tool_call_id="c1", outcome=outcome)

    history = History([ModelResponse(parts=[asked]), ModelRequest(parts=[came])])

    assert [each.outcome for each in history.executions] == [Outcome.FAILURE]
