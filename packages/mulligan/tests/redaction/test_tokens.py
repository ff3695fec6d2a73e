from __future__ import annotations

import pytest

from mulligan.redaction.patterns import find_any_token, find_tokens
from mulligan.redaction.text import apply_edits


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", "<token>"),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "<token>"),
        ("/v1/files/a1b2c3d4e5f6g7h8i9j0/lines", "/v1/files/<token>/lines"),
        ("A1B2C-D3E4F-G5H6I-J7K8L-M9N0P", "<token>"),
    ],
)
def test_a_run_that_is_neither_words_nor_numbers_is_a_token(text, shown):
    assert apply_edits(text, find_tokens(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "550e8400-e29b-41d4-a716-446655440000",
        "/users/550e8400-e29b-41d4-a716-446655440000/orders/2026/11",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "507f1f77bcf86cd799439011",
        "evt_1NG8Du2eZvKYlo2CUI79vXWy",
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "payment-api-7d9f8b6c5d-x2x9k",
        "reports/2026/q3_summary_000123.csv",
        "CalendarEventNotFoundHTTPError42",
        "20261116T103000Z-backup-full",
    ],
)
def test_paths_names_and_ids_are_left_alone(text):
    assert list(find_tokens(text)) == []


def test_ids_are_found_where_everything_is_hidden():
    text = "550e8400-e29b-41d4-a716-446655440000 evt_1NG8Du2eZvKYlo2CUI79vXWy"

    assert apply_edits(text, find_any_token(text)) == "<uuid> <token>"
