"""What a closed application left open is anybody's; and one clock for all its parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.app.wiring import Asked, assemble
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept
from mulligan_testing.store_contract.contract import make_first_entry


def test_what_a_closed_application_left_open_waits_for_nobody(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    closed, other = Mulligan(store=store), Mulligan(store=url)
    store.journal.submit([make_first_entry("left")]).result()
    writer = store.journal.identify_writer()
    looking = open_store(url)
    before = looking.journal.find_dead_writers([writer])

    closed.close()

    assert before == set()
    assert looking.journal.find_dead_writers([writer]) == {writer}
    looking.close()
    other.close()


@pytest.mark.parametrize("store", ["memory:", "sqlite:///family.db"])
def test_what_is_kept_ends_by_the_clock_of_the_application(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    times = [datetime(2020, 1, 1, tzinfo=UTC)]
    parts = assemble(Settings(store=store), asked=Asked(), clock=lambda: times[-1])
    vault = parts.store.vault
    ends = times[-1] + timedelta(days=1)
    vault.put(Kept(owner="dinner", name="before", value=b"18:00", expires_at=ends))

    before = vault.get("dinner", "before")
    times.append(times[-1] + timedelta(days=2))
    after = vault.get("dinner", "before")
    parts.store.close()

    assert (before, after) == (b"18:00", None)
