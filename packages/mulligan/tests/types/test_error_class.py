"""The table of error classes has no gaps, and no row that contradicts another."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from mulligan.types.failure import MOST_TRIES, Aftermath, ArgumentFault, ErrorClass, Move


@pytest.mark.parametrize("what", ["statuses", "exceptions"])
def test_nothing_means_two_classes(what: str) -> None:
    named = Counter(itertools.chain(*(getattr(each.traits, what) for each in ErrorClass)))

    assert named
    assert [name for name, times in named.items() if times > 1] == []


def test_what_may_have_landed_is_never_simply_made_again() -> None:
    for each in (each.traits for each in ErrorClass):
        if each.may_have_landed:
            assert each.once.move is Move.PROBE
            assert each.keyed.move is Move.PROBE


def test_arguments_are_corrected_only_where_nothing_has_happened() -> None:
    for each in (each.traits for each in ErrorClass):
        if each.advice is ArgumentFault.SHAPE:
            assert each.aftermath is Aftermath.REFUSED


def test_no_cell_promises_more_tries_than_there_are() -> None:
    rows = [each.traits for each in ErrorClass]
    cells = [cell for row in rows for cell in (row.read, row.idempotent, row.keyed, row.once)]
    cells += [cell.unless[1] for cell in cells if cell.unless is not None]

    assert all(1 <= cell.times < MOST_TRIES for cell in cells)
