from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

pytestmark = pytest.mark.promise(8)


def test_every_view_is_in_one_file(store, capsys, tmp_path: Path) -> None:
    file = tmp_path / "out.html"

    code, out, _ = run(capsys, "report", "--store", store, "-o", str(file), "--window", "7d")

    assert code == 0
    assert "has every view" in out
    assert "share" in file.read_text()
    assert "hunter2" not in file.read_text()


def test_a_program_is_told_where_it_is(store, capsys, tmp_path: Path) -> None:
    file = tmp_path / "out.html"

    code, out, _ = run(capsys, "report", "--store", store, "-o", str(file), "--json")

    assert code == 0
    assert json.loads(out) == {"file": str(file), "bytes": file.stat().st_size}
