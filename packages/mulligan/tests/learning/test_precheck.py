"""Calls that will fail, or that nobody asked for, noticed before they are made."""

from __future__ import annotations

import json

import pytest

from mulligan.learning.precheck import check_relevance, precheck
from mulligan.learning.schema import read_schema
from mulligan.types.call import Call
from mulligan.types.finding import Severity
from mulligan.types.lesson import Earlier, Planned
from tests.learning.failures import TEXT, WHOLE, obj

ORDER = Earlier(tool="get_order", result=json.dumps({"order_id": "#W17", "status": "delivered"}))


OPENED = Earlier(tool="get_order", result={"order_id": "#W19", "status": "opened (changed)"})


PLAIN = Earlier(tool="get_order", result={"order_id": "#W20", "status": "opened"})


CARD = Earlier(tool="get_user", result={"cards": [{"id": "gift_17", "balance": 40}]})


STOCK = Earlier(tool="get_product", result={"variants": {"881": {"available": False}}})


def rules(tool: str, arguments: dict[str, object], **known: object) -> list[str]:
    planned = Planned(call=Call(id="1", tool=tool, arguments=arguments), **known)  # type: ignore[arg-type]
    return [finding.rule for finding in precheck(planned)]


@pytest.mark.parametrize(
    ("tool", "arguments", "known", "rule"),
    [
        ("seek", {}, {"tools": ("find",)}, "call.unknown_tool"),
        ("find", {}, {"schema": obj("city", city=TEXT)}, "call.shape"),
        ("find", {"order_id": "#W9999"}, {"earlier": (ORDER,)}, "call.id_never_seen"),
        ("find", {"email": "some@example.com"}, {"said": ("I am Ann",)}, "call.id_never_seen"),
        ("find", {"user_id": "unknown"}, {}, "call.placeholder"),
        ("find", {"order_id": "<order id>"}, {}, "call.placeholder"),
        ("cancel_pending_order", {"order_id": "#W17"}, {"earlier": (ORDER,)}, "call.wrong_state"),
        (
            "change_opened_order",
            {"order_id": "#W19"},
            {"earlier": (OPENED, PLAIN)},
            "call.wrong_state",
        ),
        ("exchange", {"new_ids": ["881"]}, {"earlier": (STOCK,)}, "call.unavailable"),
        ("exchange", {"ids": [1, 2], "new_ids": [3]}, {}, "call.lists_differ"),
        (
            "pay",
            {"payments": [{"card_id": "gift_17", "amount": 50}]},
            {"earlier": (CARD,)},
            "call.exceeds",
        ),
        (
            "find",
            {"a": 1},
            {"earlier": (Earlier(tool="find", arguments={"a": 1}, failed=True),)},
            "call.failed_before",
        ),
    ],
)
def test_a_call_that_will_fail_is_noticed(tool, arguments, known, rule) -> None:
    assert rules(tool, arguments, **known) == [rule]


@pytest.mark.parametrize(
    ("tool", "arguments", "known"),
    [
        ("find", {"city": "Oslo"}, {"schema": obj("city", city=TEXT), "tools": ("find",)}),
        ("find", {"order_id": "W17"}, {"said": ("It is order #W17.",)}),
        ("find", {"order_id": "#W17"}, {"earlier": (ORDER,)}),
        (
            "find",
            {"order_id": "#W9999"},
            {"earlier": (Earlier(tool="x", result='{"orders": ["#W1'),)},
        ),
        ("return_delivered_order", {"order_id": "#W17"}, {"earlier": (ORDER,)}),
        ("change_opened_order", {"order_id": "#W19"}, {"earlier": (OPENED,)}),
        ("change_opened_order", {"order_id": "#W20"}, {"earlier": (OPENED, PLAIN)}),
        ("get_order_tracking", {"order_id": "#W17"}, {"earlier": (ORDER,)}),
        ("pay", {"payments": [{"card_id": "gift_17", "amount": 40}]}, {"earlier": (CARD,)}),
        ("send", {"text": "unknown", "title": "Order 99"}, {}),
        ("find", {"a": 1}, {"earlier": (Earlier(tool="find", arguments={"a": 1}),)}),
    ],
)
def test_a_call_that_nothing_speaks_against_is_left_alone(tool, arguments, known) -> None:
    assert rules(tool, arguments, **known) == []


LETTERS = {"type": "string", "pattern": r"^[A-Za-z\s]+$"}
CLOSED = {"additionalProperties": False}
PLATFORM = {"type": "string", "enum": ["iOS", "Android", "Web"]}


@pytest.mark.parametrize(
    ("part", "value", "severity"),
    [
        (LETTERS, "赤壁之战", Severity.WARNING),
        (LETTERS, "São Paulo", Severity.WARNING),
        (LETTERS, "São Paulo 7", Severity.ERROR),
        (LETTERS, "route 66", Severity.ERROR),
        (PLATFORM, "iOS, Android", Severity.WARNING),
        (PLATFORM, "iOS and Web", Severity.WARNING),
        (PLATFORM, "iOS, Linux", Severity.ERROR),
        (PLATFORM, "Linux", Severity.ERROR),
        ({"type": "integer"}, "São", Severity.ERROR),
    ],
)
def test_a_value_that_the_schema_only_pictures_otherwise_is_a_warning(
    part, value, severity
) -> None:
    call = Call(id="1", tool="find", arguments={"trip": {"to": value}})
    schema = obj("trip", trip=obj("to", to=part))

    [found] = precheck(Planned(call=call, schema=schema))

    assert found.severity is severity


@pytest.mark.parametrize(("closed", "severity"), [({}, Severity.WARNING), (CLOSED, Severity.ERROR)])
def test_an_argument_beside_the_named_ones_is_refused_only_where_the_schema_does(
    closed, severity
) -> None:
    call = Call(id="1", tool="find", arguments={"city": "Oslo", "units": "metric"})
    schema = {**obj("city", city=TEXT), **closed}

    found = precheck(Planned(call=call, schema=schema))

    assert max(each.severity is Severity.ERROR for each in found) is (severity is Severity.ERROR)


def test_arguments_that_hold_themselves_or_never_end_are_left_alone() -> None:
    loop: dict[str, object] = {}
    loop["a"] = loop

    assert rules("find", loop, schema=obj("city", city=TEXT)) == []


CONVERT = read_schema(obj("base", "amount", base=TEXT, amount=WHOLE))


def ask(question: str, arguments: dict[str, object]):
    return check_relevance(
        CONVERT,
        tool="currency_converter",
        description="Converts an amount from one currency to another.",
        arguments=arguments,
        said=(question,),
    )


def test_a_call_out_of_thin_air_is_a_warning() -> None:
    found = ask("How long does a flight to Miami take?", {"base": "USD", "amount": 100})

    assert found is not None
    assert found.severity is Severity.WARNING


def test_a_call_about_what_was_asked_is_none() -> None:
    assert ask("Convert 100 USD to euros", {"base": "USD", "amount": 100}) is None


def test_where_nothing_was_said_nothing_is_known() -> None:
    assert ask("", {"base": "USD", "amount": 100}) is None
