"""Tasks, their notes and what a reply carries."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Confidence, Finding, Severity, Standing, reach_verdict
from mulligan.types.notes import (
    NotesState,
    Scorecard,
    TaskRun,
    add_run,
    change_state,
    find_needed_versions,
)
from mulligan.types.reply import Critique, Iteration, Replied, Reply, TextCheck
from mulligan.types.task import Reflect, Task

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_task_is_known_by_its_id_or_else_by_the_sha256_of_its_description():
    assert Task(description="abc").identity == ABC
    assert Task(description="abc", expected_output="a table").identity == ABC
    assert Task(description="abc", id="weekly-report").identity == "weekly-report"
    assert len(Task(description="a \ud800 b").identity) == 64


def test_the_static_text_holds_both_parts_as_they_were_written():
    task = Task(description="  Add up.\r\n\tTwice. ", expected_output="# A *table*\n")

    assert task.text == "## Task\n\n  Add up.\r\n\tTwice. \n\n## Expected output\n\n# A *table*\n"
    assert Task(description="Add up.").text == "## Task\n\nAdd up."


def test_an_edited_output_keeps_the_identity_and_changes_the_definition():
    before = Task(id="report", description="Add up.", expected_output="a table")
    after = Task(id="report", description="Add up.", expected_output="a list")

    assert before.identity == after.identity
    assert before.definition != after.definition


def test_reflection_is_off_unless_it_is_asked_for():
    own = Reflect(gate="accept", every=3)

    assert Task(description="x").settings is None
    assert Task(description="x", reflect=True).settings == Reflect()
    assert Task(description="x", reflect=own).settings is own


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"gate": "hope"}, "'hope'"),
        ({"every": 0}, "every=0"),
        ({"every": "5"}, "every"),
        ({"every": 1.5}, "every"),
        ({"timeout": 30}, "timeout"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_value(wrong, said):
    with pytest.raises(ConfigurationError, match=said):
        Reflect(**wrong)


@pytest.mark.parametrize(
    ("mistaken", "message"),
    [
        ({"reflect": "accept"}, "reflect='accept' says nothing"),
        ({"description": 5}, "description=5 is no text"),
    ],
)
def test_a_task_that_would_be_misunderstood_is_refused(mistaken, message):
    with pytest.raises(ConfigurationError, match=message):
        Task(**{"description": "x", **mistaken})


NOW = datetime(2026, 11, 16, tzinfo=UTC)


def run(score: float | None, tokens: int | None = None) -> TaskRun:
    return TaskRun(
        version=1, at=NOW, score=score, standing=Standing.ACCEPTED, tokens=tokens, seconds=2.0
    )


def test_a_run_without_a_score_counts_as_a_run_and_not_as_evidence():
    card = add_run(add_run(Scorecard(version=1), run(None, tokens=7)), run(0.5))

    assert (card.runs, card.scored, card.score) == (2, 1, 0.5)
    assert (card.metered, card.tokens, card.seconds) == (1, 7.0, 4.0)


def test_what_is_seen_of_a_champion_is_counted_since_it_became_one():
    card = add_run(Scorecard(version=1), run(1.0))

    crowned = add_run(change_state(card, NotesState.CHAMPION), run(0.25))

    assert (crowned.scored, crowned.score) == (2, 1.25)
    assert (crowned.since_scored, crowned.since_score) == (1, 0.25)


def test_a_champion_that_falls_keeps_only_what_was_seen_since():
    crowned = change_state(add_run(Scorecard(version=1), run(1.0)), NotesState.CHAMPION)

    fallen = change_state(add_run(crowned, run(0.25)), NotesState.TRIAL)

    assert (fallen.runs, fallen.scored, fallen.score, fallen.since_scored) == (2, 1, 0.25, 0)
    on_trial = add_run(Scorecard(version=1), run(1.0))
    assert change_state(on_trial, NotesState.RETIRED).scored == 1


def test_retention_leaves_what_the_belief_in_a_version_rests_on():
    line = {0: None} | {version: version - 1 for version in range(1, 101)}

    assert find_needed_versions(line, in_play={0}) == {0, 100}
    assert find_needed_versions(line, in_play={50}) == {0, 100, *range(30, 51)}
    assert find_needed_versions({0: None, 1: 9}, in_play={1}) == {0, 1, 9}
    assert find_needed_versions({}, in_play=()) == {0}


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


def test_what_travels_with_a_reply_is_ready_for_json() -> None:
    found = Finding(rule="own.x", severity=Severity.ERROR, issue="Wrong.", quote="this")
    reply, verdict = Reply(text="this"), reach_verdict([found])
    tries = (Iteration(reply=reply, verdict=verdict, feedback="Repair it."),) * 2
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
