"""Objects that were seen, and are others than those that were asked for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.checks.parameters import ToolShape
from mulligan.checks.relations import right_ones
from mulligan.checks.standard import StandardChecks
from mulligan.types.call import Failure, Outcome
from mulligan.types.effect import Effect
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Finding, Severity
from tests.checks.attempts import attempt, ran

CHECKS = StandardChecks(
    lambda call: ToolShape(
        tool=call.tool,
        effect=Effect.READ if call.tool.startswith(("get", "find")) else Effect.REVERSIBLE,
    )
)
FIRST = ran(
    "get_orders",
    result=[
        {
            "order_id": "W1",
            "user_id": "ann_7",
            "items": [{"item_id": "111", "name": "Lamp"}, {"item_id": "222", "name": "Bottle"}],
            "payment_history": [{"type": "payment", "payment_method_id": "card_1"}],
        },
        {
            "order_id": "W2",
            "user_id": "ann_7",
            "items": [{"item_id": "333", "name": "Boots"}],
            "payment_history": [{"type": "refund", "payment_method_id": "card_2"}],
        },
    ],
)
BOTTLES = ran(
    "get_product",
    result={
        "name": "Bottle",
        "variants": {
            "222": {"item_id": "222", "options": {"colour": "red", "material": "glass"}},
            "223": {"item_id": "223", "options": {"colour": "blue", "material": "glass"}},
            "224": {"item_id": "224", "options": {"colour": "green", "material": "steel"}},
        },
    },
)


def look(said: str, *executions) -> list[Finding]:
    return list(CHECKS(attempt(said, *executions)))


def rules(said: str, *executions) -> set[str]:
    return {each.rule for each in look(said, *executions)}


def test_a_part_of_one_object_is_not_given_with_another() -> None:
    mixed = ran("return_items", {"order_id": "W2", "item_ids": ["222"]})
    right = ran("return_items", {"order_id": "W1", "item_ids": ["222"]})

    assert rules("Return the bottle", FIRST, mixed) == {"object.part_of_another"}
    assert rules("Return the bottle", FIRST, right) == set()


def test_an_object_of_somebody_else_than_the_person_looked_up_is_flagged() -> None:
    known = ran("find_user", {"email": "ann@x.org"}, result={"user_id": "ann_7"})
    others = ran("get_open_orders", result=[{"order_id": "W9", "user_id": "bob_3"}])
    cancel = ran("cancel_order", {"order_id": "W9"})

    assert rules("I am ann@x.org. Cancel the order", known, FIRST, others, cancel) == {
        "object.of_somebody_else"
    }
    assert rules("I am ann@x.org, cancel bob_3's", known, FIRST, others, cancel) == set()
    assert rules("Cancel the order", FIRST, others, cancel) == set()


def swap(new: str):
    return ran("exchange_items", {"order_id": "W1", "item_ids": ["222"], "new_item_ids": [new]})


@pytest.mark.parametrize(
    ("said", "new", "found"),
    [
        ("Exchange the bottle for a blue bottle", "224", {"object.not_as_said"}),
        ("Exchange the bottle for a blue bottle", "223", set()),
        # Two were named, none was, or the word is not a wish.
        ("Exchange the bottle for a blue or green bottle", "224", set()),
        ("Exchange the bottle for another bottle", "224", set()),
        ("Exchange the bottle, but not for a blue one", "224", set()),
        # It is what the one that is replaced looks like.
        ("Exchange my red bottle", "224", set()),
        # It is said of something else.
        ("Exchange the bottle. The blue boots are fine", "224", set()),
    ],
)
def test_an_object_that_was_described_otherwise_is_flagged(said: str, new: str, found) -> None:
    boots = ran(
        "get_boots",
        result={
            "name": "Boots",
            "variants": {
                "333": {"item_id": "333", "options": {"colour": "blue"}},
                "334": {"item_id": "334", "options": {"colour": "black"}},
            },
        },
    )

    assert rules(said, FIRST, boots, BOTTLES, swap(new)) == found


def test_a_thing_is_not_replaced_by_another_sort_that_was_not_named() -> None:
    swapped = ran(
        "exchange_items", {"order_id": "W1", "item_ids": ["222"], "new_item_ids": ["333"]}
    )

    assert rules("Exchange the bottle", FIRST, swapped) == {"object.not_as_said"}
    assert rules("Exchange the bottle for boots", FIRST, swapped) == set()


SEATS = {
    "name": "Lamp",
    "variants": {
        "71": {"item_id": "71", "price": 40, "color": "black", "available": True},
        "72": {"item_id": "72", "price": 25, "color": "white", "available": True},
        "73": {"item_id": "73", "price": 30, "color": "black", "available": True},
        "74": {"item_id": "74", "price": 10, "color": "black", "available": False},
    },
}


@pytest.mark.parametrize(
    ("said", "item", "warned"),
    [
        ("Order the cheapest lamp.", "72", False),
        ("Order the cheapest lamp.", "71", True),
        ("Order the cheapest lamp, a black one.", "73", False),
        ("Order the cheapest lamp, a black one.", "71", True),
        ("Order the most expensive lamp.", "73", True),
        ("Order the most expensive lamp.", "71", False),
        ("Order the cheapest lamp that is smaller.", "71", False),
        ("Order a lamp.", "71", False),
        ("Bestelle bitte die billigste Lamp.", "71", True),
        ("Bestelle bitte die billigste Lamp.", "72", False),
    ],
)
def test_the_cheapest_is_the_cheapest_of_what_has_all_that_was_named(
    said: str, item: str, *, warned: bool
) -> None:
    looked = ran("show_product", {"product": "lamp"}, result=SEATS)
    check = right_ones({"order_item": ["item_id"]})

    found = [
        each.rule for each in check(attempt(said, looked, ran("order_item", {"item_id": item})))
    ]

    assert found == (["object.not_the_extreme"] if warned else [])


def listed(tool: str, *records: dict[str, object]):
    return ran(tool, result=list(records))


INVOICES = listed(
    "find_invoices",
    {"invoice_id": "I-1", "customer_id": "C-1", "title": "Hosting", "status": "open"},
    {"invoice_id": "I-2", "customer_id": "C-2", "title": "Domains", "status": "paid"},
)
TASKS = listed(
    "find_tasks",
    {"task_id": "T-1", "project_id": "P-1", "title": "Write minutes", "parent_task_id": "T-9"},
    {"task_id": "T-2", "project_id": "P-1", "title": "Book a room", "parent_task_id": "T-9"},
)
SHARED = listed(
    "find_files",
    {"file_id": "F-1", "folder_id": "D-1", "owner_id": "U-1", "user_id": "U-2", "name": "Plan"},
    {"file_id": "F-2", "folder_id": "D-1", "owner_id": "U-1", "user_id": "U-3", "name": "Budget"},
)


@pytest.mark.parametrize(
    ("before", "tool", "given", "found"),
    [
        (INVOICES, "send_invoice", {"invoice_id": "C-1"}, {"object.not_as_said"}),
        (INVOICES, "send_invoice", {"invoice_id": "I-1"}, set()),
        (INVOICES, "update_customer", {"customer_id": "I-2"}, {"object.not_as_said"}),
        (INVOICES, "update_customer", {"customer_id": "C-2"}, set()),
        (TASKS, "close_task", {"task_id": "P-1"}, {"object.not_as_said"}),
        # A parent is of the same sort, and so is every person; of what is not told, nothing is.
        (TASKS, "close_task", {"task_id": "T-9"}, set()),
        (SHARED, "notify_user", {"user_id": "U-1"}, set()),
        (SHARED, "share_item", {"item_id": "F-1"}, set()),
        (SHARED, "move_file", {"file_id": "D-1"}, {"object.not_as_said"}),
        (SHARED, "move_file", {"file_id": "F-1", "target_id": "D-1"}, set()),
        # It was returned by itself, too: in a list, nobody says of what.
        (
            listed("find_all", {"ids": ["C-1"]}, {"invoice_id": "I-1", "customer_id": "C-1"}),
            "send_invoice",
            {"invoice_id": "C-1"},
            set(),
        ),
    ],
)
def test_an_id_of_another_sort_of_thing_is_flagged(before, tool, given, found) -> None:
    assert rules("Do it for the first one", before, ran(tool, given)) == found


TRIPS = listed(
    "find_bookings",
    {"booking_id": "B-1", "city": "Lyon", "status": "pending payment"},
    {"booking_id": "B-2", "city": "Lyon", "status": "travelled"},
)
SPRINTS = ran(
    "find",
    result=[{"id": "I-1", "state": "To Do"}, {"id": "S-2", "state": "future"}],
)
REQUESTS = listed(
    "find_requests",
    {"request_id": "R-1", "about": "Holiday", "state": "open"},
    {"request_id": "R-2", "about": "Holiday", "state": "approved"},
)


@pytest.mark.parametrize(
    ("said", "before", "tool", "given", "found"),
    [
        ("Cancel the trip", TRIPS, "cancel_pending_booking", "B-2", {"error"}),
        ("Cancel the trip", TRIPS, "cancel_pending_booking", "B-1", set()),
        ("Cancel B-2", TRIPS, "cancel_pending_booking", "B-2", {"warning"}),
        ("Cancel the trip", TRIPS, "cancel_booking", "B-2", set()),
        ("Pay the bill", INVOICES, "pay_open_invoice", "I-2", {"error"}),
        ("Pay the bill", INVOICES, "pay_open_invoice", "I-1", set()),
        ("Answer the holiday request", REQUESTS, "answer_open_request", "R-2", {"error"}),
        # No other one is in that state: the word may be no state, or everything has left it.
        ("Answer the holiday request", REQUESTS, "answer_internal_request", "R-2", set()),
        # Where it is put, which happens to be a word of a state.
        ("Put it off", SPRINTS, "move_to_sprint", "S-2", set()),
        # The state that it is put into.
        ("Close the request", REQUESTS, "mark_request_open", "R-2", set()),
    ],
)
def test_a_tool_for_one_state_is_not_used_on_another(said, before, tool, given, found) -> None:
    name = f"{tool.split('_')[-1] if tool != 'mark_request_open' else 'request'}_id"
    told = look(said, before, ran(tool, {name: given}))

    assert {each.severity.value for each in told if each.rule == "object.in_another_state"} == found


def test_a_state_that_a_call_may_have_changed_is_not_held_against_the_next() -> None:
    reopen = ran("reopen_request", {"request_id": "R-2"}, result="ok")
    answer = ran("answer_open_request", {"request_id": "R-2"})

    assert rules("Answer the second holiday request", REQUESTS, reopen, answer) == set()


def test_a_state_that_a_failed_call_may_have_changed_is_not_held_against_the_next() -> None:
    failed = Failure(error_class=ErrorClass.MISSING, error=TimeoutError())
    tried = ran("reopen_request", {"request_id": "R-2"}, outcome=Outcome.FAILURE)
    reopen = replace(tried, failure=failed)
    answer = ran("answer_open_request", {"request_id": "R-2"})

    assert rules("Answer the second holiday request", REQUESTS, reopen, answer) == set()


MEETINGS = listed(
    "find_meetings",
    {"meeting_id": "M-1", "attendees": [{"name": "Ann Lee"}, {"name": "Bo Park"}]},
    {"meeting_id": "M-2", "attendees": [{"name": "Cem Kaya"}]},
)
PLAYLISTS = listed(
    "find_playlists",
    {"playlist_id": "L-1", "songs": [{"title": "Wristwatch"}, {"title": "Blue Train"}]},
    {"playlist_id": "L-2", "songs": [{"title": "Autumn Leaves"}]},
)


@pytest.mark.parametrize(
    ("said", "before", "calls", "found"),
    [
        ("Cancel the meeting with Kaya", MEETINGS, [("cancel_meeting", "M-1")], {"error"}),
        ("Cancel the meeting with Kaya", MEETINGS, [("cancel_meeting", "M-2")], set()),
        ("Cancel the meeting with Ann", MEETINGS, [("cancel_meeting", "M-1")], set()),
        ("Delete the list with the leaves", PLAYLISTS, [("delete_playlist", "L-1")], {"error"}),
        ("Delete the list with the leaves", PLAYLISTS, [("delete_playlist", "L-2")], set()),
        # Its name is only nearly said: then nothing is.
        (
            "Delete the list with watches, not leaves",
            PLAYLISTS,
            [("delete_playlist", "L-1")],
            set(),
        ),
        # The verb is another one's, or there is a choice among several.
        (
            "Is Kaya free? Move the other meeting",
            MEETINGS,
            [("move_meeting", "M-1")],
            {"warning"},
        ),
        # The one that was described is acted on, too.
        (
            "Cancel the meeting with Kaya, and the early one",
            MEETINGS,
            [("cancel_meeting", "M-2"), ("cancel_meeting", "M-1")],
            set(),
        ),
        ("Cancel M-1, and tell Kaya", MEETINGS, [("cancel_meeting", "M-1")], set()),
        ("Cancel the early meeting", MEETINGS, [("cancel_meeting", "M-1")], set()),
    ],
)
def test_a_thing_is_told_by_what_is_in_it(said, before, calls, found) -> None:
    made = [ran(tool, {f"{tool.split('_')[1]}_id": held}) for tool, held in calls]
    told = look(said, before, *made)

    assert {each.severity.value for each in told} == found


@pytest.mark.parametrize("odd", ["***", "_", "٪"])
def test_what_has_no_word_in_its_name_is_compared_like_anything_else(odd: str) -> None:
    before = listed(
        "find_meetings",
        {"meeting_id": "M-1", "attendees": [{"name": odd}, {"name": "Bo Park"}]},
        {"meeting_id": "M-2", "attendees": [{"name": "Cem Kaya"}, {"name": odd}]},
    )

    told = look("Cancel the meeting with Kaya", before, ran(odd, {"meeting_id": "M-1"}))

    assert {each.severity.value for each in told} == {"warning"}


FLIGHTS = ran(
    "find_flights",
    result=[
        {"flight_id": "LX1", "departs": "2025-11-20T07:05", "price": 189, "stops": "one"},
        {"flight_id": "BA7", "departs": "2025-11-20T11:40", "price": 129, "stops": "none"},
        {"flight_id": "EW4", "departs": "2025-11-20T16:15", "price": 84, "stops": "one"},
    ],
)
MAILS = ran(
    "find_mails",
    result=[
        {"message_id": "m1", "from": "anna.berg@north.example", "subject": "Invoice 4431"},
        {"message_id": "m2", "from": "tom@acme.example", "subject": "Invoice question"},
    ],
)
TASKS = ran(
    "find_tasks",
    result={
        "tasks": [
            {"task_id": "t1", "title": "Release notes", "assignee": "Maya", "status": "open"},
            {"task_id": "t2", "title": "Login bug", "assignee": "Jonas", "status": "open"},
            {"task_id": "t3", "title": "New chairs", "assignee": "Maya", "status": "done"},
        ]
    },
)
FLATS = ran(
    "find_flats",
    result=[
        {"flat_id": "f1", "name": "Rose Street", "bedrooms": 3, "max_guests": 4, "hours": 2},
        {"flat_id": "f2", "name": "Hill Lane", "bedrooms": 2, "max_guests": 2, "hours": 5},
    ],
)
PLACES = ran(
    "find_places",
    result=[
        {"restaurant_id": "r1", "name": "Da Enzo", "cuisine": "italian"},
        {"restaurant_id": "r2", "name": "Sakura", "cuisine": "japanese"},
    ],
)


@pytest.mark.parametrize(
    ("said", "before", "made", "found"),
    [
        # A bare list tells what its objects are.
        ("Reserve the Japanese place", PLACES, ("reserve_table", "restaurant_id", "r1"), True),
        ("Reserve the Japanese place", PLACES, ("reserve_table", "restaurant_id", "r2"), False),
        ("Reserve the Sakura", PLACES, ("reserve_table", "restaurant_id", "r1"), True),
        # Whose it is, or who it is from.
        ("Archive the mail from Anna", MAILS, ("archive_message", "message_id", "m2"), True),
        ("Archive the mail from Anna", MAILS, ("archive_message", "message_id", "m1"), False),
        ("Archive Tom's message", MAILS, ("archive_message", "message_id", "m1"), True),
        ("Complete Jonas's task", TASKS, ("complete_task", "task_id", "t1"), True),
        ("Complete Jonas's task", TASKS, ("complete_task", "task_id", "t2"), False),
        ("Anna asked me to archive Tom's mail", MAILS, ("archive_it", "message_id", "m2"), False),
        ("Ask Maya's team, and complete the login bug", TASKS, ("do", "task_id", "t2"), False),
        # What it is to become is no attribute that it has.
        ("Mark the release notes as done", TASKS, ("complete_task", "task_id", "t1"), False),
        ("Mark the release notes as done", TASKS, ("complete_task", "task_id", "t2"), True),
        # How many of something it has.
        ("Rent the flat with three bedrooms", FLATS, ("rent_flat", "flat_id", "f2"), True),
        ("Rent the 3-bedroom flat", FLATS, ("rent_flat", "flat_id", "f2"), True),
        ("Rent the flat with three bedrooms", FLATS, ("rent_flat", "flat_id", "f1"), False),
        ("Rent a flat for 2 guests", FLATS, ("rent_flat", "flat_id", "f1"), False),
        ("Rent a flat for 5 hours", FLATS, ("rent_flat", "flat_id", "f1"), False),
        ("Rent Rose Street, not the 2 bedrooms", FLATS, ("rent_flat", "flat_id", "f1"), False),
        # The largest, the earliest: nothing else may limit it.
        ("Book the earliest flight", FLIGHTS, ("book_flight", "flight_id", "BA7"), True),
        ("Book the earliest flight", FLIGHTS, ("book_flight", "flight_id", "LX1"), False),
        ("Book the latest flight", FLIGHTS, ("book_flight", "flight_id", "LX1"), True),
        ("Book the cheapest flight", FLIGHTS, ("book_flight", "flight_id", "LX1"), True),
        ("Book the cheapest direct one", FLIGHTS, ("book_flight", "flight_id", "BA7"), False),
        ("Book the latest before noon", FLIGHTS, ("book_flight", "flight_id", "BA7"), False),
        ("Which is the earliest flight? Book BA7", FLIGHTS, ("book", "flight_id", "BA7"), False),
    ],
)  # fmt: skip
def test_the_one_that_was_described_is_told_from_those_listed_beside_it(
    said: str, before, made: tuple[str, str, str], found: bool
) -> None:
    tool, name, value = made

    told = rules(said, before, ran(tool, {name: value}))

    assert bool(told & {"object.not_as_said", "object.not_the_extreme"}) is found


def test_the_number_of_an_issue_is_an_id() -> None:
    issues = ran("find_issues", result=[{"number": 412, "title": "Crash"}, {"number": 420}])

    assert rules("Close 412", issues, ran("close_issue", {"number": 412})) == set()
    assert rules("Close 412", issues, ran("close_issue", {"number": 421})) == {"value.never_seen"}


TALKS = ran(
    "find_talks",
    result=[
        {"talk_id": "t1", "speaker": "Bram Aula", "state": "waitlist", "topic": "tides"},
        {"talk_id": "t2", "speaker": "Milo Rust", "state": "waitlist", "topic": "rust"},
        {"talk_id": "t3", "speaker": "Hedda Lind", "state": "accepted", "topic": "moss"},
    ],
)


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("Accept the one about rust", "t1", {"object.not_as_said"}),
        ("Bram gets the room. Milo Rust stays on the waitlist", "t1", set()),
        ("Bram gets the room, like Milo Rust did last year", "t1", set()),
        ("Accept the second talk, Milo Rust said so", "t3", set()),
        ("Give it to the one that isn't accepted", "t2", set()),
    ],
)
def test_what_is_said_of_another_thing_is_not_held_against_this_one(
    said: str, given: str, found: set[str]
) -> None:
    assert rules(said, TALKS, ran("update_talk", {"talk_id": given})) == found


GAMES = ran(
    "list_games",
    result=[
        {"game_id": "G1", "opponent": "Hawks", "field": "Field 2"},
        {"game_id": "G2", "opponent": "Rapids", "field": "Field 5"},
        {"game_id": "G3", "opponent": "Storm", "field": "Field 2"},
    ],
)


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ([{"game_id": "G2"}], [Severity.ERROR]),
        # The one that was described is acted on too.
        ([{"game_id": "G1"}, {"game_id": "G2"}], []),
        # One of several that are acted on at once.
        ([{"game_id": ["G2", "G3"]}], [Severity.WARNING, Severity.WARNING]),
    ],
)
def test_what_is_acted_on_beside_the_one_that_was_described_may_be_meant(calls, found) -> None:
    made = [ran("move_game", given) for given in calls]
    tried = attempt("Move the game with the Hawks to Sunday", GAMES, *made)

    assert [each.severity for each in right_ones({"move_game": ["game_id"]})(tried)] == found
