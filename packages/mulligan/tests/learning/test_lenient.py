from __future__ import annotations

import pytest

from mulligan.learning.conform import Meant, read_meant, suggest_tool
from mulligan.learning.schema import read_schema
from mulligan.types.lesson import Kind
from tests.learning.failures import TEXT, WHOLE, obj

TOOLS = {
    "weather.get": read_schema(obj("city", city=TEXT, days=WHOLE)),
    "mail.send": read_schema(obj("to", "text", to=TEXT, text=TEXT)),
}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('weather.get(city="Oslo", days=3)', Meant("weather.get", {"city": "Oslo", "days": 3})),
        (
            "Weather_Get(City='Oslo', days='3')",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.RENAME, Kind.COERCE)),
        ),
        (
            "tools.weather_get('Oslo', 3)",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.TOOL,)),
        ),
        (
            "weather.get(params={'city': 'Oslo'})",
            Meant("weather.get", {"city": "Oslo"}, (Kind.REFORMAT,)),
        ),
    ],
)
def test_a_call_is_resolved_and_brought_into_shape(written: str, meant: Meant) -> None:
    assert read_meant(written, TOOLS) == [meant]


def test_the_first_group_that_fits_is_the_answer() -> None:
    written = (
        "The `mail.send()` function sends. So:\n"
        "weather.get(city='Oslo')\nAlternatively weather.get(city='Rome')"
    )

    assert [call.arguments for call in read_meant(written, TOOLS)] == [{"city": "Oslo"}]


@pytest.mark.parametrize(
    "written",
    ["pay(amount=5000)", "pay(amount=5, account='a1')", "pay(amount=5, speed='not fast')"],
)
def test_what_a_call_says_is_not_changed_to_make_it_fit(written: str) -> None:
    amount = {"type": "integer", "maximum": 1000}
    pay = {"pay": read_schema(obj("amount", amount=amount, speed={"enum": ["fast", "slow"]}))}

    (meant,) = read_meant(written, pay)

    assert not meant.fits
    assert meant.kinds == ()


def test_a_right_call_is_not_touched() -> None:
    right = [{"mail_send": {"to": "ann", "text": "12"}}, {"weather_get": {"city": "1"}}]

    assert [call.kinds for call in read_meant(right, TOOLS)] == [(), ()]


def test_a_call_of_no_tool_is_kept_beside_the_others_and_does_not_fit() -> None:
    found = read_meant("[weather.get(city='Oslo'), moon.phase(day=3)]", TOOLS)

    assert [(call.tool, call.fits) for call in found] == [
        ("weather.get", True),
        ("moon.phase", False),
    ]
    assert read_meant("print('hello')", TOOLS) == []


def test_a_text_that_repeats_itself_means_one_call_and_a_list_means_them_all() -> None:
    call = {"name": "weather.get", "arguments": {"city": "Oslo"}}

    assert len(read_meant(f"<call>{call}</call>\n<call>{call}</call>", TOOLS)) == 1
    assert len(read_meant([call, call], TOOLS)) == 2


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("weather.get", "weather.get"),
        ("functions.weather_get", "weather.get"),
        ("wether.get", "weather.get"),
        ("get", "weather.get"),
        ("undo_weather_get", None),
        ("weather", None),
        ("post", None),
        ("", None),
    ],
)
def test_after_a_failure_a_slip_is_worth_a_word_and_a_word_more_is_not(
    name: str, tool: str | None
) -> None:
    assert suggest_tool(name, tuple(TOOLS)) == tool


@pytest.mark.parametrize(
    "written",
    [
        "undo_weather_get(city='Oslo')",
        "preview.weather.get(city='Oslo')",
        '{"name": "staging/weather.get", "arguments": {"city": "Oslo"}}',
        '{"name": "wether.get", "arguments": {"city": "Oslo"}}',
    ],
)
def test_a_name_with_a_word_more_or_a_slip_is_no_call_of_the_tool(written: str) -> None:
    assert [call for call in read_meant(written, TOOLS) if call.fits] == []
    assert read_meant(written, {"weather.get": TOOLS["weather.get"]}) == read_meant(written, TOOLS)


def test_values_without_a_name_take_those_of_the_definition_in_its_order() -> None:
    [call] = read_meant("mail.send('bob', 'The code is 4711')", TOOLS)

    assert (call.arguments, call.fits) == ({"to": "bob", "text": "The code is 4711"}, True)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("mail.send('bob', 'hi', 'urgent')", "'urgent' has no argument to go to"),
        ("mail.send('bob', to='ann', text='hi')", "to is given twice, once without its name"),
        ("mail.send(to='bob', text='hi', draft=True)", "draft=True is no argument of it"),
        ("mail.send(to='bob', text='a' + 'b')", "\"'a' + 'b'\" is an expression, and not a value"),
        ("weather.get(days=3)", '"city" is a required property'),
        ("pay(amount='1.000')", "amount: '1.000' can be read as two numbers"),
    ],
)
def test_what_keeps_a_call_from_fitting_is_said(written: str, problem: str) -> None:
    pay = read_schema(obj("amount", amount={"type": "number"}))

    [call] = read_meant(written, {**TOOLS, "pay": pay})

    assert not call.fits
    assert problem in call.problems


def test_an_argument_that_the_tool_does_not_have_stays_in_sight() -> None:
    [call] = read_meant("mail.send(to='bob', text='hi', draft=True)", TOOLS)

    assert call.arguments == {"to": "bob", "text": "hi", "draft": True}
