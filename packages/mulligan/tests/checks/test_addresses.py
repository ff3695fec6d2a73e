from __future__ import annotations

import pytest

from mulligan.checks.entities import (
    find_emails,
    find_phones,
    is_same_phone,
    leads_within,
    normalize_link,
)
from mulligan.checks.quantities import find_digit_runs


def test_addresses_are_found_in_one_case_where_they_stand() -> None:
    text = "Write to Ann.Lee@Shop.example, not to @ann."

    [found] = find_emails(text)

    assert found.value == "ann.lee@shop.example"
    assert text[found.start : found.end] == "Ann.Lee@Shop.example"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Call +43 (1) 234-5678.", ["4312345678"]),
        ("Call 030 1234567 now", ["0301234567"]),
        ("Sold 1 234 567 pieces", []),
        ("on 2025-10-24", []),
        ("in 24.10.2025", []),
        ("room 12 34", []),
        ("id a030-1234567", []),
    ],
)
def test_a_phone_number_is_neither_a_grouped_number_nor_a_date(
    text: str, numbers: list[str]
) -> None:
    assert [each.value for each in find_phones(text, find_digit_runs(text))] == numbers


def test_a_countrys_prefix_makes_no_other_number() -> None:
    assert is_same_phone("4312345678", "012345678")
    assert not is_same_phone("4312345678", "4312345679")


def test_links_are_compared_by_where_they_lead() -> None:
    assert normalize_link(" https://www.Shop.example/Sale/#top ") == "shop.example/sale"
    assert leads_within("shop.example", "shop.example/sale")
    assert leads_within("shop.example/sale", "shop.example/sale?id=1")
    assert not leads_within("shop.ex", "shop.example")
