"""A message cut into clauses: what each asks for, and what it moves from where to where."""

from __future__ import annotations

import pytest

from mulligan_dates.reader import SaidPhrases, read_message
from tests.dates.said import moment


def split(message: str) -> SaidPhrases:
    return read_message(message, moment())


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        ("Book a table for Friday", "request"),
        ("Please could you book a table for Friday", "request"),
        ("Sushi Friday, waffles Saturday", "fragment fragment"),
        ("If it rains on Saturday, book the hall on Sunday", "condition request"),
        ("Book the hall on Sunday if it rains on Saturday", "request condition"),
        ("If sales fell since Monday book a call tomorrow", "condition request"),
        ("What do I have on Friday? Book tennis on Sunday", "question request"),
        ("Can you find the mail from Monday and plan a call for Friday?", "question request"),
        ("My parents arrive on Friday, so book a taxi for Thursday", "statement request"),
        ("The call is on Monday. Remind me on Sunday", "statement request"),
        ("Move it to Saturday or, if that's taken, Sunday", "request request"),
        ("Should it rain on Friday, book the hall for Sunday", "condition request"),
        ("The party on Friday should be moved to Sunday", "request"),
        ("Dinner on Friday and Saturday", "fragment"),
        ("Book it for Friday or Saturday", "request"),
        ("On Thursday I see the bank, on Friday the lawyer", "statement fragment"),
    ],
)
def test_a_message_is_cut_where_another_verb_begins(message: str, kinds: str) -> None:
    spoken = {each.clause for each in split(message).expressions}
    told = [c.kind for n, c in enumerate(split(message).clauses) if n in spoken or c.verb]

    assert " ".join(told) == kinds


def test_what_is_quoted_asks_for_nothing() -> None:
    said = split("Send Ann a mail that says 'let's move the call. Book a room' on Friday")

    assert [each.kind for each in said.clauses] == ["request"]


def test_an_expression_is_of_the_clause_it_stands_in() -> None:
    said = split("Book tennis on Thursday and plan a swim on Sunday")

    assert [(each.text, each.clause) for each in said.expressions] == [
        ("Thursday", 0),
        ("Sunday", 1),
    ]


@pytest.mark.parametrize(
    ("message", "sources", "others"),
    [
        ("Move dinner from Wednesday to Friday", ["Wednesday"], ["Friday"]),
        ("Move the dinner on Thursday to Friday", ["Thursday"], ["Friday"]),
        ("Change my Friday call to Thursday", ["Friday"], ["Thursday"]),
        ("Move dinner to Friday from Wednesday", ["Wednesday"], ["Friday"]),
        ("Move what is scheduled for May 3 to May 9", ["May 3"], ["May 9"]),
        ("Move my 3pm to 4pm", ["3pm"], ["4pm"]),
        ("Move dinner to Friday or Saturday", [], ["Friday", "Saturday"]),
        ("Move the fair to Monday to Friday", [], ["Monday to Friday"]),
        ("Reschedule the fair for Monday to Friday", [], ["Monday to Friday"]),
        ("Block Monday to Friday", [], ["Monday to Friday"]),
        ("Move the call and book the fair from Monday to Friday", [], ["Monday to Friday"]),
        ("Move lunch to tomorrow", [], ["tomorrow"]),
        ("Move the shift: 10pm to 6am tomorrow", [], ["10pm to 6am tomorrow"]),
    ],
)
def test_what_is_moved_has_a_day_it_was_on_and_one_it_goes_to(
    message: str, sources: list[str], others: list[str]
) -> None:
    found = split(message).expressions

    assert [each.text for each in found if each.source] == sources
    assert [each.text for each in found if not each.source] == others


def test_until_a_day_is_to_that_day_where_something_is_moved() -> None:
    (moved,) = split("Postpone the launch until Friday").expressions
    (stays,) = split("Stay until Friday").expressions

    assert (moved.open_start, stays.open_start) == (False, True)
