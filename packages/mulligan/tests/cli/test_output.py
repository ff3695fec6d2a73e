"""What a command prints for programs is nothing else, and a file is refused before the work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.cli.main import main
from mulligan.cli.terminal import keep_stdout, print_line
from mulligan.types.errors import ConfigurationError
from mulligan.types.private_file import refuse_unwritable


def test_what_others_print_meanwhile_goes_to_standard_error(capsys) -> None:
    with keep_stdout():
        print("loading…")
        print_line("{}")
    print("afterwards")

    said = capsys.readouterr()
    assert (said.out, said.err) == ("{}\nafterwards\n", "loading…\n")


NOISY = """
import os, subprocess, sys
from mulligan.cli.terminal import keep_stdout, print_line
with keep_stdout():
    print("python")
    os.write(1, b"descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('process')"], check=True)
    print_line("{}")
print("afterwards")
"""


def test_what_their_processes_print_does_too() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", NOISY], capture_output=True, text=True, check=True, timeout=60
    )

    assert ran.stdout == "{}\nafterwards\n"
    assert sorted(ran.stderr.split()) == ["descriptor", "process", "python"]


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "none" / "page.html"):
        with pytest.raises(ConfigurationError, match="cannot be written"):
            refuse_unwritable(wrong)


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    there, new = tmp_path / "there.html", tmp_path / "new.html"
    there.write_text("before")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for each in (there, new, pipe):
        refuse_unwritable(each)

    assert (there.read_text(), new.exists()) == ("before", False)


APPLICATION = """
from mulligan import Mulligan

print("the application says hello")
m = Mulligan("memory:")
"""


@pytest.mark.parametrize("command", [["worker", "--once"], ["evaluate", "--limit", "2"]])
def test_an_application_that_prints_leaves_json_alone(
    command: list[str], tmp_path: Path, monkeypatch, capsys
) -> None:
    name = f"noisy_{command[0]}"
    (tmp_path / f"{name}.py").write_text(APPLICATION)
    monkeypatch.chdir(tmp_path)

    main([*command, "--app", f"{name}:m", "--json"])

    said = capsys.readouterr()
    assert json.loads(said.out) is not None
    assert "the application says hello" in said.err
