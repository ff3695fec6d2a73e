"""Every example of a host runs as it stands, without a key, and tells the same story."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.hosts.drivers import HOSTS, OTHERS, is_installed

pytestmark = pytest.mark.full

EXAMPLES = Path(__file__).parents[2] / "examples" / "hosts"
PACKAGES = {**HOSTS, **OTHERS}


def list_runnable() -> list[str]:
    """The hosts that there are in this environment, with an example."""
    return [
        host
        for host, package in PACKAGES.items()
        if is_installed(package) and find_example(host).is_file()
    ]


def find_example(host: str) -> Path:
    return EXAMPLES / f"with_{host.replace('-', '_')}.py"


def test_every_example_is_of_a_host_that_is_tried() -> None:
    known = {find_example(host).name for host in PACKAGES}

    assert {path.name for path in EXAMPLES.glob("*.py")} <= known


@pytest.mark.parametrize("host", list_runnable())
def test_the_example_tells_its_story(host: str, tmp_path: Path) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}

    done = subprocess.run(
        [sys.executable, str(find_example(host))],
        cwd=tmp_path,
        env={**clean, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search("Friday|2026-11-20", done.stdout)
    assert re.search("high|medium", done.stdout)
