from __future__ import annotations

import json
from pathlib import Path

import pytest

from mulligan.cli.main import main
from mulligan.stores.opening import open_store
from mulligan_testing.store_contract.contract import make_lesson, make_use


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with a lesson that has touched 130 calls."""
    url = f"sqlite:///{tmp_path}/desk.db"
    opened = open_store(url)
    opened.casebook.append([make_lesson()])
    opened.casebook.use([make_use(number) for number in range(130)])
    opened.close()
    return url


def read(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["lessons", *arguments]) == 0
    return capsys.readouterr().out


def test_the_newest_calls_are_shown_with_how_many_there_are(store: str, capsys) -> None:
    shown = json.loads(read(capsys, "show", "l1", "--store", store, "--json"))
    words = read(capsys, "show", "l1", "--store", store)

    assert (len(shown["uses"]), shown["balance"]["uses"]) == (100, 130)
    assert shown["uses"][-1]["call"] == make_use(129).call
    assert "the newest of 130 calls: --all lists them" in words


def test_every_call_is_shown_where_all_are_asked_for(store: str, capsys) -> None:
    shown = json.loads(read(capsys, "show", "l1", "--all", "--store", store, "--json"))
    words = read(capsys, "show", "l1", "--all", "--store", store)

    assert len(shown["uses"]) == 130
    assert "--all" not in words


def test_what_is_taken_out_is_told_with_every_call(store: str, capsys) -> None:
    gone = json.loads(read(capsys, "revoke", "l1", "--store", store, "--json"))

    assert len(gone["uses"]) == 130
