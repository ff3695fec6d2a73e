"""What a review came to is kept for its turn's page: less secrets, within bounds, for a while."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.runtime.payloads import LONGEST, MOST, ReviewedAttempt, keep_review, load_reviews
from mulligan.stores.opening import open_store
from mulligan.types.finding import Confidence, Fact, Finding, Severity, Standing, Verdict
from mulligan.types.interfaces import Vault

NOW = datetime.now(UTC).replace(microsecond=0)
FOUND = Finding(
    rule="date.not_as_said", severity=Severity.ERROR, issue="It is Thursday.", correction="Friday!"
)


@pytest.fixture
def vault() -> Vault:
    return open_store("memory:").vault


def build(
    number: int = 1, *, late: bool = False, told: str = "", **about: object
) -> ReviewedAttempt:
    said: dict = {"standing": Standing.ACCEPTED, "confidence": Confidence.HIGH, "by": ("checks",)}
    return ReviewedAttempt(
        turn="t", number=number, verdict=Verdict(**(said | about)), told=told, late=late
    )


def keep(vault: Vault, reviewed: ReviewedAttempt, *, minutes: int = 0, days: int = 7) -> None:
    at = NOW + timedelta(minutes=minutes)
    vault.put(keep_review(reviewed, at=at, until=at + timedelta(days=days), scrub=str.upper))


def test_each_attempt_has_its_review_in_order_and_the_late_one_comes_last(vault) -> None:
    keep(vault, build(1, standing=Standing.REJECTED, findings=(FOUND,)))
    keep(vault, build(2, told="Try again"), minutes=1)
    keep(vault, build(1, late=True, standing=Standing.UNREVIEWED, confidence=None), minutes=2)

    first, second, late = load_reviews(vault, "t", attempts=2)

    assert (first.standing, first.findings[0].issue, first.findings[0].correction) == (
        "rejected", "IT IS THURSDAY.", "FRIDAY!",
    )  # fmt: skip
    assert (second.attempt, second.told, second.confidence) == (2, "TRY AGAIN", "high")
    assert (late.late, late.confidence) == (True, "")


def test_what_is_said_is_cut(vault) -> None:
    long = "x" * (LONGEST + 500)
    fact = Fact(kind="k", subject="s", value="v", about=long)
    keep(vault, build(findings=(FOUND,) * (MOST + 5), facts=(fact,) * (MOST + 5)))

    [review] = load_reviews(vault, "t", attempts=1)

    assert (len(review.findings), len(review.facts), len(review.facts[0])) == (MOST, MOST, LONGEST)


def test_an_attempt_without_a_review_hides_no_other(vault) -> None:
    keep(vault, build(2))

    assert [each.attempt for each in load_reviews(vault, "t", attempts=2)] == [2]
    assert load_reviews(vault, "t", attempts=0) == []


def test_it_ends(vault) -> None:
    keep(vault, build(), days=-1)

    assert load_reviews(vault, "t", attempts=1) == []


def test_where_nobody_looked_at_nothing_there_is_nothing_to_keep() -> None:
    assert not build(by=(), standing=Standing.UNCHECKED, confidence=None).has_something_to_say()
    assert build(by=(), findings=(FOUND,), standing=Standing.REJECTED).has_something_to_say()
