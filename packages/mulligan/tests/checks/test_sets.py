"""All of them and nothing else: a set that was asked for by name, against the ones acted on."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.sets import find_named_sets
from mulligan.checks.standard import StandardChecks
from mulligan.types.call import Outcome
from mulligan.types.effect import Effect
from tests.checks.attempts import attempt, ran

READS = ("get", "find", "list", "search")
CHECKS = StandardChecks(
    lambda call: ToolShape(
        tool=call.tool,
        effect=Effect.READ if call.tool.startswith(READS) else Effect.REVERSIBLE,
    )
)


def listed(sort: str, **titles: str):
    """What a search returned: things of one sort, by their ids."""
    found = [{f"{sort}_id": key, "title": title} for key, title in titles.items()]
    return ran(f"list_{sort}s", result=found)


EVENTS = listed("event", e1="Soccer practice U10", e2="Soccer practice U12", e3="Mia's birthday")
LEADS = listed("lead", l1="Acme renewal", l2="Acme upgrade", l3="Globex pilot")
TICKETS = listed("ticket", t1="Printer jam floor 2", t2="Printer jam floor 3", t3="VPN down")
FLIGHTS = listed("booking", b1="Train to Lyon", b2="Train to Nice", b3="Hotel Astoria")
FILES = listed("file", f1="Invoice draft March", f2="Invoice draft April", f3="Payroll")
PAYMENTS = listed("payment", p1="Gym membership", p2="Gym locker", p3="Rent")


def rules(said: str, *executions) -> set[tuple[str, str]]:
    found = CHECKS(attempt(said, *executions))
    return {(each.rule, each.severity.value) for each in found}


EXTRA, EXTRA_UNSURE = ("object.not_as_said", "error"), ("object.not_as_said", "warning")
LEFT = ("request.not_all", "warning")


@pytest.mark.parametrize(
    ("said", "before", "tool", "ids", "found"),
    [
        # One set, in one call: what does not belong to it is seen though "all" was asked for.
        ("Cancel all soccer practices", EVENTS, "cancel_events", ["e1", "e2", "e3"], {EXTRA}),
        ("Cancel all soccer practices", EVENTS, "cancel_events", ["e1", "e2"], set()),
        ("Please archive every Acme lead", LEADS, "archive_leads", ["l1", "l2", "l3"], {EXTRA}),
        ("Please archive every Acme lead", LEADS, "archive_leads", ["l1", "l2"], set()),
        ("Close both printer jam tickets", TICKETS, "close_tickets", ["t1", "t2", "t3"], {EXTRA}),
        ("Close both printer jam tickets", TICKETS, "close_tickets", ["t1", "t2"], set()),
        ("Delete all invoice drafts", FILES, "delete_files", ["f1", "f3"], {EXTRA, LEFT}),
        ("Delete all my invoice drafts", FILES, "delete_files", ["f1", "f2"], set()),
        # Some of the set is left.
        ("Cancel all my trains", FLIGHTS, "cancel_bookings", ["b1"], {LEFT}),
        ("Cancel all my trains", FLIGHTS, "cancel_bookings", ["b1", "b2"], set()),
        ("Stop all gym payments", PAYMENTS, "stop_payments", ["p1"], {LEFT}),
        ("Stop all gym payments", PAYMENTS, "stop_payments", ["p1", "p2"], set()),
        # More was said of which they are.
        ("Cancel all soccer practices on Friday", EVENTS, "cancel_events", ["e1"], set()),
        ("Cancel all trains except the one to Nice", FLIGHTS, "cancel_bookings", ["b1"], set()),
        ("Archive all Acme leads from last year", LEADS, "archive_leads", ["l2"], set()),
        # What else was asked for may be meant.
        (
            "Cancel all soccer practices and the party",
            EVENTS,
            "cancel_events",
            ["e1", "e2", "e3"],
            {EXTRA_UNSURE},
        ),
        (
            "Cancel all soccer practices and Mia's birthday",
            EVENTS,
            "cancel_events",
            ["e1", "e2", "e3"],
            set(),
        ),
        # The words are no name of any of them, or of all.
        ("Cancel all events", EVENTS, "cancel_events", ["e1"], set()),
        ("Cancel all the boring stuff", EVENTS, "cancel_events", ["e1", "e3"], set()),
        ("Close the printer jam ticket", TICKETS, "close_tickets", ["t1"], set()),
        ("Rename it to 'all soccer practices'", EVENTS, "rename_events", ["e1"], set()),
    ],
)
def test_a_set_is_held_against_all_that_was_acted_on(said, before, tool, ids, found) -> None:
    name = f"{tool.rpartition('_')[2].removesuffix('s')}_ids"

    assert rules(said, before, ran(tool, {name: ids})) == found


def test_what_was_acted_on_before_or_may_still_be_is_not_left() -> None:
    first, second = (ran("cancel_event", {"event_id": each}) for each in ("e1", "e2"))
    waits = ran("cancel_event", {"event_id": "e1"}, outcome=Outcome.UNKNOWN)
    again = attempt("Cancel all soccer practices", second, earlier=[EVENTS, first])

    assert list(CHECKS(again)) == []
    assert rules("Cancel all soccer practices", EVENTS, waits) == set()


def test_the_name_of_a_set_ends_where_more_is_said_of_it() -> None:
    (limited,) = find_named_sets("Cancel all the soccer practices in May")
    (whole,) = find_named_sets("Cancel all soccer practices, please.")

    assert limited.words == whole.words
    assert (limited.limited, whole.limited) == (True, False)


def test_german_asks_for_sets_too() -> None:
    found = listed("event", e1="Fußballtraining A", e2="Fußballtraining B", e3="Omas Geburtstag")
    cancel = ran("cancel_events", {"event_ids": ["e1", "e2", "e3"]})

    assert rules("Sag bitte alle Fußballtraining ab", found, cancel) == {EXTRA}


ISSUES = ran(
    "list_issues", result=[{"number": n, "title": t} for n, t in ((412, "Crash"), (420, "Typo"))]
)
OWNED = ran(
    "list_leads",
    result=[
        {"lead_id": "l1", "company": "Orbit", "owner": "Sana", "status": "new"},
        {"lead_id": "l2", "company": "Fjord", "owner": "Sana", "status": "lost"},
        {"lead_id": "l3", "company": "Pine", "owner": "Marc", "status": "new"},
    ],
)
DAY = listed("event", e1="Dentist", e2="Lunch with Petra", e3="Budget review")


@pytest.mark.parametrize(
    ("said", "before", "calls", "found"),
    [
        # Two in one breath.
        ("Cancel the dentist and the lunch", DAY, [{"event_id": "e1"}], {LEFT}),
        ("Cancel the dentist and the lunch", DAY, [{"event_id": "e1"}, {"event_id": "e2"}], set()),
        ("Cancel the dentist, and tell Petra that lunch is on", DAY, [{"event_id": "e1"}], set()),
        ("Cancel the dentist but keep the lunch and the review", DAY, [{"event_id": "e1"}], set()),
        ("Cancel the dentist or the lunch", DAY, [{"event_id": "e1"}], set()),
        ("Close 412 and 420", ISSUES, [{"number": 412}], {LEFT}),
        ("Close 412 and 420", ISSUES, [{"number": 412}, {"number": 420}], set()),
        ("I opened 412 and 420 both. Close 412", ISSUES, [{"number": 412}], set()),
        # Told apart by what a field holds, and what all are to become is no limit.
        ("Set all new leads to won", OWNED, [{"lead_id": "l1", "status": "won"}], {LEFT}),
        (
            "Set all of Sana's leads to lost",
            OWNED,
            [{"lead_id": "l1", "status": "lost"}],
            set(),
        ),
        ("Give all of Sana's leads to Marc", OWNED, [{"lead_id": "l1", "owner": "Marc"}], {LEFT}),
    ],
)
def test_each_that_was_named_is_done_or_warned_of(said: str, before, calls, found) -> None:
    tools = {"event_id": "cancel_event", "number": "close_issue", "lead_id": "update_lead"}

    assert rules(said, before, *(ran(tools[next(iter(each))], each) for each in calls)) == found
