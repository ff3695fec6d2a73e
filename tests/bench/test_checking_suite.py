"""The suite on what checks cost: it measures a turn that the checks accept, and one they do not."""

from __future__ import annotations

from argparse import Namespace

from msgspec.structs import replace

from bench.suites import checking


def test_the_turn_that_is_timed_is_right_and_a_wrong_one_would_be_flagged() -> None:
    standard = checking.build_parts()["standard"]
    attempt = checking.build_attempt(0)
    look, moved, sent = attempt.executions
    wrong = replace(moved.call, arguments={**moved.call.arguments, "start": "2026-11-21T19:00"})

    assert standard(attempt) == []
    assert standard(replace(attempt, executions=(look, replace(moved, call=wrong), sent)))


def test_times_and_counts_are_told_of_all_parts() -> None:
    result = checking.run(Namespace(rounds=2, seed=1))

    assert set(result["us"]) == set(result["function_calls"]) == set(checking.PARTS)
    assert result["function_calls"]["standard"] > result["function_calls"]["dates"] > 0
    assert checking.show(result)
