"""Values as models write them: JSON, Python and what lies between."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.learning.parsing import (
    LONGEST_TEXT,
    Formula,
    GarbledError,
    Named,
    Reader,
    list_expressions,
    read_json,
    read_pairs,
    read_whole,
)

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**15), max_value=10**15)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def read_value(text: str) -> object:
    return Reader(text).parse_value(0)[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b', 'c': True, 'd': None}", {"a": "b", "c": True, "d": None}),
        ('{"a": [1, 2.5, -3,],}', {"a": [1, 2.5, -3]}),
        ("{a: 1, b: two words}", {"a": 1, "b": "two words"}),
        ('{"a": 1, // the first\n "b": 2}', {"a": 1, "b": 2}),
        ("('x', {'y': 1})", ["x", {"y": 1}]),
        ("dict(width=20, height=12)", {"width": 20, "height": 12}),
        ("Point(1, y='north')", Named("Point", [1], {"y": "north"})),
        ("'It's always fresh.'", "It's always fresh."),
        ('"a\\n\\u00e9"', "a\né"),
        ("'''three'''", "three"),
        ("1_000", 1000),
        ("call(007, 1,000, 10,200)", Named("call", ["007", "1,000", 10, 200])),
        # A plain sum is worked out.
        ("2 * 3.5", 7.0),
        ("(10 + 2) / 4", 3.0),
        ("-(2 + 3)", -5),
        ("2*math.pi", 2 * math.pi),
        ("np.pi/2", math.pi / 2),
        # What may be something else is no sum.
        ("2022/08/16", "2022/08/16"),
        ("2026-01-05", "2026-01-05"),
        ("1-2-3", "1-2-3"),
        ("10-20", "10-20"),
        ("1/0", "1/0"),
        ("2**99", "2**99"),
        ("x + 1", "x + 1"),
        ("3x^2 + 2x - 1", "3x^2 + 2x - 1"),
    ],
)
def test_a_value_is_read_as_it_was_meant(text: str, value: object) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text", ['"half a mess', "{'a': 'b", "[", "{", "}", "", "{'a'}", "[1 2", '{"' * 40_000]
)
def test_what_breaks_off_is_no_value_or_takes_too_long_is_refused(text: str) -> None:
    with pytest.raises(GarbledError):
        read_value(text)


@pytest.mark.full
@settings(deadline=None, derandomize=True)
@given(JSON_VALUES.filter(lambda value: isinstance(value, list | dict)))
def test_strict_json_is_read_as_any_reader_reads_it(value: object) -> None:
    assert read_value(json.dumps(value)) == json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "words",
    [
        "'a' + 'b'",
        "'a' 'b'",
        "'a'.upper()",
        "'a' if late else 'b'",
        "f'a{b}'",
        "order['id']",
        "prefix + 'b'",
        "get_id()",
        "x",
        "order.x",
        "*all",
    ],
)
def test_what_only_a_program_would_know_is_an_expression(words: str) -> None:
    value = read_value(f"call(x={words}, y=2)")

    assert isinstance(value, Named)
    assert isinstance(value.keywords["x"], Formula)
    assert list_expressions(value.keywords) == [words]
    assert value.keywords["y"] == 2


def test_a_value_after_a_keyword_is_a_piece_of_that_argument() -> None:
    value = read_value("call(x='say \"no\"', then, y=2)")

    assert isinstance(value, Named)
    assert list_expressions(value.values) == ["then"]


def test_a_printed_object_is_read_as_pairs_also_when_it_is_cut() -> None:
    found = read_pairs("meta=None content=[Text(type='text', text='no such fi")

    assert found["meta"] is None
    assert found["content"] == [Named("Text", [], {"type": "text", "text": "no such fi"})]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("{'a': True,}", {"a": True}),
        ("  [1, 2]  ", [1, 2]),
        ('"only text"', "only text"),
    ],
)
def test_a_text_that_is_one_value_is_read_strictly_or_loosely(text: str, value: object) -> None:
    assert read_whole(text) == value


@pytest.mark.parametrize(
    "text", ["{'a': 1} and more", "[" * 100_000, "{'a': '" + "x" * LONGEST_TEXT]
)
def test_a_text_that_says_more_or_too_much_is_garbled(text: str) -> None:
    with pytest.raises(GarbledError):
        read_whole(text)
    assert read_json(text) == (False, None)
