"""What findings add up to."""

from __future__ import annotations

import itertools

import pytest

from mulligan.types.finding import Confidence, Finding, Severity, Source, Standing, reach_verdict

pytestmark = pytest.mark.promise(4)

ERROR = Finding(rule="date.wrong_weekday", severity=Severity.ERROR, issue="The 24th is a Friday.")
WARNING = Finding(rule="text.long", severity=Severity.WARNING, issue="It is long.")

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
ACCEPTED, REJECTED, UNREVIEWED = Standing.ACCEPTED, Standing.REJECTED, Standing.UNREVIEWED

TABLE = [
    # findings, answered, confirmed, attempt -> standing, confidence
    ([], True, False, 1, ACCEPTED, MEDIUM),
    ([], True, True, 1, ACCEPTED, HIGH),
    ([], True, True, 2, ACCEPTED, HIGH),
    ([], True, False, 2, ACCEPTED, MEDIUM),
    ([WARNING], True, False, 1, ACCEPTED, MEDIUM),
    ([WARNING], True, True, 1, ACCEPTED, MEDIUM),
    ([], False, False, 1, UNREVIEWED, None),
    ([], False, True, 1, UNREVIEWED, None),
    ([WARNING], False, False, 1, UNREVIEWED, None),
    ([WARNING], False, True, 2, UNREVIEWED, None),
    ([ERROR], True, False, 1, REJECTED, MEDIUM),
    ([ERROR], True, False, 2, REJECTED, LOW),
    ([ERROR], True, True, 2, REJECTED, LOW),
    ([ERROR], False, False, 1, REJECTED, MEDIUM),
    ([ERROR], False, False, 2, REJECTED, LOW),
    ([WARNING, ERROR], True, True, 1, REJECTED, MEDIUM),
]


@pytest.mark.parametrize(
    ("findings", "answered", "confirmed", "attempt", "standing", "confidence"), TABLE
)
def test_a_verdict_follows_from_the_findings_and_the_answers(
    findings, answered, confirmed, attempt, standing, confidence
):
    verdict = reach_verdict(findings, answered=answered, confirmed=confirmed, attempt=attempt)

    assert (verdict.standing, verdict.confidence) == (standing, confidence)
    assert verdict.findings == tuple(findings)


def every_review():
    sets = [c for n in range(3) for c in itertools.product([ERROR, WARNING], repeat=n)]
    return itertools.product(sets, [True, False], [True, False], [1, 2, 3])


def test_no_answer_is_never_a_pass():
    for findings, _, confirmed, attempt in every_review():
        verdict = reach_verdict(findings, answered=False, confirmed=confirmed, attempt=attempt)

        assert verdict.standing is not Standing.ACCEPTED


def test_confidence_is_missing_exactly_when_nobody_reviewed():
    for findings, answered, confirmed, attempt in every_review():
        verdict = reach_verdict(findings, answered=answered, confirmed=confirmed, attempt=attempt)

        assert (verdict.confidence is None) == (verdict.standing is Standing.UNREVIEWED)


def test_high_confidence_needs_someone_who_confirms():
    for findings, answered, _, attempt in every_review():
        verdict = reach_verdict(findings, answered=answered, confirmed=False, attempt=attempt)

        assert verdict.confidence is not Confidence.HIGH


def test_the_errors_of_a_verdict_are_its_findings_of_that_severity_in_order():
    other = Finding(rule="id.unknown", severity=Severity.ERROR, issue="?", source=Source.JUDGE)

    verdict = reach_verdict([ERROR, WARNING, other])

    assert verdict.errors == (ERROR, other)
