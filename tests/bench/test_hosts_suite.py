from __future__ import annotations

import json
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
