"""How good a run was, when nobody brought a score."""

from __future__ import annotations

import pytest

from mulligan.learning.task_versions import score_run
from mulligan.types.finding import Finding, Severity, reach_verdict
from mulligan.types.task import Ran

WARNING = Finding(rule="text.long", severity=Severity.WARNING, issue="Long.")
ERROR = Finding(rule="text.wrong", severity=Severity.ERROR, issue="Wrong.")


def score(ran: Ran, *findings: Finding, answered: bool = True, usual: float | None = None):
    return score_run(ran, verdict=reach_verdict(findings, answered=answered), usual_tokens=usual)


@pytest.mark.parametrize(
    ("ran", "findings", "expected"),
    [
        (Ran(output="x"), (), 1.0),
        (Ran(output="x"), (ERROR,), 0.0),
        (Ran(output="x"), (WARNING,), 0.9),
        (Ran(output="x", tool_errors=2), (), 0.8),
        (Ran(output="x", retries=2), (), 0.9),
        (Ran(output="x", tokens=150), (), 0.95),
        (Ran(output="x", tokens=900), (), 0.9),
        (Ran(output="x", tokens=50), (), 1.0),
        (Ran(output="x", tool_errors=50), (WARNING,), 0.5),
    ],
)
def test_acceptance_comes_first_and_the_way_there_second(ran, findings, expected):
    assert score(ran, *findings, usual=100.0) == pytest.approx(expected)


def test_a_run_that_nobody_reviewed_is_no_evidence():
    assert score(Ran(output="x"), answered=False) is None


def test_without_a_usual_cost_tokens_do_not_count():
    assert score(Ran(output="x", tokens=10_000)) == 1.0
