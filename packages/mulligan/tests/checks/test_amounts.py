"""Amounts that follow from nothing said or returned, and the most or fewest of something."""

from __future__ import annotations

import pytest

from mulligan.checks.amounts import (
    amounts_as_said,
    extreme_as_said,
    find_numbers,
    find_shares,
    read_extreme,
)
from mulligan.checks.parameters import ToolShape, read_kinds
from mulligan.types.call import Execution
from mulligan.types.finding import Severity
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
        ("Pay 1.250,50 euros", 1250.5),
        ("Pay two hundred", 200),
        ("Pay 2k", 2000),
        ("Pay 30 and 12.5 more", 42.5),
        ("Pay 19.5% of 1000 and a fee of 5.29", 200.29),
        ("Split 100 between us", 25),
        ("Pay 15 for each of the 4", 60),
        ("Pay for 120 guests at 48.50 each, plus 10% service on top", 6402),
        ("The repair is 6,450. We carry 60/40, pay our share", 3870),
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
def test_an_amount_that_follows_from_nothing_is_flagged(said: str, amount: float) -> None:
    assert is_flagged(said, amount=amount)
    assert is_flagged(said, BILLS, amount=amount)


@pytest.mark.parametrize(("amount", "flagged"), [(69.5, False), (70.5, True)])
def test_what_the_given_objects_come_to_is_content(amount: float, *, flagged: bool) -> None:
    receipts = ran(
        "list_receipts",
        result=[
            {"receipt_id": f"R{number}", "amount": each}
            for number, each in enumerate(["38.50", "22.10", "14.20", "16.80", "9.99"])
        ],
    )
    again = ran("get_receipt", result={"receipt_id": "R2", "amount": "14.20"})
    booked = ran("pay", {"amount": amount, "receipt_ids": ["R0", "R2", "R3"]})

    assert bool(list(CHECK(attempt("Book the taxis as one", receipts, again, booked)))) is flagged


PARTS = ran(
    "read_order",
    result=[
        {"part": "pads", "price": "84.50", "quantity": 1},
        {"part": "rotor", "price": "61.25", "quantity": 2},
    ],
)


def test_lines_come_to_price_times_quantity_and_a_total_to_the_amounts_beside_it() -> None:
    said = "Bill the parts, 12% off, and 100 for the work"

    assert not is_flagged(said, PARTS, amount=207.0)
    assert not is_flagged(said, PARTS, amount=122.5 * 0.88)
    assert not is_flagged(said, PARTS, amount=307.0, tip=207.0)
    assert is_flagged(said, PARTS, amount=308.0, tip=207.0)


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("Pay them 50 and the rent", Severity.ERROR),
        ("Pay them 50 per started hour, they came at ten", Severity.WARNING),
        ("Raise it by 4.5%, rounded to the nearest hundred", Severity.WARNING),
    ],
)
def test_what_is_calculated_in_more_steps_than_are_tried_is_a_warning(
    said: str, severity: Severity
) -> None:
    (finding,) = CHECK(attempt(said, BILLS, ran("pay", {"amount": 333.3})))

    assert finding.severity is severity


def test_numbers_in_a_text_that_came_back_count() -> None:
    letter = ran("read_file", result="Dear tenant, the rent is 1,100.00 from now on.")

    assert not is_flagged("Pay the rent", letter, amount=1100)


def test_dates_are_no_amounts() -> None:
    assert 2026 not in find_numbers("on 2026-11-20 at 10:30 pay 5")
    assert 5 in find_numbers("on 2026-11-20 at 10:30 pay 5")


def test_shares_are_read_as_such() -> None:
    assert find_shares("19.5 % and a third") == {0.195, 1 / 3}


EXTREME = extreme_as_said({"archive_folder": 1})
COUNTED = [
    ran("list_files_in_folder", {"folder": "Bills"}, result=["a", "b", "c"]),
    ran("list_files_in_folder", {"folder": "Trips"}, result="[]"),
]


def archive(folder: str) -> Execution:
    return ran("archive_folder", {"folder": folder})


@pytest.mark.parametrize(
    ("said", "folder", "flagged"),
    [
        ("Archive the folder with the fewest files", "Bills", True),
        ("Archive the folder with the fewest files", "Trips", False),
        ("Archive the folder with the most files", "Bills", False),
        ("Archive the folder that has the largest number of files", "Trips", True),
        ("Look at the folder with the most files. Archive Trips.", "Trips", False),
        ("Archive the folder with the most notes", "Trips", False),
        ("Archive the folder with the most files", "Unread", False),
    ],
)
def test_a_count_that_was_read_decides(said: str, folder: str, *, flagged: bool) -> None:
    assert bool(list(EXTREME(attempt(said, *COUNTED, archive(folder))))) is flagged


def test_a_text_that_the_person_pointed_to_asks_for_them() -> None:
    said = "Do what www.example.org/list says."
    page = ran(
        "get_page",
        {"url": "http://www.example.org/list"},
        result="1. Archive the folder with the fewest files.",
    )
    other = ran("get_page", {"url": "www.example.org/other"}, result=page.result)

    assert list(EXTREME(attempt(said, page, *COUNTED, archive("Bills"))))
    assert not list(EXTREME(attempt(said, page, *COUNTED, archive("Trips"))))
    assert not list(EXTREME(attempt(said, other, *COUNTED, archive("Bills"))))


def test_of_one_count_alone_nothing_follows() -> None:
    said = "Archive the folder with the most files"

    assert not list(EXTREME(attempt(said, COUNTED[0], archive("Bills"))))


def test_two_different_extremes_in_a_message_are_none() -> None:
    assert read_extreme("The folder with the most files. The folder with the fewest files") is None


@pytest.mark.parametrize(
    ("said", "given", "flagged"),
    [
        ("I put 10 a month aside: set my yearly goal", {"amount": 120}, False),
        ("Pay 10 a month", {"amount": 120, "interval": "yearly"}, False),
        ("Pay the gym, 9.50 per week, for the year", {"amount": 494}, False),
        ("Rent is 1,200 a year, pay it monthly", {"amount": 100}, False),
        ("Lege 25 im Monat zurück, also das Ziel für ein Jahr", {"amount": 300}, False),
        ("I put 10 a month aside: set my yearly goal", {"amount": 130}, True),
        ("Pay 10 a month", {"amount": 120}, True),
        ("Rent is 1,200 a year, pay it monthly", {"amount": 110}, True),
        ("Pay 10 a week", {"amount": 120, "interval": "monthly"}, True),
    ],
)
def test_what_is_due_in_one_period_tells_what_is_due_in_another(said, given, flagged) -> None:
    assert bool(list(CHECK(attempt(said, ran("pay", given))))) is flagged


@pytest.mark.parametrize(
    ("said", "lines", "flagged"),
    [
        ("Order two packs of paper", [{"sku": "PP", "quantity": 3}], True),
        ("Order two packs of paper", [{"sku": "PP", "quantity": 2}], False),
        ("Order paper", [{"sku": "PP", "quantity": 1}], False),
        ("Order 2 packs and a dozen pens", [{"quantity": 2}, {"quantity": 12}], False),
        ("Order 2 packs and a dozen pens", {"lines": [{"qty": 2}, {"qty": 9}]}, True),
        ("Order two packs of paper", [{"sku": "PP", "position": 7}], False),
    ],
)
def test_how_many_of_each_line_is_an_amount(said: str, lines: object, *, flagged: bool) -> None:
    found = list(CHECK(attempt(said, ran("pay", {"items": lines}))))

    assert [each.rule for each in found] == ["amount.not_as_said"] * flagged
