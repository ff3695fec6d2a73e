from __future__ import annotations

import pytest

from mulligan.learning.protected_fields import find_locked_changes, is_locked, says_same, stands_in

pytestmark = pytest.mark.promise(7)

LOCKED_NAMES = (
    "to recipient toAddress account_id owner amount calendarId file_path host tenant query sql "
    "user_id payment_method_id attendees command base_url"
)


@pytest.mark.parametrize("name", LOCKED_NAMES.split())
def test_who_where_how_much_and_which_question_are_locked(name: str) -> None:
    assert is_locked((name,))
    assert is_locked(("options", 0, name))


@pytest.mark.parametrize(
    "name", ["limit", "unit", "to_date", "from_date", "days", "order_id", "sort"]
)
def test_what_only_shapes_a_call_is_not(name: str) -> None:
    assert not is_locked((name,))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"amount": "5"}, {"amount": 5}),
        ({"amount": "1,000"}, {"amount": 1000}),
        ({"recipient": " Ann "}, {"recipient": "Ann"}),
        ({"path": '"/a/b"'}, {"path": "/a/b"}),
        ({"account": 'account": "A-17'}, {"account": "A-17"}),
        ({"currency": "eur"}, {"currency": "EUR"}),
        ({"Recipient": "Ann"}, {"recipient": "Ann"}),
        ({"pay": [{"id": "c1", "amount": 5}]}, {"pay": [{"payment_id": "c1", "amount": 5}]}),
        ({"guests": ['{ "name": "Ann', 'age": 3 }']}, {"guests": [{"name": "Ann", "age": 3}]}),
        ({"to": "ann"}, {"to": ["ann"]}),
        ({"files": "['a', 'b']"}, {"files": ["a", "b"]}),
        ({"params": {"to": "ann", "amount": 5}}, {"to": "ann", "amount": 5}),
        ({"amount": 5, "limit": 50}, {"amount": 5, "limit": 10}),
        ({"user": "u1", "note": "x"}, {"user": "u1"}),
    ],
)
def test_another_form_or_name_of_the_same_value_may_pass(before, after) -> None:
    assert find_locked_changes(before, after) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"amount": 5}, {"amount": 50}),
        ({"amount": 5}, {"amount": -5}),
        ({"amount": "1.5"}, {"amount": 15}),
        ({"amount": 5}, {}),
        ({}, {"amount": 5}),
        ({"to": "ann"}, {"to": "bob"}),
        ({"to": "ann", "cc": "bob"}, {"to": "bob", "cc": "ann"}),
        ({"to": ["ann"]}, {"to": ["ann", "bob"]}),
        ({"to": ["ann", "bob"]}, {"to": ["ann"]}),
        ({"cc": "ann"}, {"to": "ann"}),
        ({"to": "ann bob"}, {"to": ["ann", "bob"]}),
        ({"params": {"to": "ann"}}, {"to": "bob"}),
        ({"path": "/a/b"}, {"path": "/a/B"}),
        ({"path": "/a/b"}, {"path": "/ab"}),
        ({"host": "a.example"}, {"host": "a-example"}),
        ({"email": "a.b@c.de"}, {"email": "ab@c.de"}),
        ({"query": "select 1"}, {"query": "drop 1"}),
        ({"mail": {"to": ["a"], "cc": ["b"]}}, {"mail": {"to": ["a", "cc", "b"]}}),
        ({"calendar": True}, {"calendar": 1}),
        ({"calendar": "true"}, {"calendar": None}),
    ],
)
def test_another_value_may_not(before, after) -> None:
    assert find_locked_changes(before, after) != []


def test_what_the_person_said_in_so_many_words_may_stand() -> None:
    said = ("Send 375 euros to Bob-Jones, not 37.",)

    assert find_locked_changes({"amount": 299}, {"amount": 375}, said=said) == []
    assert find_locked_changes({"to": "Ann"}, {"to": "Bob-Jones"}, said=said) == []
    assert find_locked_changes({"amount": 299}, {"amount": 75}, said=said) != []
    assert find_locked_changes({"to": "Ann"}, {"to": "Jo"}, said=said) != []


def test_a_value_is_not_said_by_being_a_part_of_something_else() -> None:
    assert stands_in(("pay 12 now",), 12)
    assert not stands_in(("pay 12.50 now",), 12)
    assert not stands_in(("pay 112 now",), 12)
    assert not stands_in(("yes, True",), value=True)


def test_signs_inside_a_value_count() -> None:
    assert says_same("5", 5)
    assert not says_same("a.b", "ab")
    assert not says_same("", "")
