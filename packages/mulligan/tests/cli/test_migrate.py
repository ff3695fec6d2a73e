from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import run


def test_migrate_makes_a_store_and_says_where_it_stands(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/new.db"

    code, out, _ = run(capsys, "migrate", "--store", url, "--json")

    assert code == 0
    assert json.loads(out)["schemas"]["journal"] >= 1
    assert (tmp_path / "new.db").exists()
