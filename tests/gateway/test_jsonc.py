from __future__ import annotations

import json

import pytest

from mulligan.gateway.servers_file import parse_jsonc
from mulligan.types.errors import ConfigurationError

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
        ('{"a": 1 "b": 2}', "Line 1, column 9: a comma or } is expected"),
        ('{\n  "a": }', "Line 2, column 8: '}' begins no value"),
        ('{"a": 1} x', "more after the end"),
        ('{"a": 1, "a": 2}', "stands there twice"),
        ("/* never ends", "the comment has no end"),
        ('{"a": "never ends}', "double quotes is expected"),
        ("", "a value is missing"),
        ("{a: 1}", "double quotes is expected"),
        ("[" * 100, "nested more than 64 deep"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, says):
    with pytest.raises(ConfigurationError, match="Line") as refused:
        parse_jsonc(text)

    assert says in str(refused.value)
