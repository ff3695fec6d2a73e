from __future__ import annotations

import math

import pytest

from mulligan.core.finding import Finding, Severity
from mulligan.core.text import Critique, Reply, TextCheck

WRONG = Finding(rule="x.y", severity=Severity.ERROR, issue="Wrong.")


def test_a_check_says_nothing_of_replies_that_it_is_not_meant_for() -> None:
    check = TextCheck(
        name="c", look=lambda _: [WRONG], asks="Be right.", unless=lambda r: r.query == "hi"
    )

    assert list(check(Reply(text="hello", query="hi"))) == []
    assert list(check(Reply(text="hello", query="why?"))) == [WRONG]


@pytest.mark.parametrize(
    ("score", "readable"),
    [(0, True), (10.0, True), (10.1, False), (-1, False), (math.nan, False), (True, False),
     ("9", False)],
)  # fmt: skip
def test_a_score_that_is_no_score_is_no_critique(score: float, readable: bool) -> None:
    assert Critique(score=score).readable is readable


@pytest.mark.parametrize(
    ("score", "needs_revision", "accepted"),
    [(8, None, True), (7, None, False), (7, False, True), (8, True, True), (7, True, False)],
)
def test_a_draft_is_accepted_by_its_score_or_by_word(
    score: float, needs_revision: bool | None, accepted: bool
) -> None:
    assert Critique(score=score, needs_revision=needs_revision).accepts(at=8) is accepted


@pytest.mark.parametrize("context", ["One text.", ["One text."], ("One text.",)])
def test_a_context_that_is_one_text_is_one_passage(context: object) -> None:
    assert Reply(text="x", context=context).context == ("One text.",)  # type: ignore[arg-type]
