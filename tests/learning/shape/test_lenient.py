from __future__ import annotations

import pytest

from mulligan.core.suggestion import Kind
from mulligan.learning.shape.lenient import Meant, match_tool, read_meant
from mulligan.learning.shape.schema import read_schema
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
            "get(city='Oslo', days='3')",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.TOOL, Kind.COERCE)),
        ),
        (
            "tools.weather_get('Oslo', 3)",
            Meant("weather.get", {"city": "Oslo", "days": 3}, (Kind.TOOL,)),
        ),
        (
            "weather.get(params={'city': 'Oslo'})",
            Meant("weather.get", {"city": "Oslo"}, (Kind.REFORMAT,)),
        ),
        ("weather.get(days=3)", Meant("weather.get", {"days": 3}, fits=False)),
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
        ("weather_get", "weather.get"),
        ("functions.weather_get", "weather.get"),
        ("wether.get", "weather.get"),
        ("get", "weather.get"),
        ("post", None),
        ("", None),
    ],
)
def test_a_name_stands_for_the_only_tool_it_can(name: str, tool: str | None) -> None:
    assert match_tool(name, tuple(TOOLS)) == tool
