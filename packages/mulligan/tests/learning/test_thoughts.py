from __future__ import annotations

import pytest

from mulligan.learning.model_output import drop_thoughts


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<think>drop(1)</think> look(2)", "look(2)"),
        ("a <Thinking>drop(1)</Thinking> b <think>drop(2)</think> c", "a \n b \n c"),
        ("drop(1), said the prompt's own thought.</think> look(2)", "look(2)"),
        ("look(2) <think>drop(1), and it breaks off", "look(2)"),
        ("<|channel|>analysis<|message|>drop(1)<|end|>look(2)", "<|end|>look(2)"),
        ("Action: look\nObservation: none\nAction: drop", "Action: look"),
        ("look(2)\n<tool_response>{}</tool_response>\ndrop(1)", "look(2)"),
        ("look(2)\n### Instruction:\ndrop(1)", "look(2)"),
        ("nothing to drop", "nothing to drop"),
    ],
)
def test_only_what_is_said_is_left_up_to_a_result_that_was_made_up(written: str, said: str) -> None:
    assert drop_thoughts(written).strip() == said
