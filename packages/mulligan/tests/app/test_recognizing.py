from __future__ import annotations

from mulligan.learning.fingerprint import recognize
from mulligan.types.call import Outcome
from mulligan.types.failure import ErrorClass
from tests.telemetry.rows import a_row


def test_failures_that_differ_in_their_values_are_cases_of_one_pattern() -> None:
    said = ("order 4711 was not found", "order 12 was not found", "the shop is closed")
    rows = [a_row(outcome=Outcome.FAILURE, error_message=text) for text in said]

    found = [recognize(row) for row in rows]

    assert found[0] == found[1]
    assert found[0].fingerprint != found[2].fingerprint
    assert (found[0].tool, found[0].error_class) == ("find_events", ErrorClass.AMBIGUOUS)


def test_the_same_words_of_another_tool_are_another_pattern() -> None:
    failed = a_row(outcome=Outcome.UNKNOWN, error_message=None, error_class=None)

    mine, other = recognize(failed), recognize(failed._replace(tool="other"))

    assert mine.fingerprint != other.fingerprint
    assert mine.error_class is ErrorClass.UNKNOWN


def test_values_that_the_log_shows_make_no_patterns_of_their_own() -> None:
    cities = ("Oslo", "Lima")
    rows = [
        a_row(
            outcome=Outcome.FAILURE,
            parameters=f'{{"city":"{city}","mode":"fast"}}',
            error_message=f"No station in {city} that is fast",
        )
        for city in cities
    ]

    apart = [recognize(row).template for row in rows]
    together = [recognize(row, shown=frozenset({"city"})).template for row in rows]

    assert apart == ["no station in oslo that is fast", "no station in lima that is fast"]
    assert {recognize(row, shown=None).template for row in rows} == {
        "no station in <value> that is <value>"
    }
    assert together == ["no station in <value> that is fast"] * 2


def test_arguments_that_were_cut_short_are_no_arguments() -> None:
    row = a_row(outcome=Outcome.FAILURE, parameters='{"city":"Os', error_message="No Oslo")

    assert recognize(row, shown=frozenset({"city"})).template == "no oslo"
