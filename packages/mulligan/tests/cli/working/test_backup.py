from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import run


def test_a_copy_is_a_store_that_every_command_can_open(store, capsys, tmp_path: Path) -> None:
    code, said, _ = run(capsys, "backup", "--json", "--store", store, str(tmp_path / "copy"))
    _, there, _ = run(capsys, "log", "--json", "--store", store)
    name = Path(store.removeprefix("sqlite:///")).name
    opened, here, _ = run(capsys, "log", "--json", "--store", f"sqlite:///{tmp_path}/copy/{name}")

    assert (code, opened) == (0, 0)
    assert json.loads(said)["bytes"] > 0
    assert json.loads(here)["rows"] == json.loads(there)["rows"] != []


def test_a_server_has_its_own_way(capsys, tmp_path: Path) -> None:
    code, _, said = run(
        capsys, "backup", "--store", "postgresql://127.0.0.1:1/nobody", str(tmp_path / "copy")
    )

    assert code == 2
    assert "pg_dump" in said


def test_where_no_store_is_nothing_is_made(capsys, tmp_path: Path) -> None:
    code, _, said = run(
        capsys, "backup", "--store", f"sqlite:///{tmp_path}/none.db", str(tmp_path / "copy")
    )

    assert code == 3
    assert "does not exist" in said
    assert list(tmp_path.iterdir()) == []
