from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.learning.parsing import (
    Formula,
    GarbledError,
    Named,
    Reader,
    list_expressions,
    read_pairs,
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


def read_value(text: str) -> tuple[object, int]:
    return Reader(text).parse_value(0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b', 'c': True, 'd': None}", {"a": "b", "c": True, "d": None}),
        ('{"a": [1, 2.5, -3,],}', {"a": [1, 2.5, -3]}),
        ("{a: 1, b: two words}", {"a": 1, "b": "two words"}),
        ('{"a": 1, // the first\n "b": 2}', {"a": 1, "b": 2}),
        ("('x', {'y': 1})", ["x", {"y": 1}]),
        ("dict(width=20, height=12)", {"width": 20, "height": 12}),
        ("'It's always fresh.'", "It's always fresh."),
        ('"a\\n\\u00e9"', "a\né"),
        ("'''three'''", "three"),
        ("2 * 3", 6),
        ("(10 + 2) / 4", 3.0),
        ("2022/08/16", "2022/08/16"),
        ("3x^2 + 2x - 1", "3x^2 + 2x - 1"),
        ("1_000", 1000),
    ],
)
def test_a_value_is_read_as_it_was_meant(text: str, value: object) -> None:
    assert read_value(text)[0] == value


def test_pi_in_a_sum_is_worked_out() -> None:
    assert read_value("2*math.pi")[0] == pytest.approx(2 * math.pi)


def test_a_call_inside_a_value_keeps_its_name_and_arguments() -> None:
    value, _ = read_value("Point(1, y='north')")

    assert value == Named("Point", [1], {"y": "north"})


@pytest.mark.parametrize("text", ['"half a mess', "{'a': 'b", "[", "{", "}", "", "{'a'}", "[1 2"])
def test_what_breaks_off_or_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(GarbledError):
        read_value(text)


@settings(deadline=None, derandomize=True)
@given(JSON_VALUES.filter(lambda value: isinstance(value, list | dict)))
def test_strict_json_is_read_as_any_reader_reads_it(value: object) -> None:
    assert read_value(json.dumps(value))[0] == json.loads(json.dumps(value))


def test_a_printed_object_is_read_as_pairs_also_when_it_is_cut() -> None:
    found = read_pairs("meta=None content=[Text(type='text', text='no such fi")

    assert found["meta"] is None
    assert found["content"] == [Named("Text", [], {"type": "text", "text": "no such fi"})]


def test_a_text_made_to_be_read_again_and_again_is_given_up() -> None:
    with pytest.raises(GarbledError):
        read_value('{"' * 40_000)


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
    value, _ = read_value(f"call(x={words}, y=2)")

    assert isinstance(value, Named)
    assert isinstance(value.keywords["x"], Formula)
    assert list_expressions(value.keywords) == [words]
    assert value.keywords["y"] == 2


def test_zeros_in_front_belong_to_a_code_and_thousands_to_their_number() -> None:
    value, _ = read_value("call(007, 1,000, 10,200)")

    assert value == Named("call", ["007", "1,000", 10, 200])


def test_a_value_after_a_keyword_is_a_piece_of_that_argument() -> None:
    value, _ = read_value("call(x='say \"no\"', then, y=2)")

    assert isinstance(value, Named)
    assert list_expressions(value.values) == ["then"]
