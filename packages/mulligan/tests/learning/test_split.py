from __future__ import annotations

import pytest

from mulligan.learning.conform import rejoin_pieces


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (['{"a": "x', 'b": 1}'], [{"a": "x", "b": 1}]),
        (['[{"a": 1}', '{"a": 2}]'], [{"a": 1}, {"a": 2}]),
        (["a", "b"], None),
        (['{"a": "x', 7], None),
        (["{", "no object"], None),
        ([], None),
    ],
)
def test_pieces_of_objects_are_put_together_and_nothing_else_is(
    pieces: list[object], whole: list[object] | None
) -> None:
    assert rejoin_pieces(pieces) == whole


def test_what_would_be_too_long_is_left_in_pieces() -> None:
    assert rejoin_pieces(['{"a": "' + "x" * 20_000, 'b": 1}']) is None
