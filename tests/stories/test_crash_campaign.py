"""Processes that are killed, paused and edited beside, in the short form of the crash campaign."""

from __future__ import annotations

import pytest

from bench.suites.crash import PROMISES
from tests.bench.running import read_result

pytestmark = pytest.mark.promise(1)


def test_no_promise_breaks_wherever_a_process_is_killed() -> None:
    result = read_result("crash", "--quick", "--calls", "20", "--store", "sqlite")

    assert {name: result[name] for name in PROMISES} == dict.fromkeys(PROMISES, 0)
    assert result["named_points_hit"] == result["named_points"] > 15
    assert result["points"] >= 40
    assert result["killed"] > 0
    assert result["ambiguity"]["duplicates"] == result["ambiguity"]["untrue"] == 0
    needed = result["ambiguity"]["needed_a_person"]
    assert needed["probe"]["persons"] == needed["both"]["persons"] == 0
