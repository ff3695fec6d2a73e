from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.types.call import Call, Execution, Failure, LogRow, Outcome
from mulligan.types.failure import ErrorClass


def test_raw_values_are_in_no_log_by_accident() -> None:
    failure = Failure(error_class=ErrorClass.RULE, said="s3cret", now="s3cret")
    made = Execution(
        call=Call(id="1", tool="find", arguments={"token": "s3cret"}),
        outcome=Outcome.FAILURE,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        duration=timedelta(),
        result="s3cret",
        failure=failure,
    )

    assert "s3cret" not in repr(made)


def test_a_row_is_told_without_the_raw_values_of_a_call() -> None:
    assert not {"arguments", "error", "failure"} & set(LogRow._fields)
