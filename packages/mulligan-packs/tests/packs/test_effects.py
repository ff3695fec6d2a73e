"""Random calls of the packs beside a second writer: all that is there bears out what is said.

The short form of `python -m bench effects --pack files --histories 500`, also `http`, `calendar`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.packs.effect_mutants import MUTANTS
from bench.packs.effects import run_effects
from bench.packs.histories import Totals
from bench.suites.effects import open_place


@pytest.mark.parametrize(("pack", "count"), [("files", 2), ("http", 5), ("calendar", 1)])
def test_nothing_is_lost_taken_or_spoken_of_untruly(tmp_path: Path, pack: str, count: int) -> None:
    with open_place(pack, tmp_path) as draw:
        totals = run_effects(draw, count=count, seed=7)

    assert totals.histories == count
    assert totals.examples == []
    assert totals.broken == 0


def test_a_mistake_in_a_pack_is_noticed(tmp_path: Path) -> None:
    planted, totals = MUTANTS["http"]["whatever the answer, it was made by this call"], Totals()

    with open_place("http", tmp_path) as draw, planted():
        draw(random.Random("1:685"), totals)

    assert totals.broken
