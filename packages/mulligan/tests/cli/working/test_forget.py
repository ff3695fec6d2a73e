from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept
from tests.cli.running import run


def test_what_is_past_its_time_goes_and_the_files_are_written_anew(store, capsys) -> None:
    opened = open_store(store)
    ended = datetime.now(UTC) - timedelta(days=1)
    opened.vault.put(Kept(owner="one", name="before", value=b"gone", expires_at=ended))
    opened.close()

    code, said, _ = run(capsys, "forget", "--json", "--store", store)
    again, plainly, _ = run(capsys, "forget", "--store", store)

    found = json.loads(said)
    assert (code, again) == (0, 0)
    assert found["kept"] == 1
    assert len(found["vacuumed"]["parts"]) == 2
    assert "2 files or tables written anew" in plainly


def test_where_no_store_is_nothing_is_made(capsys, tmp_path) -> None:
    code, _, said = run(capsys, "forget", "--store", f"sqlite:///{tmp_path}/none.db")

    assert code == 3
    assert "does not exist" in said
    assert list(tmp_path.iterdir()) == []
