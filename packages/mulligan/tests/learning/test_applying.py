from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.learning.decide import TrackRecord, may_apply
from mulligan.types.effect import Effect, Mode
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Kind, Origin, Patch, Suggestion
from tests.learning.failures import failed

GOOD = Suggestion(
    patch=Patch(changes={"limit": 5}),
    source=Origin.SCHEMA,
    kinds=(Kind.COERCE,),
    probability=0.85,
    n=0,
    evidence="it is a number",
    automatic=True,
)


@pytest.mark.parametrize(
    ("effect", "error_class", "probability", "expected"),
    [
        (Effect.READ, ErrorClass.VALIDATION, 0.5, True),
        (Effect.READ, ErrorClass.TOOL_EXCEPTION, 0.5, True),
        (Effect.READ, ErrorClass.VALIDATION, 0.49, False),
        (Effect.REVERSIBLE, ErrorClass.VALIDATION, 0.8, True),
        (Effect.REVERSIBLE, ErrorClass.VALIDATION, 0.79, False),
        (Effect.REVERSIBLE, ErrorClass.TOOL_EXCEPTION, 0.99, False),
        (Effect.UNDECLARED, ErrorClass.AMBIGUOUS, 0.99, False),
    ],
)
def test_a_correction_is_applied_where_nothing_happened_yet_and_it_is_likely_to_help(
    effect: Effect, error_class: ErrorClass, probability: float, expected: bool
) -> None:
    call = failed({"limit": "5"}, effect=effect, error_class=error_class)

    assert may_apply(replace(GOOD, probability=probability), call, mode=Mode.AUTO) is expected


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
def test_in_other_modes_nothing_is_applied(mode: Mode) -> None:
    assert not may_apply(GOOD, failed({}, error_class=ErrorClass.VALIDATION), mode=mode)


def test_a_change_of_meaning_is_never_applied() -> None:
    call = failed({}, error_class=ErrorClass.VALIDATION)

    assert not may_apply(replace(GOOD, automatic=False), call, mode=Mode.AUTO)


def test_a_tool_that_rarely_fails_is_left_alone_once_that_is_known() -> None:
    assert TrackRecord(calls=90, failures=4).fails_rarely(10)
    assert not TrackRecord(calls=100, failures=5).fails_rarely()
    assert not TrackRecord().fails_rarely(99)


def test_a_tool_that_gets_worse_is_helped_again_before_long() -> None:
    record = TrackRecord()
    record.count_failure(10_000)

    failures = 0
    while record.fails_rarely() or not failures:
        record.count_failure(1)
        failures += 1

    assert failures < 100
