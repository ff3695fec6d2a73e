"""Evaluating replies at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mulligan.cli.main import main


def test_the_set_we_ship_is_evaluated_with_the_writer_we_ship(capsys) -> None:
    code = main(["evaluate", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert report["n"] >= 40
    assert 0 < report["reflection_rate"] < 1


def test_two_sets_of_checks_are_compared_and_the_exit_code_says_whether_it_is_safe(
    tmp_path: Path, capsys
) -> None:
    stricter = tmp_path / "stricter.toml"
    stricter.write_text('preset = "marketing"\n[checks.too_long]\nat_most = 40\n')

    same = main(["evaluate", "--compare", "marketing", "marketing", "--json"])
    capsys.readouterr()
    worse = main(["evaluate", "--compare", "marketing", str(stricter), "--json"])

    told = json.loads(capsys.readouterr().out)
    assert (same, worse) == (0, 1)
    assert told["verdict"] == "not safe to deploy"


def test_a_page_is_written_and_people_get_tables(tmp_path: Path, capsys) -> None:
    page = tmp_path / "report.html"

    code = main(["evaluate", "--limit", "5", "--html", str(page)])

    assert code == 0
    assert "Reflection rate" in capsys.readouterr().out
    assert "<svg" in page.read_text()


@pytest.mark.parametrize("wrong", [["nothing"], ["--cases", "nowhere.jsonl"]])
def test_what_is_not_there_is_one_sentence(wrong: list[str], capsys) -> None:
    code = main(["evaluate", *wrong])

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1
