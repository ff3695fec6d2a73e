"""The suite of the dashboard's pages, in its short form, and the pictures' list of pages."""

from __future__ import annotations

from bench.suites import dashboard
from mulligan_dashboard.sections import SECTIONS
from tests.bench.running import read_result


def test_it_measures_every_view_on_a_small_store() -> None:
    few = ("--store", "sqlite", "--rows", "500", "2000", "--rounds", "2")

    result = read_result("dashboard", *few, codes=(0, 1))

    assert set(result["stores"]["sqlite"]) >= {each.name for each in SECTIONS}
    assert len(result["stores"]["sqlite"]["tools"]["p95_ms"]) == 2


def test_what_is_too_slow_is_said() -> None:
    fine = {"worst_ratio": 1.2, "worst_p95_ms": 40.0}

    assert dashboard.failed(fine) == ""
    assert "1.6 times" in dashboard.failed({**fine, "worst_ratio": 1.6})
    assert "140.0 ms" in dashboard.failed({**fine, "worst_p95_ms": 140.0})
