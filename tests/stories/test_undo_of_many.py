"""Random histories, undone together while processes are killed and people edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.stories.undo_groups import FOUND

pytestmark = [pytest.mark.full, pytest.mark.promise(1, 3)]


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_what_is_undone_together_ends_as_planned_whoever_is_killed(store: str) -> None:
    command = [sys.executable, "-m", "tests.stories.undo_groups", "--histories", "12"]
    command += ["--store", store]
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(command, env={**os.environ, **paths}, capture_output=True, check=True)

    found = json.loads(ran.stdout.splitlines()[-1])
    assert {name: found[name] for name in FOUND} == dict.fromkeys(FOUND, 0), ran.stdout.decode()
    assert found["histories"] > 8
    assert found["kills"] > 0
    assert found["undone"] > 8
