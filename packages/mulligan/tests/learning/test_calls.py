from __future__ import annotations

import warnings

import pytest

from mulligan.learning.model_output import WrittenCall, read_calls

TOOLS = ("weather.get", "send_mail")


@pytest.mark.parametrize(
    "written",
    [
        'weather.get(city="Oslo", days=3)',
        "[weather.get(city='Oslo', days=3)]",
        "```python\n[weather.get(city='Oslo', days=3)]\n```\nThis asks for three days.",
        "Sure! Here is the call:\n\nweather.get(city='Oslo', days=3)\n\nHope that helps.",
        '[{"name": "weather.get", "arguments": {"city": "Oslo", "days": 3}}]',
        '{"tool_calls": [{"name": "weather_get", "parameters": {"city": "Oslo", "days": 3}}]}',
        '{"function": {"name": "weather.get", "arguments": "{\'city\': \'Oslo\', \'days\': 3}"}}',
        "<call>\n{'arguments': {'city': 'Oslo', 'days': 3}, 'name': 'weather.get'}</call>",
        '<|im_start|>\n{"arguments": {"city": "Oslo", "days": 3}, "name": "weather.get"}<|im_end|>',
        'weather_get\n{"city": "Oslo", "days": 3}',
        "['weather.get(city=\"Oslo\", days=3)']",
        "[('weather.get', {'city': 'Oslo', 'days': 3})]",
        "weather.get({'city': 'Oslo', 'days': 3})",
        "print(default_api.weather_get(city='Oslo', days=3))",
        "weather\\.get(city='Oslo', days=3)".replace("\\.", "."),
        "weather.get(city=Oslo, days=3)",
        '"weather.get(city=\\"Oslo\\", days=3)\\n\\nand then it breaks o',
        [{"weather_get": '{"city": "Oslo", "days": 3}'}],
        [{"weather.get": {"city": "Oslo", "days": 3}}],
        ["```tool\nweather.get(city='Oslo', days=3)\n```"],
    ],
)
def test_a_call_is_found_however_it_was_written(written: object) -> None:
    [call] = read_calls(written, tools=TOOLS)

    assert (call.arguments, call.values, call.doubts) == ({"city": "Oslo", "days": 3}, (), ())
    assert call.name.replace("_", ".").endswith("weather.get")


@pytest.mark.parametrize(
    "written",
    [
        "",
        "I would call weather.get for that, but which city?",
        "def weather.get(city, days): ...",
        'send_mail(to="bob", text="Hello wor',
        None,
        17,
        "x" * 200_000,
    ],
)
def test_where_there_is_no_whole_call_none_is_found(written: object) -> None:
    assert read_calls(written, tools=TOOLS) == []


def test_all_calls_are_read_in_their_order_and_an_alternative_is_talk() -> None:
    written = (
        "[weather.get(city='Oslo'),\n weather.get(city='Rome')] Or rather: weather.get(city='Bonn')"
    )

    calls = read_calls(written, tools=TOOLS)

    assert [call.arguments["city"] for call in calls] == ["Oslo", "Rome"]


def test_a_bare_value_may_hold_commas_up_to_the_next_argument() -> None:
    calls = read_calls("weather.get(city=Boston, MA, days=3)", tools=TOOLS)

    assert calls == [WrittenCall("weather.get", {"city": "Boston, MA", "days": 3})]


@pytest.mark.parametrize(
    "written", [r"weather.get(city='O\dslo')", "weather.get(city=[1or 2])", "weather.get(**all)"]
)
def test_what_python_would_warn_of_or_refuse_is_read_without_a_word(written: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        read_calls(written, tools=TOOLS)

    assert warned == []


def test_code_around_calls_is_no_talk() -> None:
    written = """```python
print(api.weather_get(city='Oslo'))
# and the next
second = weather_get(city='Rome')
```"""

    calls = read_calls(written, tools=TOOLS)

    assert [call.arguments["city"] for call in calls] == ["Oslo", "Rome"]
