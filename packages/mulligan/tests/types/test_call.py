"""What is kept and shown of a call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.types.adapter import Answer
from mulligan.types.call import (
    Call,
    Execution,
    Failure,
    Outcome,
    Record,
    Snapshot,
)
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Finding, Severity, Standing


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


def test_what_a_call_was_given_is_in_no_log_by_accident() -> None:
    record = Record(
        arguments={"a": "s3cret"}, result="s3cret", snapshot=Snapshot("s3cret"), key="k"
    )

    assert "s3cret" not in repr(record)
    assert "'k'" in repr(record)


WRONG = Finding(rule="date.wrong_day", severity=Severity.ERROR, issue="It is the 21st.")


@pytest.mark.parametrize(
    ("reply", "told", "refusal"),
    [
        ("Which day?", {"feedback": "Try again."}, "Try again."),
        ("Which day?", {}, "Which day?"),
        (None, {"note": "It stands."}, "It stands."),
        (None, {"findings": (WRONG, WRONG)}, "It is the 21st. It is the 21st."),
    ],
)
def test_who_made_a_rejected_call_is_told_what_there_is_to_tell(
    reply: object, told: dict, refusal: str
) -> None:
    answer = Answer(reply=reply, standing=Standing.REJECTED, confidence=None, **told)

    assert answer.refusal == refusal
