"""What a server may still lose is kept by the one who wrote it, and not for ever."""

from __future__ import annotations

from mulligan.stores.opening import open_store
from mulligan.stores.relational import committer


def test_many_works_ask_for_a_sync_which_lets_all_before_it_go(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(committer, "MOST", 3)
    store = open_store(f"sqlite:///{tmp_path}/family.db")
    writer, promised = store._committer, []

    for _ in range(5):
        writer.run(lambda transaction: transaction.head.commits, synced=False)
        promised.append(writer.promised.commits)

    assert promised == [0, 0, 0, 4, 4]
    store.close()
