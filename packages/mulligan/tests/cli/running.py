"""The command line, in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mulligan.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    output = capsys.readouterr()
    return code, output.out, output.err


def read_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command that goes well tells programs."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)
