from __future__ import annotations

import json
import math

import pytest

from mulligan.types.finding import Confidence, Finding, Severity, Standing, reach_verdict
from mulligan.types.reply import Critique, Iteration, Replied, Reply, TextCheck

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


def test_what_travels_with_a_reply_is_ready_for_json() -> None:
    found = Finding(rule="own.x", severity=Severity.ERROR, issue="Wrong.", quote="this")
    reply, verdict = Reply(text="this"), reach_verdict([found])
    tries = (Iteration(reply=reply, verdict=verdict, feedback="Mend it."),) * 2
    replied = Replied(
        reply=reply,
        standing=Standing.REJECTED,
        confidence=Confidence.LOW,
        findings=verdict.findings,
        iterations=tries,
        bound_reached=True,
        checks_run=("own",),
        limit="time",
    )

    told = json.loads(json.dumps(replied.metadata))

    assert (told["iteration_count"], told["standing"], told["limit"]) == (2, "rejected", "time")
    assert told["findings"][0][0]["rule"] == "own.x"
    assert replied.text == "this"
