"""Every `python -m bench` command with a short form runs in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.hosts.extras import list_commands, list_extras
from bench.whole.plan import QUICK
from tests.bench.running import run_bench

pytestmark = pytest.mark.full

NEEDS_AN_INSTALLATION = {"gateway-matrix", "gateway-servers", "gateway-suites"}
LONG_ALSO_IN_SHORT = {
    "effects", "engines", "gateway", "hostile", "hosts", "packs", "pauses", "tasks",
}  # fmt: skip
"""Measurements of what other tests hold: `make bench` runs them."""
IN_TESTS_OF_THEIR_OWN = {
    "counts", "crash", "explore", "gateway-chaos", "gateway-fuzz", "growth", "injection",
    "poisoning", "redaction", "restarts", "truth",
}  # fmt: skip
SHORT = sorted(
    (set(QUICK) | {"languages", "visits"})
    - NEEDS_AN_INSTALLATION
    - LONG_ALSO_IN_SHORT
    - IN_TESTS_OF_THEIR_OWN
)


@pytest.mark.filterwarnings("default")  # the frameworks' own warnings
@pytest.mark.parametrize("suite", SHORT)
def test_a_suite_runs_in_its_short_form(suite: str) -> None:
    done = run_bench(suite, "--json", *QUICK.get(suite, "").split())

    # 1: a goal in milliseconds was missed, which says nothing on a busy machine.
    assert done.returncode in (0, 1), done.stderr
    assert "lost names" not in done.stderr
    assert json.loads(done.stdout)["suite"] == suite


@pytest.mark.parametrize("extra", list_extras())
def test_every_extra_is_put_to_use_by_make_extras(extra: str) -> None:
    imports, used = list_commands(extra)

    assert imports == ["-c", "from mulligan import *"]
    compile(used[1] if used[0] == "-c" else Path(used[0]).read_text(), extra, "exec")
