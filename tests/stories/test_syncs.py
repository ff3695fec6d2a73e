"""What durability costs: at most one sync for an action, and two for an undo."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTIONS = 20


def syncs(folder: Path, way: str) -> int:
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.stories.syncing", str(folder), str(ACTIONS), way],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return int(json.loads(done.stdout))


@pytest.mark.full
@pytest.mark.parametrize(
    ("way", "most"), [("accept", ACTIONS), ("note", ACTIONS), ("reject", ACTIONS + 2 * ACTIONS)]
)
def test_an_action_costs_one_sync_and_an_undo_at_most_two(
    tmp_path: Path, way: str, most: int
) -> None:
    counted = syncs(tmp_path / way, way)

    assert ACTIONS <= counted <= most
