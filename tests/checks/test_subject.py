from __future__ import annotations

from dataclasses import replace

from mulligan.checks.subject import Heard, with_heard
from mulligan.core.call import Failure, Outcome
from mulligan.core.error_class import ErrorClass
from tests.checks.attempts import attempt, ran


def test_a_value_is_heard_whole_and_in_any_case() -> None:
    heard = Heard("Mail Ann@Example.com.", {"id": "a-1"})

    assert "ann@example.com" in heard
    assert "A-1" in heard
    assert "nn@example.com" not in heard
    assert "ann@example.co" not in heard


def test_an_error_that_names_the_right_value_was_heard() -> None:
    error = LookupError("No ev41. Did you mean ev42?")
    failed = replace(
        ran("delete", {"event_id": "ev41"}, outcome=Outcome.FAILURE),
        failure=Failure(error_class=ErrorClass.MISSING, error=error),
    )

    ((_, heard),) = with_heard(attempt("Cancel dinner", failed, ran("delete")))

    assert "ev42" in heard
    assert "ev43" not in heard
