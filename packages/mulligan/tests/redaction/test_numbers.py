from __future__ import annotations

import pytest

from mulligan.redaction.numbers import classify_digits, find_any_number, find_cards, find_numbers
from mulligan.redaction.text import apply_edits


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0170/1234567", "<phone>"),
        ("030 1234567", "<phone>"),
        ("01701234567", "<phone>"),
        ("+49 (0) 30 123 456", "<phone>"),
        ("0049 170 1234567", "<phone>"),
        ("06.12.34.56.78", "<phone>"),
        ("(555) 123-4567 or 555.123.4567", "<phone> or <phone>"),
        ("call me at 6505551234", "call me at <phone>"),
        ("account no. 71234567890", "account no. <number>"),
        ("3782-822463-10005", "<card>"),
        ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "<card>"),
        ("078-05-1120", "<number>"),
        ("529.982.247-25", "<number>"),
        ("2026-11-16 4111111111111111", "2026-11-16 <card>"),
    ],
)
def test_a_number_of_a_person_is_told_by_its_form_or_by_the_words_before(text, shown):
    assert apply_edits(text, find_numbers(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-16 - 2026-11-20",
        "16.11.2026-20.11.2026",
        "20261116-20261120",
        "20261116103000",
        "1763280000 1763280000123 1763280000123456789",
        "978-3-16-148410-0",
        "9783161484100",
        "4006381333931",
        "192.168.100.200, 10.20.30.40/24",
        "1.234.567.890",
        "123 456 789 bytes",
        "52.5200080001",
        "2019-2020-2021-2022",
        "upc 012345678905 and isbn 0306406152",
        "ORD-026319375",
        "4111111111111112",
    ],
)
def test_an_ordinary_number_is_left_alone(text):
    assert list(find_numbers(text)) == []


def test_cards_alone_are_found_where_only_secrets_are_hidden():
    text = "030 1234567 and 4111 1111 1111 1111"

    assert apply_edits(text, find_cards(text)) == "030 1234567 and <card>"


def test_every_long_number_is_found_where_everything_is_hidden():
    text = "1763280000 and 2026-11-16 10"

    assert apply_edits(text, find_any_number(text)) == "<number> and <number>"


@pytest.mark.parametrize(
    ("digits", "kind"),
    [("4111111111111111", "<card>"), ("16505551234", "<phone>"), ("1763280000", None)],
)
def test_digits_without_words_are_classified_by_their_form(digits, kind):
    assert classify_digits(digits) == kind
