from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.runtime.episodes import Ended, build_earlier
from mulligan.types.call import Call, Execution, Failure, Outcome
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Earlier


class HostileError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def made(outcome: Outcome, error: BaseException | None = None) -> Execution:
    failure = None if error is None else Failure(error_class=ErrorClass.MISSING, error=error)
    return Execution(
        call=Call(id="1", tool="find", arguments={"id": "x", "key": "k1"}),
        outcome=outcome,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        duration=timedelta(),
        result="found",
        failure=failure,
    )


@pytest.mark.parametrize(
    ("execution", "result", "failed"),
    [
        (made(Outcome.SUCCESS), "found", False),
        (made(Outcome.FAILURE, ValueError("no x")), "no x", True),
        (made(Outcome.FAILURE, HostileError()), "<HostileError that cannot be shown>", True),
        (made(Outcome.UNKNOWN), "found", True),
    ],
)
def test_of_a_call_that_failed_what_it_said_is_remembered(
    execution: Execution, result: str, failed: bool
) -> None:
    arguments = {"id": "x", "key": "k1"}

    assert build_earlier(execution) == Earlier(
        tool="find", arguments=arguments, result=result, failed=failed
    )


def test_only_success_is_success() -> None:
    assert [each for each in Outcome if Ended(execution=made(each)).succeeded] == [Outcome.SUCCESS]
