"""A flipped bit in any kind of page is noticed, or it changes no answer."""

from __future__ import annotations

import os

import pytest

from tests.stores.relational.flips import count_flips

FLIPS = int(os.environ.get("MULLIGAN_TEST_FLIPS", "60"))
"""More of them: `MULLIGAN_TEST_FLIPS=500 pytest tests/stores/sqlite/test_files.py`."""


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "left open"])
def test_a_bit_flipped_in_any_kind_of_page_gives_no_wrong_answer(closed: bool) -> None:
    found = count_flips(FLIPS // 2, closed=closed)

    kinds = {kind for kind, _ in found}
    silent = {kind: times for (kind, what), times in found.items() if what == "silent"}
    assert silent == {}
    assert kinds >= {"table leaf", "table internal", "index leaf", "index internal", "overflow"}
    assert kinds >= {"freelist", "header"}
    assert closed or "log ahead" in kinds
    assert sum(times for (_, what), times in found.items() if what == "noticed") > 0
