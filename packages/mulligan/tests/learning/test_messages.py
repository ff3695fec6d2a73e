from __future__ import annotations

import pytest

from mulligan.learning.error_details import LONGEST_ERROR, extract_message


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("not found", "not found"),
        ('{"error": "not found"}', "not found"),
        ('{"error": {"code": 7, "message": "not found"}}', "not found"),
        ('{"detail": "{\\"msg\\": \\"not found\\"}"}', "not found"),
        ('{"code": 7}', '{"code": 7}'),
        ('{"error": "', '{"error": "'),
        ('{"error": ""}', '{"error": ""}'),
    ],
)
def test_an_error_is_what_it_says_without_its_envelopes(error: str, said: str) -> None:
    assert extract_message(error) == said


def test_an_endless_error_is_read_as_far_as_is_sensible() -> None:
    assert extract_message("x" * 10**6) == "x" * LONGEST_ERROR
