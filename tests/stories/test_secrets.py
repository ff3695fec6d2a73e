"""Secrets stay out: thousands planted, then every byte that was left anywhere is searched."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from mulligan.stores.opening import open_store
from mulligan.types.log import LogQuery
from tests.redaction.canaries import found_in, pieces_of

pytestmark = [pytest.mark.promise(8), pytest.mark.full]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Left:
    """What a run left behind."""

    folder: Path
    planted: list[str]
    monsters: int


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    folder = tmp_path_factory.mktemp("planted")
    told = json.loads(run("-m", "tests.stories.planting", str(folder)))
    store = f"sqlite:///{folder}/planted.db"
    for name, options in {"table": [], "json": ["--json"]}.items():
        output = run("-m", "mulligan", "log", "--store", store, "-n", "100000", *options)
        (folder / f"terminal.{name}").write_text(output)
    return Left(folder=folder, **told)


def test_at_least_a_thousand_were_planted_and_all_calls_were_logged(left: Left) -> None:
    store = open_store(f"sqlite:///{left.folder}/planted.db")
    rows = store.log.list_rows(LogQuery(limit=1_000_000))
    store.close()

    assert len(left.planted) >= 1000
    assert len(rows) == len(left.planted) + left.monsters
    assert (left.folder / "spans.json").stat().st_size > 100_000


def test_none_is_in_any_file_span_or_terminal_output(left: Left) -> None:
    artefacts = {file.name: file.read_bytes() for file in left.folder.iterdir()}

    found = [
        (name, secret)
        for name, content in artefacts.items()
        for secret in left.planted
        for piece in pieces_of(secret)
        if piece.encode() in content
    ]

    assert {"planted.db", "planted.log.db", "spans.json", "terminal.table"} <= artefacts.keys()
    assert found == []


def test_none_is_in_the_rows_in_another_spelling(left: Left) -> None:
    store = open_store(f"sqlite:///{left.folder}/planted.db")
    rows = store.log.list_rows(LogQuery(limit=1_000_000))
    store.close()
    rows = sorted(rows, key=lambda row: row.id)[: len(left.planted)]

    found = [
        secret
        for row, secret in zip(rows, left.planted, strict=True)
        if found_in(f"{row.parameters} {row.result} {row.error_message} {row.context}", secret)
    ]

    assert found == []


def test_twenty_monsters_were_called_with_and_left_bounded_rows(left: Left) -> None:
    store = open_store(f"sqlite:///{left.folder}/planted.db")
    rows = store.log.list_rows(LogQuery(tool="swallow", limit=1000))
    store.close()

    assert left.monsters >= 20
    assert len(rows) == left.monsters
    for row in rows:
        assert len(row.parameters) <= 65_536
        msgspec.json.decode(row.parameters)
        msgspec.json.decode(row.result or "null")
