"""What `mulligan top` shows in a terminal."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan.cli.main import main
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch, roll_up
from mulligan_testing.store_contract.contract import make_log_row


def test_top_draws_the_thirty_days_that_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    row = make_log_row(0, at=datetime.now(UTC) - timedelta(days=20))
    with closing(open_store(url)) as store:
        store.log.write(Batch(rows=[row], rollups=roll_up([row])))

    main(["top", "--once", "--store", url])

    shown = capsys.readouterr().out.splitlines()
    [trend] = [line for line in shown if line.startswith("30 days")]
    assert "█" in trend
