from __future__ import annotations

import pytest

from mulligan.checks.requests import made_once
from mulligan.types.call import Outcome
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran, severities

CHECK = made_once("create", "send")


def create(title: str, *, outcome: Outcome = Outcome.SUCCESS):
    return ran("create", {"title": title}, outcome=outcome)


def test_the_second_of_two_equal_creates_is_flagged_and_the_third() -> None:
    same = [create("Dinner") for _ in range(3)]

    findings = list(CHECK(attempt("Dinner on Friday", *same)))

    assert severities(findings) == [Severity.ERROR, Severity.ERROR]
    assert findings[0].rule == "call.repeated"
    assert "has done" not in f"{findings[0].issue} {findings[0].correction}"


def test_other_arguments_other_tools_and_reads_are_no_repeats() -> None:
    tried = attempt(
        "Dinner and lunch",
        create("Dinner"),
        create("Lunch"),
        ran("send", {"title": "Dinner"}),
        ran("search", {"title": "x"}),
        ran("search", {"title": "x"}),
    )

    assert list(CHECK(tried)) == []


def test_trying_again_after_a_failure_is_no_repeat_but_after_a_timeout_it_is() -> None:
    failed = attempt("Dinner", create("Dinner", outcome=Outcome.FAILURE), create("Dinner"))
    unknown = attempt("Dinner", create("Dinner", outcome=Outcome.UNKNOWN), create("Dinner"))

    assert list(CHECK(failed)) == []
    assert len(list(CHECK(unknown))) == 1


@pytest.mark.parametrize("said", ["Send it twice", "Make three copies", "Remind me 3 times"])
def test_somebody_who_may_want_several_is_not_overruled(said: str) -> None:
    findings = CHECK(attempt(said, create("x"), create("x")))

    assert severities(findings) == [Severity.WARNING]


def test_words_inside_a_quotation_ask_for_nothing() -> None:
    findings = CHECK(attempt("Send 'See you again' to Ann", create("x"), create("x")))

    assert severities(findings) == [Severity.ERROR]
