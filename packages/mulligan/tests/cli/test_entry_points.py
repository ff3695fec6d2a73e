"""Commands of other packages: found by their entry points, whoever's they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.cli.commands import GROUP
from tests.strangers import install, run

THEIRS = """
from mulligan.cli.options import command

@command("greet", about="Greet.", line="say hello", examples=["mulligan greet"])
def run(options, settings):
    print("hello", settings.store)
    return 0
"""
COMMAND = ("-m", "mulligan")


def install_command(folder: Path, source: str) -> Path:
    points = {GROUP: {"greet": "their_command"}}
    return install(folder, "their_command", points, source=source)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["greet"], "hello memory:"), (["--help"], "say hello"), (["greet", "--help"], "example:")],
)
def test_a_strangers_command_is_run_and_told_of_as_ours_are(tmp_path, arguments, said):
    theirs = install_command(tmp_path, THEIRS)

    done = run(theirs, *COMMAND, *arguments, MULLIGAN_STORE="memory:")

    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


@pytest.mark.full
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise OSError('no such thing')", "cannot be loaded: it ended with OSError"),
        ("import nowhere_at_all", "cannot be loaded: No module named 'nowhere_at_all'"),
        ("", "defines none of that name"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_and_stops_no_other(tmp_path, source, why):
    broken = install_command(tmp_path, source)

    helped, ours, theirs = (
        run(broken, *COMMAND, *each) for each in (["--help"], ["log", "--help"], ["greet"])
    )

    assert helped.returncode == 0
    assert "their_command 1.0 (their_command)" in helped.stderr
    assert why in helped.stderr
    assert (ours.returncode, ours.stderr) == (0, "")
    assert (theirs.returncode, theirs.stderr) == (2, helped.stderr)
