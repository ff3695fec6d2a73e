"""An agent's day through the gateway: real clients and processes, and a ledger outside of both."""

import sys
from pathlib import Path

import pytest

from bench.gateway.story import Stage, play
from tests.gateway.recorded_server import FILE_SERVER

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]


async def test_errors_are_kept_writes_undone_holds_approved_and_nothing_is_lost_or_done_twice(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    (tmp_path / "home").mkdir()
    program = f"import sys; sys.path[:0] = [{str(FILE_SERVER.parents[2])!r}]"
    server = (sys.executable, "-c", _run(program), str(tmp_path / "home"))

    found = await play(Stage.build(tmp_path, server))

    assert found["error_kept"] is True
    assert found["undone"] is True
    assert (found["approved_by_command"], found["approved_by_command_times"]) == (True, 1)
    assert (found["approved_by_asking"], found["approved_by_asking_times"]) == (True, 1)
    assert (found["gateway_killed"], found["gateway_killed_times"]) == (True, 1)
    assert (found["server_killed"], found["server_killed_times"]) == (True, 1)
    # What nobody could tell is in front of a person, and nowhere else.
    assert {found["gateway_killed_left"], found["server_killed_left"]} <= {
        "settled",
        "needs_human",
        "unknown",
        "pending_review",
    }


def _run(before: str) -> str:
    return f"{before}; import runpy; runpy.run_path({str(FILE_SERVER)!r}, run_name='__main__')"
