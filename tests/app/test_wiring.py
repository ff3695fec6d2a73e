"""What a closed application left open is anybody's."""

from __future__ import annotations

from pathlib import Path

from mulligan import Mulligan
from mulligan.stores.opening import open_store
from mulligan.testing.store_contract.contract import make_first_entry


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
