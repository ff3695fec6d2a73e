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
    by = Reviewers(checks=checks)

    verdict = await review_attempt(ATTEMPT, by=by, attempt=1, judged=True)
    second = await review_attempt(ATTEMPT, by=by, attempt=2, judged=True)

    assert (verdict.standing, verdict.confidence) == (standing, confidence)
    assert (second.confidence is Confidence.LOW) is (standing is Standing.REJECTED)


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


def test_a_sentence_of_an_own_check_is_told_with_its_call_where_there_are_several() -> None:
    said = [
        Finding(rule="check.named", severity=Severity.ERROR, issue="Bob was not named.", call=call)
        for call in ("a1", "a2")
    ]
    undone = [
        acted(UndoResult.RESTORED),
        replace(acted(UndoResult.RESTORED), action="a2", what="book(a2)"),
    ]

    told = render_correction(reach_verdict(said), undone).text
    asked = render_question(reach_verdict(said), undone)
    alone = render_correction(reach_verdict(said[:1]), undone[:1]).text

    for text in (told, asked):
        assert "- move(a1): Bob was not named." in text
        assert "- book(a2): Bob was not named." in text
    assert "- Bob was not named." in alone


def test_what_an_undo_does_not_bring_back_is_said_with_it() -> None:
    lost = replace(acted(UndoResult.RESTORED), loses=("its replies",))

    told = render_correction(reach_verdict([WRONG]), [lost]).text
    asked = render_question(reach_verdict([WRONG]), [lost])

    assert "- move(a1) (not brought back: its replies)" in told
    assert "Everything was undone but what an undo does not bring back." in told
    assert "(not brought back: its replies)" in asked
    assert "Nothing is in effect" not in asked


@pytest.mark.parametrize("result", [None, *UndoResult])
def test_only_verified_undos_are_called_undone(result: UndoResult | None) -> None:
    correction = render_correction(reach_verdict([WRONG]), [acted(result)])

    restored = result is UndoResult.RESTORED
    assert ("Undone and verified:\n- move(a1)" in correction.text) is restored
    assert ("do not repeat it:\n- move(a1)" in correction.text) is not restored
    assert correction.restored == (("a1",) if restored else ())
    assert correction.standing_actions == (() if restored else ("a1",))


def test_a_correction_says_what_was_wrong_how_to_fix_it_and_to_ask_rather_than_guess() -> None:
    correction = render_correction(reach_verdict([SLOPPY, WRONG]), [])

    assert WRONG.issue in correction.text
    assert f"Fix: {WRONG.correction}" in correction.text
    assert SLOPPY.issue not in correction.text
    assert "ask the person rather than guess" in correction.text
    assert "ndone" not in correction.text


DONE, GONE = acted(UndoResult.RESTORED), acted(UndoResult.RESTORED, action="a2")
THEIRS = acted(UndoResult.CONFLICT, action="a2")
COVERED = replace(acted(UndoResult.FAILED), why="a later call could not be undone")
UNSURE = replace(acted(None), certain=False, why="it may or may not have taken effect")
REDO = "was undone. Redo the parts that were correct."


@pytest.mark.parametrize(
    ("rejected", "told", "not_told"),
    [
        ([DONE, GONE], f"Everything {REDO}", "Not undone"),
        ([DONE, THEIRS], f"Everything else {REDO}", "Everything was undone"),
        ([DONE, THEIRS], "their version was left alone", "Nothing else is in effect"),
        ([acted(None)], "Nothing else is in effect", "Redo"),
    ],
)
def test_an_agent_is_told_what_is_true_now_and_to_redo_what_was_undone(rejected, told, not_told):
    text = render_correction(reach_verdict([WRONG]), rejected).text

    assert told in text
    assert not_told not in text


@pytest.mark.parametrize(
    ("rejected", "told", "not_told"),
    [
        ([], "Nothing was changed.", "undone"),
        ([DONE], "Nothing is in effect: everything was undone and verified.", "move(a1)"),
        ([acted(UndoResult.FAILED)], "Still in effect:\n- move(a1)", "Nothing is in effect"),
        ([UNSURE], "Not certain:\n- move(a1) (it may or may not", "in effect:"),
        (
            [COVERED, THEIRS],
            "Not undone:\n- move(a1) (a later call could not be undone)\n- move(a2)",
            "in effect:",
        ),
    ],
)
def test_a_person_is_told_what_stands_what_does_not_and_what_is_not_certain(
    rejected, told, not_told
) -> None:
    asked = render_question(reach_verdict([WRONG], attempt=2), rejected)

    assert WRONG.issue in asked
    assert told in asked
    assert not_told not in asked
