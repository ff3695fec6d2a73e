"""The table of error classes has no gaps, and no row that contradicts another."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mulligan.types import failure
from mulligan.types.failure import MOST_TRIES, Aftermath, ArgumentFault, Cell, ErrorClass, Move

LAST = '    UNKNOWN = "unknown"\n'


def test_the_type_checker_names_a_class_that_has_no_row(tmp_path: Path) -> None:
    table = tmp_path / "failure.py"
    written = Path(failure.__file__ or "").read_text()
    table.write_text(written.replace(LAST, LAST + '    PLANTED = "planted"\n'))

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, table],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("error:") == 1, done.stdout
    assert "assert_never" in done.stdout
    assert "ErrorClass.PLANTED" in done.stdout


@pytest.mark.parametrize("what", ["statuses", "exceptions"])
def test_nothing_means_two_classes(what: str) -> None:
    named = Counter(itertools.chain(*(getattr(each.traits, what) for each in ErrorClass)))

    assert named
    assert [name for name, times in named.items() if times > 1] == []


def test_every_class_has_a_row_of_its_own() -> None:
    assert len({id(each.traits) for each in ErrorClass}) == len(ErrorClass)


def test_what_may_have_landed_is_never_simply_made_again() -> None:
    for each in (each.traits for each in ErrorClass):
        if each.may_have_landed:
            assert each.once.move is Move.PROBE
            assert each.keyed.move is Move.PROBE


def test_arguments_are_corrected_only_where_nothing_has_happened() -> None:
    for each in (each.traits for each in ErrorClass):
        if each.advice is ArgumentFault.SHAPE:
            assert each.aftermath is Aftermath.REFUSED


@pytest.mark.parametrize("times", [0, MOST_TRIES])
def test_a_cell_that_promises_more_tries_than_there_are_is_refused(times: int) -> None:
    with pytest.raises(ValueError, match=f"{times} times"):
        Cell(move=Move.SAME, times=times)
