from __future__ import annotations

from mulligan.app.recognizing import recognize
from mulligan.core.call import Outcome
from mulligan.core.error_class import ErrorClass
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
