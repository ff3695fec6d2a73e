from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from mulligan.app.housekeeping import forget_now
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept


def test_what_is_past_its_time_goes_at_once_and_all_is_written_anew(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    ended = datetime.now(UTC) - timedelta(days=1)
    store.vault.put(Kept(owner="one", name="before", value=b"gone", expires_at=ended))

    swept, again = (forget_now(Settings(store=url)) for _ in range(2))
    store.close()

    assert (swept.kept, again.kept) == (1, 0)
    for each in (swept, again):
        assert each.vacuumed is not None
        assert each.vacuumed.parts == ("family.db", "family.log.db")
