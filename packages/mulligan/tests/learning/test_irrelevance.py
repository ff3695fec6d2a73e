from __future__ import annotations

from mulligan.learning.precheck import check_relevance
from mulligan.learning.schema import read_schema
from mulligan.types.finding import Severity
from tests.learning.failures import TEXT, WHOLE, obj

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
