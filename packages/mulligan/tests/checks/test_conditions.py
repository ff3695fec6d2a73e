from __future__ import annotations

import pytest

from mulligan.checks.requests import condition_met
from mulligan.types.call import Outcome
from tests.checks.attempts import attempt, ran

CHECK = condition_met("act")
LOW = ran("read", result={"2025-10-01": 4, "2025-10-02": 7.5})


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("If visits were more than 10 at any time, tell Ann", True),
        ("Were visits above 10? If so, tell Ann", True),
        ("If visits were less than 2 since Monday, tell Ann", True),
        ("If visits were more than 1,000 at any time, tell Ann", True),
        ("If visits were less than 1,000 at any time, tell Ann", False),
        ("If visits were more than 5 at any time, tell Ann", False),
        ("If visits were fewer than 5 at any time, tell Ann", False),
        ("If visits were more than 10 at any time tell Ann, otherwise tell Bob", False),
        ("Unless visits were more than 10, tell Ann", False),
        ("If visits were more than 10 and below 2, tell Ann", False),
        ("If it took more than 10 minutes, tell Ann", False),
        ("If visits grew by more than 10%, tell Ann", False),
        ("Tell Ann that visits were more than 10.", False),
        ("If you can, tell Ann 'visits were more than 10'", False),
    ],
)
def test_acting_is_flagged_only_where_the_one_condition_was_shown_not_to_hold(
    said: str, *, flagged: bool
) -> None:
    findings = list(CHECK(attempt(said, LOW, ran("act"))))

    assert [finding.rule for finding in findings] == ["condition.not_met"] * flagged


@pytest.mark.parametrize(
    "read",
    [
        ran("read", result="4 visits"),
        ran("read", result={"visits": None, "open": True}),
        ran("read", result={"visits": float("nan")}),
        ran("read", result=[{"visits": 4}, {"visits": 12}]),
    ],
)
def test_without_numbers_or_with_one_that_holds_nothing_is_said(read) -> None:
    tried = attempt("If visits were more than 10 at any time, tell Ann", read, ran("act"))

    assert list(CHECK(tried)) == []


def test_only_what_was_read_before_counts_and_a_failed_call_did_nothing() -> None:
    said = "If visits were more than 10 at any time, tell Ann"
    failed = ran("act", outcome=Outcome.FAILURE)

    assert list(CHECK(attempt(said, ran("act"), LOW))) == []
    assert list(CHECK(attempt(said, LOW, failed, ran("other")))) == []
    assert len(list(CHECK(attempt(said, ran("act"), earlier=[LOW])))) == 1
