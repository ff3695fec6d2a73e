"""What was asked for and not done, and what was done though nobody asked: both are warned of."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.types.call import Outcome
from mulligan.types.effect import Effect
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran

READS = ("get", "find", "list", "search")
CHECKS = StandardChecks(
    lambda call: ToolShape(
        tool=call.tool,
        effect=Effect.READ if call.tool.startswith(READS) else Effect.REVERSIBLE,
    )
)
FREED = ran("delete_event", {"event_id": "e1"})
BOOKED = ran("create_event", {"title": "Dentist"})
MOVED = ran("update_event", {"event_id": "e2", "note": "moved"})
MAILED = ran("send_email", {"to": "ann@example.org", "body": "Hello"})
SEEN = ran("find_events", result=[{"event_id": "e1"}, {"event_id": "e2"}])
KNOWN = {"ann": "ann@example.org"}


def rules(said: str, *executions) -> set[str]:
    found = list(CHECKS(attempt(said, SEEN, *executions, known=KNOWN)))

    assert all(each.severity is Severity.WARNING for each in found)
    return {each.rule for each in found}


NOT_DONE, NOT_ASKED = {"request.not_done"}, {"request.not_asked"}


@pytest.mark.parametrize(
    ("said", "made", "found"),
    [
        ("Cancel the dentist and book a new one", [FREED], NOT_DONE),
        ("Cancel the dentist and book a new one", [FREED, BOOKED], set()),
        ("Move the dentist, then email Ann's office. Also email the team", [MOVED], NOT_DONE),
        ("Move the dentist, then email the team", [MOVED, MAILED], set()),
        ("Cancel the old contract. Create a new contract.", [BOOKED], NOT_DONE),
        ("Cancel the old contract. Create a new contract.", [FREED, BOOKED], set()),
        ("I want to cancel my flight and email the hotel", [FREED], NOT_DONE),
        ("I want to cancel my flight and email the hotel", [FREED, MAILED], set()),
        ("Delete the draft and rename the report", [FREED], NOT_DONE),
        ("Delete the draft and rename the report", [FREED, MOVED], set()),
        # It is done by a tool with another name, by a state, or together with something else.
        ("Reschedule my dentist", [FREED, BOOKED], set()),
        (
            "Cancel the ticket and email the team",
            [ran("update_ticket", {"ticket": "t", "status": "cancelled"}), MAILED],
            set(),
        ),
        (
            "Book a room and send it to the team",
            [ran("create_event", {"title": "Room", "participants": ["ann"]})],
            set(),
        ),
        # Somebody else is to do it, it is only spoken of, or it depends.
        ("Email the team to cancel the room", [MAILED], set()),
        ("Tell them about the order and book a room", [BOOKED], set()),
        ("Book a room and cancel the old one if it costs more", [BOOKED], set()),
        ("Book a room but don't cancel the old one", [BOOKED], set()),
        ("Book a room. Should I cancel the old one?", [BOOKED], set()),
        ("Note 'cancel the dentist' and book a room", [BOOKED], set()),
        # Nobody asked for it to go.
        ("Book a table for two", [BOOKED, FREED], NOT_ASKED),
        ("Book a table for two instead of the cinema", [BOOKED, FREED], set()),
        ("Tidy up my calendar", [FREED], set()),
        ("Move the table to eight", [BOOKED, FREED], set()),
    ],
)
def test_orders_and_deeds_are_held_against_each_other(said: str, made, found) -> None:
    assert rules(said, *made) & (NOT_DONE | NOT_ASKED) == found


def test_what_was_tried_and_failed_is_told_by_its_failure_alone() -> None:
    failed = ran("create_event", {"title": "Dentist"}, outcome=Outcome.FAILURE)

    assert rules("Cancel the dentist and book a new one", FREED, failed) == {"call.left_undone"}


def test_what_may_still_come_is_not_missed() -> None:
    waits = ran("delete_event", {"event_id": "e1"}, outcome=Outcome.UNKNOWN)
    tried = attempt("Cancel the dentist and book a new one", SEEN, waits, known=KNOWN)
    again = attempt("Cancel the dentist and book a new one", FREED, earlier=[SEEN, BOOKED])

    assert [*CHECKS(tried), *CHECKS(again)] == []


SOLD, BOUGHT = ran("sell_shares", {"symbol": "NOVN"}), ran("buy_shares", {"symbol": "NOVN"})
LOCKED = ran("lock_door", {"door": "front"})


@pytest.mark.parametrize(
    ("said", "made", "found"),
    [
        ("Sell my NOVN shares", [BOUGHT], {"request.opposite"}),
        ("Please unlock the front door", [LOCKED], {"request.opposite"}),
        ("Sell my NOVN shares", [SOLD], set()),
        ("Sell NOVN for something better", [SOLD, BOUGHT], set()),
        ("Buy NOVN. Do not sell it again", [SOLD], set()),
        ("Sell what I got when I asked to buy NOVN", [BOUGHT], set()),
        ("Should I sell NOVN?", [BOUGHT], set()),
        ("It is open. Lock the front door", [LOCKED], set()),
    ],
)
def test_the_opposite_of_what_was_ordered_is_flagged(said: str, made, found: set[str]) -> None:
    assert {each.rule for each in CHECKS(attempt(said, SEEN, *made))} == found


@pytest.mark.parametrize(
    ("said", "made", "found"),
    [
        ("Archive the mail", [ran("delete_message", {"message_id": "e1"})], NOT_ASKED),
        ("Mark the task as done", [FREED], NOT_ASKED),
        ("Archive the mail", [ran("archive_message", {"message_id": "e1"})], set()),
        ("Mark it as spam and get rid of it", [FREED], set()),
        ("Archive the mail. Then delete the draft", [FREED], set()),
        ("Transfer 5 and email ann@example.org about it", [ran("transfer", {"to": "x"})], NOT_DONE),
        ("I want to send the kettle back", [ran("return_item", {"item": "kettle"})], set()),
    ],
)
def test_what_is_only_set_aside_is_not_removed(said: str, made, found: set[str]) -> None:
    assert {each.rule for each in CHECKS(attempt(said, SEEN, *made))} & {
        *NOT_ASKED,
        *NOT_DONE,
    } == found


@pytest.mark.parametrize(
    ("said", "made", "found"),
    [
        ("Write the mail to Ann, but don't send it yet", [MAILED], True),
        ("Draft it for Ann, and do not send anything", [MAILED], True),
        ("Look at my calendar without changing anything.", [FREED], True),
        ("Which of them is over? Don\u2019t touch anything for now.", [FREED], True),
        ("Don't send it to Bob, send it to Ann", [MAILED], False),
        ("Don't send it if she is away", [MAILED], False),
        ("I don't send it, you send it. Mail Ann", [MAILED], False),
        ("Do not forget to send it", [MAILED], False),
        ("Don't delete it, email Ann", [MAILED], False),
        ("Don't delete it, email Ann", [FREED], True),
        ("Send it to Ann. Without it she cannot work", [MAILED], False),
    ],
)
def test_what_was_ruled_out_is_flagged(said: str, made, found: bool) -> None:
    told = [each.rule for each in CHECKS(attempt(said, SEEN, *made, known=KNOWN))]

    assert ("request.forbidden" in told) is found
