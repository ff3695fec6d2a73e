"""Commands of other packages: found by their entry points, whoever's they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

THEIRS = """
from mulligan.cli.options import command

@command("greet", about="Greet.", line="say hello", examples=["mulligan greet"])
def run(options, settings):
    print("hello", settings.store)
    return 0
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = (str(folder), *filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-m", "mulligan", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MULLIGAN_STORE": "memory:"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def install(folder: Path, source: str) -> Path:
    (folder / "their_command.py").write_text(source)
    metadata = folder / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[mulligan.commands]\ngreet = their_command\n")
    return folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["greet"], "hello memory:"), (["--help"], "say hello"), (["greet", "--help"], "example:")],
)
def test_a_strangers_command_is_run_and_told_of_as_ours_are(tmp_path, arguments, said):
    done = run(install(tmp_path, THEIRS), *arguments)

    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


def test_one_that_cannot_be_loaded_is_named_and_stops_no_other(tmp_path):
    broken = install(tmp_path, "raise OSError('no such thing')")

    helped, ours = run(broken, "--help"), run(broken, "log", "--help")

    assert helped.returncode == 0
    assert "the command 'greet' cannot be loaded: no such thing" in helped.stderr
    assert (ours.returncode, ours.stderr) == (0, "")
