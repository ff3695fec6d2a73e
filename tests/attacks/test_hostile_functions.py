"""Functions of users that hang, exit, cancel or answer with nonsense, in every place for one."""

from __future__ import annotations

import argparse

import pytest

from bench.hostile import LOOPS, list_cases
from bench.suites import hostile


@pytest.mark.full
@pytest.mark.parametrize("loop", LOOPS)
def test_no_hostile_function_hangs_escapes_or_keeps_the_program_alive(loop: str) -> None:
    result = hostile.run(argparse.Namespace(loop=[loop], short=True))

    assert result["n"] == len(list_cases(loop, short=True)) >= 15
    assert hostile.failed(result) == ""
