from __future__ import annotations

import json

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.servers_file import parse_jsonc

WITH_COMMENTS = """// of a person
{
  "a": 1, /* kept */ "b": [true, null, "x // no comment",],
  "c": {"d": -1.5e3},
}
"""


def test_comments_and_trailing_commas_are_read_over():
    assert parse_jsonc(WITH_COMMENTS).value == {
        "a": 1,
        "b": [True, None, "x // no comment"],
        "c": {"d": -1500.0},
    }


def test_each_member_knows_where_it_stands():
    node = parse_jsonc(WITH_COMMENTS)

    inner = node.members["c"]

    assert WITH_COMMENTS[inner.start : inner.end] == '{"d": -1.5e3}'
    assert WITH_COMMENTS[inner.members["d"].start :].startswith("-1.5e3")


@pytest.mark.parametrize("value", [{}, [], 'ü\\n"', 0, 1.25, {"a": [{"b": "ß"}]}, None, False])
def test_what_json_writes_is_read_as_json_reads_it(value):
    assert parse_jsonc(json.dumps(value, indent=2)).value == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1 "b": 2}', "Line 1, column 9: expecting ',' delimiter"),
        ('{\n  "a": }', "Line 2, column 8: expecting value"),
        ('// one\n{"a": 1} x', "Line 2, column 10: extra data"),
        ('{"a": 1, "a": 2}', "'a' stands there twice"),
        ('\n[{"a": NaN}]', "NaN is no value"),
        ("\n/* never ends", "Line 2: the comment has no end"),
        ('{"a": "never ends}', "Line 1, column 7: unterminated string"),
        ("", "Line 1, column 1: expecting value"),
        ("{a: 1}", "Line 1, column 2: expecting property name enclosed in double quotes"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, says):
    with pytest.raises(ConfigurationError) as refused:
        parse_jsonc(text)

    assert says in str(refused.value)
