"""The suite of the dashboard's pages, in its short form, and the pictures' list of pages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.suites import dashboard
from mulligan.dashboard.sections import SECTIONS

ROOT = Path(__file__).parent.parent.parent


def test_it_measures_every_view_on_a_small_store() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "dashboard", "--json", "--store", "sqlite",
         "--rows", "500", "2000", "--rounds", "2"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip

    result = json.loads(done.stdout)
    assert done.returncode in (0, 1), done.stderr
    assert set(result["stores"]["sqlite"]) >= {each.name for each in SECTIONS}
    assert len(result["stores"]["sqlite"]["tools"]["p95_ms"]) == 2


def test_what_is_too_slow_is_said() -> None:
    fine = {"worst_ratio": 1.2, "worst_p95_ms": 40.0}

    assert dashboard.failed(fine) == ""
    assert "1.6 times" in dashboard.failed({**fine, "worst_ratio": 1.6})
    assert "140.0 ms" in dashboard.failed({**fine, "worst_p95_ms": 140.0})
