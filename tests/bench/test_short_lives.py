"""The suite `short-lives` in a short form: a process is told what another that has ended found."""

from __future__ import annotations

from tests.bench.running import read_result


def test_a_process_is_told_what_one_before_it_found() -> None:
    few = ("--processes", "2", "--failures", "2", "--episodes", "300", "--starts", "1")

    result = read_result("short-lives", *few)

    assert result["told"][1] == 2
    assert result["full"].keys() == {"open_ms", "turns_ms", "end_ms"}
