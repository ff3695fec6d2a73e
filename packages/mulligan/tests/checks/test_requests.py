"""What was asked, against what was done: quotations, conditions, questions, nothing twice."""

from __future__ import annotations

import pytest

from mulligan.checks.requests import (
    condition_met,
    is_only_question,
    left_undone,
    made_once,
    only_asked,
    quotes_kept,
)
from mulligan.types.call import Outcome
from mulligan.types.finding import Severity
from mulligan_dates.tokens import drop_quotes, find_quotes
from tests.checks.attempts import attempt, ran, severities

QUOTED = "Tell Ann 'The train is late again - let's meet at nine' and title it \"Late train\""


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The train is late again - let's meet at nine", False),
        ("Hi Ann,\n\nThe train is late again - let's meet at nine\n\nBest, Sam", False),
        ("The train is late again - lets meet at nine", False),
        ("The train to Rome is very late again - let's meet at nine", True),
        ("The train is late again - let's meet tomorrow morning", True),
        ("Something else entirely, which nobody quoted", False),
        ("", False),
    ],
)
def test_a_text_is_flagged_when_it_changes_the_words_of_the_person(
    text: str, *, flagged: bool
) -> None:
    tried = attempt(QUOTED, ran("send", {"body": text}))

    assert bool(list(quotes_kept({"send": ["body"]})(tried))) is flagged


def test_a_message_full_of_apostrophes_and_a_very_long_text_take_no_time() -> None:
    long = "word " * 20_000
    tried = attempt(f"Say '{long[:3000]}' and " + "'n " * 5_000, ran("send", {"body": long}))

    assert list(quotes_kept({"send": ["body"]})(tried)) == []


def test_an_apostrophe_ends_no_quotation() -> None:
    assert list(find_quotes("Ann's note says 'it's fine', “really” and \"yes\"")) == [
        "it's fine",
        "really",
        "yes",
    ]
    assert drop_quotes("Send 'it's fine' to Ann's boss").split() == ["Send", "to", "Ann's", "boss"]


def test_a_quoted_file_name_says_which_and_not_how() -> None:
    tried = attempt(
        "Pay the bill 'bill-december-2023.txt'", ran("pay", {"subject": "Bill for December 2023"})
    )

    assert not list(quotes_kept({"pay": ["subject"]})(tried))


CONDITION = condition_met("act")
LOW = ran("read", result={"2025-10-01": 4, "2025-10-02": 7.5})


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("If visits were more than 10 at any time, tell Ann", True),
        ("Were visits above 10? If so, tell Ann", True),
        ("If visits were less than 2 since Monday, tell Ann", True),
        ("If visits were more than 1,000 at any time, tell Ann", True),
        ("If visits were more than 10 at any time tell Ann, otherwise tell Bob", False),
        ("Unless visits were more than 10, tell Ann", False),
        ("If it took more than 10 minutes, tell Ann", False),
        ("Tell Ann that visits were more than 10.", False),
        ("If you can, tell Ann 'visits were more than 10'", False),
    ],
)
def test_acting_is_flagged_only_where_the_one_condition_was_shown_not_to_hold(
    said: str, *, flagged: bool
) -> None:
    findings = list(CONDITION(attempt(said, LOW, ran("act"))))

    assert [finding.rule for finding in findings] == ["condition.not_met"] * flagged


@pytest.mark.parametrize(
    "read",
    [
        ran("read", result="4 visits"),
        ran("read", result={"visits": None, "open": True}),
        ran("read", result={"visits": float("nan")}),
        ran("read", result=[{"visits": 4}, {"visits": 12}]),
    ],
)
def test_without_numbers_or_with_one_that_holds_nothing_is_said(read) -> None:
    tried = attempt("If visits were more than 10 at any time, tell Ann", read, ran("act"))

    assert list(CONDITION(tried)) == []


def test_only_what_was_read_before_counts_and_a_failed_call_did_nothing() -> None:
    said = "If visits were more than 10 at any time, tell Ann"
    failed = ran("act", outcome=Outcome.FAILURE)

    assert list(CONDITION(attempt(said, ran("act"), LOW))) == []
    assert list(CONDITION(attempt(said, LOW, failed, ran("other")))) == []
    assert len(list(CONDITION(attempt(said, ran("act"), earlier=[LOW])))) == 1


ONCE = made_once("create", "send")


def create(title: str, *, outcome: Outcome = Outcome.SUCCESS):
    return ran("create", {"title": title}, outcome=outcome)


def test_the_second_of_two_equal_creates_is_flagged_and_the_third() -> None:
    same = [create("Dinner") for _ in range(3)]

    findings = list(ONCE(attempt("Dinner on Friday", *same)))

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

    assert list(ONCE(tried)) == []


def test_trying_again_after_a_failure_is_no_repeat_but_after_a_timeout_it_is() -> None:
    failed = attempt("Dinner", create("Dinner", outcome=Outcome.FAILURE), create("Dinner"))
    unknown = attempt("Dinner", create("Dinner", outcome=Outcome.UNKNOWN), create("Dinner"))

    assert list(ONCE(failed)) == []
    assert len(list(ONCE(unknown))) == 1


@pytest.mark.parametrize("said", ["Send it twice", "Make three copies", "Remind me 3 times"])
def test_a_person_who_may_want_several_is_only_warned(said: str) -> None:
    findings = ONCE(attempt(said, create("x"), create("x")))

    assert severities(findings) == [Severity.WARNING]


def test_words_inside_a_quotation_ask_for_nothing() -> None:
    findings = ONCE(attempt("Send 'See you again' to Ann", create("x"), create("x")))

    assert severities(findings) == [Severity.ERROR]


@pytest.mark.parametrize(
    "message",
    [
        "What is on Friday?",
        "Which files are the largest? List them.",
        "Hi! Can you tell me who is invited?",
        "Show me my mails",
        "Do the trains run on Sunday?",
        "Have we met before",
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
        "List the files and then delete the largest one",
        "Do it for the first one",
        "Have Bob call me back",
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


def fail_to_cancel(result: str = "busy"):
    return ran("cancel_order", {"order_id": "W17"}, result=result, outcome=Outcome.FAILURE)


def test_a_call_that_failed_and_was_never_made_good_is_warned_of() -> None:
    failed = fail_to_cancel()
    other = ran("cancel_order", {"order_id": "W18"})
    closed = ran("close_order", {"order_id": "W17"})
    check = left_undone("cancel_order", "close_order")

    assert [each.rule for each in check(attempt("Cancel W17", failed))] == ["call.left_undone"]
    assert [each.rule for each in check(attempt("Cancel both", failed, other))] == [
        "call.left_undone"
    ]
    assert list(check(attempt("Cancel W17", failed, closed))) == []


def test_a_call_that_fails_again_and_again_in_the_same_way_is_stuck() -> None:
    check = left_undone("cancel_order")
    stuck = [fail_to_cancel() for _ in range(5)]
    polled = [fail_to_cancel(f"{share} % done") for share in range(5)]

    (found,) = check(attempt("Cancel W17", *stuck))
    (waited,) = check(attempt("Cancel W17", *polled))

    assert (found.rule, found.severity) == ("call.stuck", Severity.WARNING)
    assert waited.rule == "call.left_undone"


def test_reading_the_same_again_and_again_is_stuck_and_waiting_for_a_change_is_not() -> None:
    check = left_undone("cancel_order")
    between = [ran("find_order", {"id": f"W{number}"}) for number in range(5)]
    again = [ran("show_order", {"id": "W17"}, result={"state": "paid"}) for _ in range(5)]
    waiting = [ran("show_job", {"id": "J4"}, result={"state": "queued"}) for _ in range(9)]
    ready = ran("show_job", {"id": "J4"}, result={"state": "done"})
    alternating = [each for pair in zip(again, between, strict=True) for each in pair]

    assert [each.rule for each in check(attempt("Cancel W17", *alternating))] == ["call.stuck"]
    assert list(check(attempt("Cancel W17", *again[:4]))) == []
    assert list(check(attempt("Wait for J4", *waiting, ready))) == []
