from __future__ import annotations

import pytest

from mulligan.learning.model_output import rewrite_markup

CALL = '{"name": "find", "arguments": {"id": "7"}}'


@pytest.mark.parametrize(
    "written",
    [
        '<invoke name="find"><parameter name="id">7</parameter></invoke>',
        "<invoke><tool_name>find</tool_name><parameters><id>7</id></parameters></invoke>",
        "<function=find>\n<parameter=id>\n7\n</parameter>\n</function>",
        "<tool_call>find\n<arg_key>id</arg_key>\n<arg_value>7</arg_value>\n</tool_call>",
    ],
)
def test_a_call_in_tags_is_rewritten_as_json(written: str) -> None:
    assert CALL in rewrite_markup(written)


@pytest.mark.parametrize(
    "written",
    [
        '<function=find>{"id": "7"}</function>',
        '[TOOL_CALLS]find[ARGS]{"id": "7"}',
        '<|tool_call_begin|>find:0<|tool_call_argument_begin|>{"id": "7"}<|tool_call_end|>',
        '<\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>find\n{"id": "7"}',
        '<|channel|>commentary to=find <|constrain|>json<|message|>{"id": "7"}<|call|>',
        '>>>find\n{"id": "7"}',
    ],
)
def test_tokens_between_a_name_and_its_arguments_are_dropped(written: str) -> None:
    assert rewrite_markup(written).split() == ["find", '{"id":', '"7"}']


@pytest.mark.parametrize(
    "written",
    [
        '<invoke name="find"><parameter name="id">7',
        '<invoke name="find"><parameter name="id">7</invoke>',
        "I like <b>markup</b>.",
    ],
)
def test_what_breaks_off_or_is_no_call_stays_as_it_is(written: str) -> None:
    assert rewrite_markup(written) == written
