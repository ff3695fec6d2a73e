"""A flipped bit in any kind of page is noticed, or it changes no answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mulligan.stores.database import Session
from mulligan.stores.opening import open_store
from mulligan.stores.sqlite import files
from tests.stores.flips import count_flips

FLIPS = int(os.environ.get("MULLIGAN_TEST_FLIPS", "60"))
"""More of them: `MULLIGAN_TEST_FLIPS=500 pytest packages/mulligan/tests/stores/test_files.py`."""


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


@pytest.mark.parametrize(
    ("most_bytes", "checked"),
    [(files.CHECKED_LOG_BYTES, {"family.db", "family.log.db"}), (1, {"family.db"})],
)
def test_a_log_is_checked_when_it_is_opened_up_to_a_size_that_no_command_waits_for(
    tmp_path, monkeypatch, most_bytes, checked
) -> None:
    looked_at: set[str] = set()
    check = files.check_structure

    def watch(session: Session, path: Path) -> str | None:
        looked_at.add(path.name)
        return check(session, path)

    monkeypatch.setattr(files, "check_structure", watch)
    monkeypatch.setattr(files, "CHECKED_LOG_BYTES", most_bytes)
    open_store(f"sqlite:///{tmp_path}/family.db").close()

    assert looked_at == checked
