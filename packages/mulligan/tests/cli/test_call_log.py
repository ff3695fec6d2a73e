from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan import Mulligan
from tests.cli.running import run


def test_log_shows_every_try_and_no_secret(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store)

    assert code == 0
    assert out.count("find") == 2
    assert "PermissionError" in out
    assert "hunter2" not in out


def test_a_narrow_terminal_gets_lines_instead_of_a_broken_table(
    store: str, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    _, out, _ = run(capsys, "log", "--store", store)

    assert "PermissionError" in out
    assert "┃" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_log_as_json_is_one_document(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store, "--json")

    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["outcome"] for row in rows] == ["failure", "success", "failure"]
    assert rows[1]["parent"] == rows[0]["id"]
    assert rows[0]["parameters"] == {"limit": 3}
    assert rows[0]["at"].endswith("+00:00")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--tool", "share"], 1),
        (["--agent", "planner"], 3),
        (["--agent", "nobody"], 0),
        (["--outcome", "success"], 1),
        (["--error-class", "policy"], 1),
        (["--since", "1h"], 3),
        (["--until", "1h"], 0),
        (["-n", "2"], 2),
    ],
)
def test_log_filters(store: str, capsys, filters: list[str], expected: int) -> None:
    _, out, _ = run(capsys, "log", "--store", store, "--json", *filters)

    assert len(json.loads(out)["rows"]) == expected


def test_follow_shows_calls_as_they_are_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:
        find = m.tool(name="find")(len)
        find([1])
        m.flush()
        follower = subprocess.Popen(
            [sys.executable, "-m", "mulligan", "log", "-f", "--json", "--store", url],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert follower.stdout is not None
            first = json.loads(follower.stdout.readline())
            find([1, 2])
            m.flush()
            second = json.loads(follower.stdout.readline())
        finally:
            follower.kill()
            follower.communicate()

    assert (first["result"], second["result"]) == (1, 2)
