from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.__main__ import main

pytestmark = pytest.mark.filterwarnings("default")  # the frameworks' own are not ours to mend


def test_a_host_is_measured_with_and_without(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["hosts", "--host", "pydantic-ai", "--runs", "1", "--json"])

    result = json.loads(capsys.readouterr().out)
    assert code == 0
    assert result["ratio"]["pydantic-ai"] > 0
    assert set(result["stories"]["pydantic-ai"]["pack"].values()) == {0}
    assert result["versions"]["pydantic-ai"]


def test_a_host_that_is_not_here_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.suites.hosts.list_installed", list)
    monkeypatch.setattr("bench.suites.hosts.FOLDER", tmp_path)

    code = main(["hosts", "--host", "pydantic-ai"])

    assert code == 2
    assert "pydantic-ai is not installed here" in capsys.readouterr().err


def test_a_host_with_an_environment_of_its_own_is_measured_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"strands": {"pack": {"double_rows": 0}}}
    rows = [{"host": "strands", "ratio": 1.5}]
    said = {"rows": rows, "versions": {"strands": "1.62"}, "stories": told}
    there = tmp_path / "strands-newest" / "bin" / "python"
    there.parent.mkdir(parents=True)
    there.write_text(f"#!{sys.executable}\nprint({json.dumps(said)!r})\n")
    there.chmod(0o755)
    monkeypatch.setattr("bench.suites.hosts.list_installed", list)
    monkeypatch.setattr("bench.suites.hosts.FOLDER", tmp_path)

    code = main(["hosts", "--json"])

    result = json.loads(capsys.readouterr().out)
    assert (code, result["ratio"]) == (0, {"strands": 1.5})
    assert result["versions"]["strands"] == "1.62"
    assert result["stories"]["strands"] == told["strands"]
