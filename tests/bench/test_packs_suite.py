"""What the suite counts is what runs, and a world that breaks a promise is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import MetaData, Table, create_engine

from bench.packs.lines import count_lines
from bench.packs.rows import RowWorld
from bench.packs.written.ours import build_tools
from bench.suites.packs import failed
from mulligan import Mulligan
from tests.packs.sql.world import act, reject


def test_a_tool_takes_one_line_and_fewer_than_with_a_ready_connector() -> None:
    counted = count_lines()

    assert all(counts["ours"] == 1 < counts["saga"] for counts in counted.values())


@pytest.mark.parametrize("at", range(4))
async def test_the_tools_whose_lines_are_counted_are_taken_back(tmp_path: Path, at: int) -> None:
    world = RowWorld(f"sqlite:///{tmp_path}/rows.db")
    world.fill()
    before, engine = world.look(), create_engine(f"sqlite:///{tmp_path}/rows.db")
    given = [
        {"title": "x"},
        {"task_id": 1, "title": "x"},
        {"task_id": 1},
        {"below": 3, "title": "x"},
    ]

    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        tool = build_tools(m, engine, Table("task", MetaData(), autoload_with=engine))[at]
        changed = []

        def work() -> None:
            tool(**given[at])
            changed.append(world.look() != before)

        assert await act(m, work) == []

    engine.dispose()
    assert changed == [True]
    assert world.look() == before


def test_only_what_a_pack_promises_counts_against_it() -> None:
    seen = {"lost": 0, "for_a_person": 2, "promises": ("lost",)}

    assert failed(seen) == ""
    assert failed({**seen, "promises": ("lost", "for_a_person")}) == "2 for_a_person"
