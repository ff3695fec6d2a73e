"""What no correction may change: who, where, how much, and every number the person said."""

from __future__ import annotations

import pytest

from mulligan.learning.protected_fields import (
    find_locked_changes,
    is_locked,
    is_said_number,
    keeps_said_numbers,
    read_number,
    says_same,
    stands_in,
)

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


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("A table for 12 people", 12),
        ("A table for 12 people", "12"),
        ("A table for twelve people", 12),
        ("Twelve of us.", 12.0),
        ("one hundred and twenty-five seats", 125),
        ("two thousand five hundred", 2500),
        ("two dozen eggs", 24),
        ("print 1,200 copies", 1200),
        ("print 1.200 copies", 1200),
        ("print 1 200 copies", 1200),
        ("500mg of it", 500),
        ("12k shares", 12_000),
        ("between 10-12", 12),
        ("$12.50, please", 12.5),
        ("minus -5 degrees", -5),
        ("Ein Tisch für zwölf", 12),
        ("une table pour douze", 12),
    ],
)
def test_a_number_is_said_in_digits_and_in_words(said: str, value: object) -> None:
    assert is_said_number(value, [said])


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("A table for us", 12),
        ("Where is order W12?", 12),
        ("one hundred and twenty", 12),
        ("A table for 12", True),
        ("A table for 12", "twelve"),
        ("A table for 12", None),
    ],
)
def test_what_nobody_said_or_is_no_number_is_none(said: str, value: object) -> None:
    assert not is_said_number(value, [said])


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ({"people": 12, "hall": 3}, True),
        ({"guests": "12"}, True),
        ({"people": ["#12"]}, True),
        ({"people": 10, "hall": 3}, False),
        ({"hall": 3}, False),
        ({"people": "-12"}, False),
    ],
)
def test_a_correction_keeps_every_number_that_was_said(after, kept: bool) -> None:
    before = {"people": 12, "hall": 3}

    assert keeps_said_numbers(before, after, said=["A table for twelve"]) is kept
    assert keeps_said_numbers(before, after, said=[])


def test_a_number_is_read_from_a_text_that_is_nothing_else() -> None:
    assert read_number(" 1,200 ") == 1200.0
    assert read_number("12 people") is None
    assert read_number(10**400) is None
