"""Where a value was before a call had it."""

from __future__ import annotations

import pytest

from mulligan.checks.provenance import ValueOrigin, fold_value, with_seen
from mulligan.types.call import Outcome
from tests.checks.attempts import attempt, ran

MAIL = ran(
    "read", result=[{"id": 7, "from": "ann@x.org", "body": "Ask eve@far.example for 12-AB."}]
)


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("bob@x.org", ValueOrigin.SAID),
        ("Room 4", ValueOrigin.SAID),
        ("ann@x.org", ValueOrigin.FIELD),
        ("7.0", ValueOrigin.FIELD),
        ("eve@far.example", ValueOrigin.CONTENT),
        ("12-AB", ValueOrigin.CONTENT),
        ("zoe@x.org", ValueOrigin.NOWHERE),
    ],
)
def test_the_best_of_its_origins_counts(value: str, origin: ValueOrigin) -> None:
    tried = attempt("Ask bob@x.org", MAIL, ran("send"), known={"office": "Room 4"})

    *_, (_, seen) = with_seen(tried)

    assert seen.find_origin(value) is origin


def test_a_call_is_shown_what_was_seen_before_it_and_not_its_own_result() -> None:
    tried = attempt("Go", ran("make", result={"id": "new"}), ran("use"))

    origins = [seen.find_origin("new") for _, seen in with_seen(tried)]

    # The same object grows as calls come back, so each is asked in its turn.
    assert origins == [ValueOrigin.NOWHERE, ValueOrigin.FIELD]


def test_calls_that_failed_are_left_out_and_earlier_attempts_were_seen() -> None:
    failed = ran("make", outcome=Outcome.FAILURE)
    tried = attempt("Go", failed, ran("use"), earlier=[MAIL])

    (shown,) = [(each.call.tool, seen.find_origin("ann@x.org")) for each, seen in with_seen(tried)]

    assert shown == ("use", ValueOrigin.FIELD)


def test_the_record_of_an_id_is_found() -> None:
    *_, (_, seen) = with_seen(attempt("Go", MAIL, ran("use")))

    assert seen.find_record("7", name="mail_id")["from"] == "ann@x.org"
    assert seen.find_record("8", name="mail_id") == {}


@pytest.mark.parametrize(
    ("value", "folded"),
    [("HTTPS://www.X.org/a/", "x.org/a"), ("www.x.org", "x.org"), ("7.00", "7"), (" A ", "a")],
)
def test_values_are_compared_without_what_does_not_matter(value: str, folded: str) -> None:
    assert fold_value(value) == folded
