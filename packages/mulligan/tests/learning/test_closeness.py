from __future__ import annotations

import pytest

from mulligan.learning.closeness import match_spelling, measure_distance


@pytest.mark.parametrize(
    ("name", "candidates", "match"),
    [
        ("ZIP", ["zip", "city"], "zip"),
        (" date", ["date", "time"], "date"),
        ("limti", ["limit", "time"], "limit"),
        ("color", ["colour"], "colour"),
        ("ordr_items", ["order_items"], "order_items"),
        ("recieve_at", ["receive_at"], "receive_at"),
        ("data", ["date"], None),
        ("post", ["port", "cost"], None),
        ("typical", ["atypical"], None),
        ("line_10001", ["line_10002"], None),
        ("order_id_x", ["order_id"], None),
        ("expect_rows", ["except_rows"], None),
        ("item", ["items", "total"], "items"),
        ("ab", ["ac"], None),
        ("cats", ["bats", "rats"], None),
        ("", ["a"], None),
    ],
)
def test_spelling_finds_the_one_candidate_a_slip_away(name, candidates, match) -> None:
    assert match_spelling(name, candidates) == match


def test_a_swap_of_neighbours_is_one_step_and_too_far_is_only_too_far() -> None:
    assert measure_distance("abcd", "abdc", most=2) == 1
    assert measure_distance("abcd", "wxyz", most=2) == 3
    assert measure_distance("a" * 1_000_000, "b" * 1_000_000, most=2) == 3
