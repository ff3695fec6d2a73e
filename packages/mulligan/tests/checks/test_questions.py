"""Something done where only a question was asked."""

from __future__ import annotations

import pytest

from mulligan.checks.requests import is_only_question, only_asked
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran


@pytest.mark.parametrize(
    "message",
    [
        "What is on Friday?",
        "Which files are the largest? List them.",
        "Hi! Can you tell me who is invited?",
        "Show me my mails",
        "How much did I send to Ann?",
        "Who wrote 'please delete it'?",
    ],
)
def test_a_message_that_only_wants_to_know_is_told(message: str) -> None:
    assert is_only_question(message)


@pytest.mark.parametrize(
    "message",
    [
        "Delete the dinner",
        "What is on Friday? Move it to Monday.",
        "Summarize the page and post it to the team",
        "Can you send it to Ann?",
        "List the files and then delete the largest one",
        "Is it free? Book it.",
        "",
    ],
)
def test_a_message_that_may_ask_for_more_is_none(message: str) -> None:
    assert not is_only_question(message)


def test_a_change_on_a_question_is_a_warning_or_what_the_house_says() -> None:
    tried = attempt("What is on Friday?", ran("send_email", {"to": "a@b.org"}))

    (warned,) = only_asked({"send_email": 1})(tried)
    (rejected,) = only_asked({"send_email": 1}, severity=Severity.ERROR)(tried)

    assert (warned.rule, warned.severity) == ("request.only_asked", Severity.WARNING)
    assert rejected.severity is Severity.ERROR


def test_the_tools_own_verb_in_the_message_is_no_mere_question() -> None:
    tried = attempt("Could we book a table for two?", ran("book_table", {"seats": 2}))

    assert not list(only_asked({"book_table": 1})(tried))
