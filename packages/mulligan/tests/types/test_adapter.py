"""What an adapter hands on of a call and of a reply."""

from __future__ import annotations

import pytest

from mulligan.types.adapter import Answer, Called
from mulligan.types.finding import Finding, Severity, Standing

WRONG = Finding(rule="date.wrong_day", severity=Severity.ERROR, issue="It is the 21st.")


@pytest.mark.parametrize(
    ("result", "note", "handed_on"),
    [
        ("Moved.", "", "Moved."),
        ({"id": 1}, "", {"id": 1}),
        ("Moved.", "The day was corrected.", "Moved.\n\nThe day was corrected."),
        ({"id": 1}, "Corrected.", {"result": {"id": 1}, "note": "Corrected."}),
    ],
)
def test_a_result_and_its_note_are_one_value(result: object, note: str, handed_on: object) -> None:
    assert Called(result=result, note=note).join_note() == handed_on


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
