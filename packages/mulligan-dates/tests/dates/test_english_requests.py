"""What people say in English: each table hears its own, and no neighbour of it."""

from __future__ import annotations

import pytest

from mulligan_dates.languages import choose_requests

HEARD = [
    ("several", "Send it to Ann twice"),
    ("free", "Find a time when we are both free"),
    ("ahead", "Book a table for four"),
    ("back", "That was yesterday"),
    ("to_come", "Cancel the plumber"),
    ("over", "Delete my past meetings"),
    ("mine", "Delete my meetings"),
    ("condition", "If it rains, cancel"),
    ("two_ways", "If it rains, cancel, otherwise go"),
    ("home", "How far is it to my place?"),
    ("changing", "Add milk to the list"),
    ("asks", "could you please look up the number"),
]
NOT_HEARD = [
    ("several", "Send it to Ann"),
    ("free", "Buy a freezer"),
    ("over", "Put it overleaf"),
    ("home", "Go to Homer's"),
    ("changing", "Create a list"),
]


@pytest.mark.parametrize(("name", "message"), HEARD)
def test_it_is_heard(name: str, message: str) -> None:
    assert getattr(choose_requests(message), name).search(message)


@pytest.mark.parametrize(("name", "message"), NOT_HEARD)
def test_it_is_not_heard(name: str, message: str) -> None:
    assert not getattr(choose_requests(message), name).search(message)
