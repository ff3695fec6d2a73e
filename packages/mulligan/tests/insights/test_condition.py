from __future__ import annotations

from datetime import timedelta

from mulligan.app.judges import log_outage
from mulligan.insights.filters import ViewRequest
from mulligan.insights.health import read_health
from mulligan.types.events import AskOutcome, JudgeAsked
from tests.dashboard.stage import Stage


def test_an_operator_sees_what_doctor_says(filled: Stage) -> None:
    view = read_health(filled.m.insights, ViewRequest())
    diagnosis = filled.m.insights.diagnose()

    assert view.problems == diagnosis.problems
    assert view.health.open_actions == 3
    assert view.health.size_bytes > 0
    assert {each.what: each.days for each in view.retention}["Calls in the log"] == 30
    assert view.rows.stored == 5
    assert {each.tool for each in view.tools} >= {"send_mail", "move_event"}


def test_a_judge_that_gives_no_answer_is_listed(filled: Stage) -> None:
    asked = JudgeAsked(
        purpose="review_actions", model="m", prompt="p 1", outcome=AskOutcome.DOWN,
        duration=timedelta(seconds=1),
    )  # fmt: skip
    for _ in range(3):
        log_outage(asked, runtime=filled.m._parts.runtime)
    filled.m.flush()

    view = read_health(filled.m.insights, ViewRequest())

    assert (view.outage_count, [each.outcome for each in view.outages]) == (3, ["down"] * 3)


def test_processes_are_listed_with_what_is_in_their_hands(filled: Stage) -> None:
    [worker] = read_health(filled.m.insights, ViewRequest()).workers

    assert worker.seen.id == filled.m.insights.store.journal.identify_writer()
    assert (worker.seen.life, worker.seen.here, worker.open_actions) == ("lives", True, 3)
