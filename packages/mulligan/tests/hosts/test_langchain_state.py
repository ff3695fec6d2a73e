from __future__ import annotations

from types import SimpleNamespace

from langchain_core.messages import AIMessage, HumanMessage

from mulligan.hosts.langchain import find_asked, read_id, read_messages

FEEDBACK = HumanMessage("No.", response_metadata={"mulligan": "feedback"})


def test_what_the_person_said_last_is_found_before_what_we_told_the_agent():
    messages = [HumanMessage("Hi"), AIMessage("Hello"), HumanMessage("Move it"), FEEDBACK]

    assert find_asked(messages) == 2
    assert find_asked([FEEDBACK]) is None


def test_a_state_may_be_a_mapping_an_object_or_only_messages():
    messages = [HumanMessage("Hi")]

    assert read_messages(messages) == messages
    assert read_messages({"messages": messages}) == messages
    assert read_id(SimpleNamespace(mulligan_turn="t1")) == "t1"
    assert read_id({}) == ""
