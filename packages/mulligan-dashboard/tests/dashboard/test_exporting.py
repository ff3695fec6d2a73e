from __future__ import annotations

import csv
from datetime import UTC, datetime

import pytest
from msgspec import Struct

from mulligan.insights.figures import Estimate
from mulligan_dashboard.app import render_csv


class Row(Struct, frozen=True, kw_only=True):
    name: str
    share: Estimate
    at: datetime = datetime(2026, 11, 16, tzinfo=UTC)
    agents: tuple[str, ...] = ()
    note: str | None = None


def read(rows: list[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(render_csv(rows).splitlines()))


def test_a_part_stands_under_its_own_name() -> None:
    (row,) = read([Row(name="find", share=Estimate(figure=0.5, n=2), agents=("a", "b"))])

    assert row["share.figure"] == "0.5"
    assert row["at"] == "2026-11-16T00:00:00+00:00"
    assert row["agents"] == '["a","b"]'
    assert row["note"] == row["share.low"] == ""


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", " =", "\n=", "\uff1d"])
def test_what_a_spreadsheet_would_run_is_text(sign: str) -> None:
    (row,) = read([Row(name=f"{sign}cmd|' /C calc'!A0", share=Estimate(figure=-1.0, n=0))])

    assert not row["name"].startswith(sign)
    assert row["share.figure"] == "-1.0"


def test_no_rows_are_no_lines() -> None:
    assert render_csv([]).strip() == ""
