from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import pytest

from mulligan import Mulligan
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.action import ActionQuery
from mulligan.types.log import LogQuery
from tests.cli.running import run


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_have_every_call_and_action_and_no_secret(store, capsys, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code, said, _ = run(capsys, "export", "--store", store, str(out))

    calls, actions = read_lines(out / "calls.jsonl"), read_lines(out / "actions.jsonl")
    with Insights.open(Settings(store=store)) as insights:
        assert [row["id"] for row in calls] == [
            row.id for row in insights.log(LogQuery(limit=1000, oldest_first=True))
        ]
        kept = insights.open_list.search(ActionQuery(limit=1000))
        assert {row["id"] for row in actions} == {action.id for action in kept}
    assert code == 0
    assert f"{len(calls)} calls, {len(actions)} actions" in " ".join(said.split())
    assert "hunter2" not in (out / "calls.jsonl").read_text()


def test_parquet_has_the_same_with_types(store, capsys, tmp_path: Path) -> None:
    run(capsys, "export", "--store", store, str(tmp_path / "lines"))
    code, said, _ = run(
        capsys, "export", "--parquet", "--json", "--store", store, str(tmp_path / "out")
    )

    files = json.loads(said)["files"]
    lines = read_lines(tmp_path / "lines" / "calls.jsonl")
    with duckdb.connect() as connection:
        calls = connection.read_parquet(files["calls"])
        described = dict(zip(calls.columns, map(str, calls.types), strict=True))
        count, durations = calls.aggregate("count(*), sum(duration_us)").fetchall()[0]
        actions = connection.read_parquet(files["actions"]).filter("settled").count("id").fetchone()
    assert code == 0
    assert (count, durations) == (len(lines), sum(int(str(row["duration_us"])) for row in lines))
    assert described["at"] == "TIMESTAMP WITH TIME ZONE"
    assert described["parameters"] in ("JSON", "VARCHAR")
    assert actions is not None
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "actions.parquet",
        "calls.parquet",
    ]


def test_where_nothing_fits_it_says_what_was_asked_for(store, capsys, tmp_path: Path) -> None:
    asked = ("--tenant", "nobody", "--until", "2020-01-01T01:00+01:00")

    code, said, _ = run(capsys, "export", "--store", store, *asked, str(tmp_path / "out"))

    assert code == 0
    assert " ".join(said.split()).endswith(
        "0 calls, 0 actions. Nothing fits --tenant nobody --until 2020-01-01T00:00:00+00:00."
    )
    assert (tmp_path / "out" / "calls.jsonl").read_text() == ""


def test_an_empty_store_is_said_to_be_one(capsys, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    Mulligan(url).close()

    code, said, _ = run(capsys, "export", "--store", url, str(tmp_path / "out"))

    assert code == 0
    assert "0 calls, 0 actions. The store has none yet." in " ".join(said.split())


def test_a_file_that_is_there_is_left_alone(store, capsys, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text("mine")

    code, _, said = run(capsys, "export", "--store", store, str(tmp_path))

    assert code == 2
    assert "is there already" in said
    assert (tmp_path / "calls.jsonl").read_text() == "mine"


def test_without_the_extra_it_says_what_to_install(
    store, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)

    code, _, said = run(capsys, "export", "--parquet", "--store", store, str(tmp_path / "out"))

    assert code == 2
    assert 'pip install "mulligan[parquet]"' in said
    assert not (tmp_path / "out").exists()
