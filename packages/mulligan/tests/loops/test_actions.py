from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.loops.actions import (
    Attempted,
    RejectedAction,
    Reviewers,
    render_correction,
    render_question,
    review_attempt,
)
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.types.action import UndoResult
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Confidence, Finding, Severity, Standing, reach_verdict
from mulligan.types.turn import Turn
from mulligan_testing.fakes import ScriptedJudge

pytestmark = pytest.mark.promise(6)

TURN = Turn(id="t1", message="Move dinner to Friday", now=datetime(2026, 11, 15, tzinfo=UTC))
MOVED = Execution(
    call=Call(id="c1", tool="move", arguments={"day": "2026-11-20"}),
    outcome=Outcome.SUCCESS,
    at=TURN.now,
    duration=timedelta(),
    result="ok",
)
ATTEMPT = Attempted(turn=TURN, executions=(MOVED,))
WRONG = Finding(
    rule="date.wrong_weekday",
    severity=Severity.ERROR,
    issue="2026-11-21 is a Saturday, not a Friday.",
    correction="Use 2026-11-20.",
)
SLOPPY = Finding(rule="date.no_lookup", severity=Severity.WARNING, issue="No lookup was made.")


def finds(*findings: Finding):
    def check(attempted: Attempted) -> Iterator[Finding]:
        if any(execution.call.arguments["day"] for execution in attempted.executions):
            yield from findings

    return check


def breaks(attempted: Attempted) -> Iterator[Finding]:
    raise RuntimeError("a check with a mistake")


def acted(result: UndoResult | None, *, action: str = "a1") -> RejectedAction:
    return RejectedAction(action=action, tool="move", what=f"move({action})", result=result)


@pytest.mark.parametrize(
    ("checks", "standing", "confidence"),
    [
        ([], Standing.UNCHECKED, None),
        ([finds()], Standing.ACCEPTED, Confidence.MEDIUM),
        ([finds(SLOPPY)], Standing.ACCEPTED, Confidence.MEDIUM),
        ([finds(WRONG)], Standing.REJECTED, Confidence.MEDIUM),
        ([finds(), finds(SLOPPY, WRONG)], Standing.REJECTED, Confidence.MEDIUM),
        ([breaks], Standing.UNREVIEWED, None),
        ([breaks, finds(WRONG)], Standing.REJECTED, Confidence.MEDIUM),
        ([finds(SLOPPY), breaks], Standing.UNREVIEWED, None),
    ],
)
async def test_a_review_adds_up_its_checks_and_a_broken_one_is_never_a_pass(
    checks, standing, confidence
) -> None:
    verdict = await review_attempt(ATTEMPT, by=Reviewers(checks=checks), attempt=1, judged=True)

    assert (verdict.standing, verdict.confidence) == (standing, confidence)


async def test_a_second_rejection_is_shown_with_low_confidence() -> None:
    by = Reviewers(checks=[finds(WRONG)])

    verdict = await review_attempt(ATTEMPT, by=by, attempt=2, judged=True)

    assert verdict.confidence is Confidence.LOW


@pytest.mark.parametrize(
    "said",
    [
        Opinion(findings=None, confirmed=True),
        Opinion(findings=("all is well",), confirmed=True),
        Opinion(
            findings=(Remark(area=Area.DATE, severity=Severity.ERROR, call="1", issue="no"),),
            confirmed=True,
        ),
    ],
)
async def test_an_opinion_of_no_known_form_is_no_answer_and_fails_no_turn(said: Opinion) -> None:
    by = Reviewers(judge=ScriptedJudge([said]))

    verdict = await review_attempt(ATTEMPT, by=by, attempt=1, judged=True)

    assert (verdict.standing, verdict.confidence) == (Standing.UNREVIEWED, None)


def test_an_agent_is_told_about_days_before_ids_before_places() -> None:
    rules = ["place.not_home", "value.never_seen", "id.glued", "date.wrong_weekday"]
    found = [Finding(rule=r, severity=Severity.ERROR, issue=f"About {r}.") for r in rules]

    text = render_correction(reach_verdict(found), []).text

    told = [line.removeprefix("- About ") for line in text.splitlines() if "About" in line]
    assert told == ["date.wrong_weekday.", "id.glued.", "place.not_home.", "value.never_seen."]


@pytest.mark.parametrize("result", [None, *UndoResult])
def test_only_what_was_read_back_is_called_taken_back(result: UndoResult | None) -> None:
    correction = render_correction(reach_verdict([WRONG]), [acted(result)])

    restored = result is UndoResult.RESTORED
    assert ("Taken back, and read back to be sure:\n- move(a1)" in correction.text) is restored
    assert ("do not do it again:\n- move(a1)" in correction.text) is not restored
    assert correction.restored == (("a1",) if restored else ())
    assert correction.standing_actions == (() if restored else ("a1",))


def test_a_correction_says_what_was_wrong_how_to_mend_it_and_to_ask_rather_than_guess() -> None:
    correction = render_correction(reach_verdict([SLOPPY, WRONG]), [])

    assert WRONG.issue in correction.text
    assert f"Fix: {WRONG.correction}" in correction.text
    assert SLOPPY.issue not in correction.text
    assert "ask the person rather than guess" in correction.text
    assert "Taken back" not in correction.text


def test_a_mixed_end_is_told_as_it_is() -> None:
    correction = render_correction(
        reach_verdict([WRONG]),
        [acted(UndoResult.RESTORED), acted(UndoResult.CONFLICT, action="a2")],
    )

    assert correction.restored == ("a1",)
    assert correction.standing_actions == ("a2",)
    assert "their version was left alone" in correction.text


def test_the_person_is_told_what_still_stands() -> None:
    verdict = reach_verdict([WRONG], attempt=2)

    clean = render_question(verdict, [acted(UndoResult.RESTORED)])
    standing = render_question(verdict, [acted(UndoResult.FAILED)])

    assert "Nothing of it is in effect" in clean
    assert "Nothing of it is in effect" not in standing
    assert "move(a1)" in standing
    assert WRONG.issue in standing


def test_an_agent_is_told_that_what_was_taken_back_is_not_done() -> None:
    both = [acted(UndoResult.RESTORED), acted(UndoResult.RESTORED, action="a2")]

    clean = render_correction(reach_verdict([WRONG]), both).text
    mixed = render_correction(reach_verdict([WRONG]), [*both, acted(None, action="a3")]).text

    assert "Nothing of it is done now: do again what was right in it." in clean
    assert "Nothing else of it is done now" in mixed


def test_a_person_is_not_told_of_taking_back_where_nothing_was_done() -> None:
    asked = render_question(reach_verdict([WRONG], attempt=2), [])

    assert "Nothing was changed." in asked
    assert "taken back" not in asked


def test_what_may_have_happened_is_not_called_in_effect() -> None:
    unsure = replace(acted(None), certain=False, why="it may or may not have taken effect")

    asked = render_question(reach_verdict([WRONG], attempt=2), [unsure])

    assert "Not certain:\n- move(a1) (it may or may not" in asked
    assert "in effect:" not in asked


def test_what_a_later_call_or_somebody_else_has_covered_is_not_called_in_effect() -> None:
    covered = replace(acted(UndoResult.FAILED), why="a later call could not be undone")
    theirs = acted(UndoResult.CONFLICT, action="a2")

    asked = render_question(reach_verdict([WRONG], attempt=2), [covered, theirs])

    assert "Not taken back:\n- move(a1) (a later call could not be undone)\n- move(a2)" in asked
    assert "in effect:" not in asked
