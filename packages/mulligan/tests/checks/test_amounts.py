"""Amounts that nobody said and nothing leads to."""

from __future__ import annotations

import pytest

from mulligan.checks.amounts import amounts_as_said, find_numbers, find_shares
from mulligan.checks.parameters import ToolShape, read_kinds
from tests.checks.attempts import attempt, ran

TOOL = read_kinds(
    ToolShape(
        tool="pay",
        schema={
            "properties": {"amount": {"type": "number"}, "tip": {"type": "number", "default": 3}}
        },
    )
)
CHECK = amounts_as_said([TOOL], {"pay": ["amount", "tip"]})
BILLS = ran(
    "list_bills",
    result=[{"id": 1, "total": 120.5, "what": "water"}, {"id": 2, "total": 80.0, "what": "gas"}],
)


def is_flagged(said: str, *before: object, amount: object, tip: object = None) -> bool:
    given = {"amount": amount} | ({} if tip is None else {"tip": tip})
    return bool(list(CHECK(attempt(said, *before, ran("pay", given)))))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("Pay 42", 42.0),
        ("Pay $1,250.50", 1250.5),
        ("Pay 1.250,50 euros", 1250.5),
        ("Pay two hundred", 200),
        ("Pay 2k", 2000),
        ("Pay 30 and 12.5 more", 42.5),
        ("Pay 19.5% of 1000 and a fee of 5.29", 200.29),
        ("Pay half of 90", 45),
        ("Split 100 between us", 25),
        ("Pay 15 for each of the 4", 60),
        ("Send -7", 7),
    ],
)
def test_what_was_said_or_follows_from_it_is_content(said: str, amount: float) -> None:
    assert not is_flagged(said, amount=amount)


@pytest.mark.parametrize("amount", [120.5, 80, 200.5, 40.5, 100.25])
def test_what_was_returned_or_follows_from_it_is_content(amount: float) -> None:
    assert not is_flagged("Pay my bills, half of it each", BILLS, amount=amount)


@pytest.mark.parametrize(
    ("said", "amount"),
    [("Pay 42", 43), ("Refund what they sent", 0), ("Pay the water bill", 99.99)],
)
def test_what_nobody_said_and_nothing_leads_to_is_flagged(said: str, amount: float) -> None:
    assert is_flagged(said, amount=amount)
    assert is_flagged(said, BILLS, amount=amount)


def test_a_default_and_a_single_one_need_no_word() -> None:
    assert not is_flagged("Pay 42", amount=42, tip=3)
    assert not is_flagged("Buy a ticket", amount=1)
    assert is_flagged("Pay 42", amount=42, tip=4)


def test_numbers_in_a_text_that_came_back_count() -> None:
    letter = ran("read_file", result="Dear tenant, the rent is 1,100.00 from now on.")

    assert not is_flagged("Pay the rent", letter, amount=1100)


def test_dates_are_no_amounts() -> None:
    assert 2026 not in find_numbers("on 2026-11-20 at 10:30 pay 5")
    assert 5 in find_numbers("on 2026-11-20 at 10:30 pay 5")


def test_shares_are_read_as_such() -> None:
    assert find_shares("19.5 % and a third") == {0.195, 1 / 3}
