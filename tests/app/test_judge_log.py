"""A judge that gives no answer leaves a row; one that answers leaves none."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.app.judge_log import JUDGE_ASKED, log_outage, read_outage
from mulligan.core.call import OWN
from mulligan.core.event import AskOutcome, JudgeAsked
from mulligan.core.log_query import LogQuery


def tell(m: Mulligan, outcome: AskOutcome) -> None:
    asked = JudgeAsked(
        purpose="review_actions",
        model="cloud:small",
        prompt="review_actions 1",
        outcome=outcome,
        duration=timedelta(seconds=20),
        requests=1,
    )
    log_outage(asked, runtime=m._parts.runtime)


@pytest.mark.parametrize("outcome", [each for each in AskOutcome if each != AskOutcome.ANSWERED])
def test_a_question_without_an_answer_is_on_record(outcome: AskOutcome) -> None:
    with Mulligan(store="memory:") as m:
        tell(m, outcome)
        m.flush()
        [row] = m.insights.store.log.list_rows(LogQuery(server=OWN, tool=JUDGE_ASKED))

    outage = read_outage(row)

    assert (outage.outcome, outage.purpose, outage.model) == (
        outcome.value, "review_actions", "cloud:small",
    )  # fmt: skip
    assert (outage.took, outage.turn) == (timedelta(seconds=20), None)


def test_an_answer_is_none() -> None:
    with Mulligan(store="memory:") as m:
        tell(m, AskOutcome.ANSWERED)
        m.flush()

        assert m.insights.store.log.list_rows(LogQuery(tool=JUDGE_ASKED)) == []
