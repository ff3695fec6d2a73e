"""Runs of a task: what they are told, how they count, and what happens when something is down."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter

import pytest
from msgspec.structs import replace

from mulligan.loops.tasks import run_task
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.events import (
    NotesPromoted,
    NotesProposed,
    NotesRejected,
    NotesRetired,
    NotesRolledBack,
    TaskRan,
    TaskReflected,
)
from mulligan.types.finding import Finding, Severity, Standing
from mulligan.types.notes import NotesState
from mulligan.types.task import Ran, Reflect
from tests.loops.lab import DESCRIPTION, EXPECTED, Lab, notes, numbered

TRIAL, CHAMPION, PINNED, RETIRED = NotesState


def wrong(rule: str = "text.wrong") -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, issue="Wrong.")


async def test_the_story_of_three_runs():
    experiences = []

    def refine(experience):
        experiences.append(experience)
        return numbered(experience)

    lab = Lab(gate="accept", strategy=refine)

    done = [await lab.run(f"report {n}") for n in (1, 2, 3)]

    first, second, third = lab.prompts
    assert [each.output for each in done] == ["report 1", "report 2", "report 3"]
    assert [each.version for each in done] == [0, 1, 2]
    assert first == lab.task.text
    assert "> Look at 1 sources." in second
    assert "> Look at 2 sources." in third
    assert "Look at 1" not in third
    assert all(prompt.endswith(lab.task.text) for prompt in lab.prompts)
    assert all(DESCRIPTION in prompt and EXPECTED in prompt for prompt in lab.prompts)
    assert [e.runs for e in experiences] == [1, 2, 3]
    assert [e.output for e in experiences] == ["report 1", "report 2", "report 3"]
    assert [e.prior and e.prior.version for e in experiences] == [None, 1, 2]
    reflected = lab.told(TaskReflected)
    assert [(e.version, e.first, e.runs) for e in reflected] == [
        (1, True, 1),
        (2, False, 2),
        (3, False, 3),
    ]


async def test_a_task_that_does_not_reflect_leaves_no_trace_but_that_it_ran():
    lab = Lab()
    lab.task = replace(lab.task, reflect=False)

    done = await lab.run("a report", times=20)

    assert (done.output, done.version, done.score) == ("a report", 0, None)
    assert set(lab.prompts) == {lab.task.text}
    assert lab.task_versions.list_grounds() == lab.versions() == []
    assert len(lab.told(TaskRan)) == len(lab.events) == 20


async def test_under_the_gate_a_proposal_comes_every_so_many_runs_and_goes_on_trial():
    lab = Lab(strategy=numbered, every=15)

    await lab.run(times=14)
    before = lab.versions()
    await lab.run()

    assert before == [0]
    assert lab.versions() == [1, 0]
    assert lab.states() == {0: TRIAL, 1: TRIAL}
    [proposed] = lab.told(NotesProposed)
    assert (proposed.version, proposed.parent) == (1, 0)
    assert proposed.changes == ("description: new",)


async def test_a_new_kind_of_failure_asks_for_a_proposal_at_once():
    lab = Lab(strategy=numbered, every=1_000)
    await lab.run(times=5)

    await lab.run(Ran(output="x", findings=(wrong("text.new"),)))
    after_first = lab.versions()
    await lab.run(Ran(output="x", findings=(wrong("text.new"),)), times=6)

    assert after_first == [1, 0]
    assert lab.versions() == [1, 0]


async def test_a_better_version_is_promoted_and_a_fallen_one_rolled_back_by_itself():
    lab = Lab(strategy=numbered, every=15)
    await lab.run(times=15)
    lab.seen(0, *[0.0] * 40)
    lab.task = replace(lab.task, reflect=Reflect(score=lambda _: 1.0, every=1_000))

    await lab.run(times=60)
    lab.task = replace(lab.task, reflect=Reflect(score=lambda _: 0.0, every=1_000))
    lab.seen(0, *[1.0] * 60)
    lab.seen(1, *[0.0] * 60)
    await lab.run(times=60)

    [promoted], [rolled_back] = lab.told(NotesPromoted), lab.told(NotesRolledBack)
    assert promoted.version == rolled_back.version == 1
    assert promoted.probability >= 0.9
    assert promoted.n >= 10
    assert "version 0" in rolled_back.reason
    assert lab.states()[1] is not CHAMPION


async def test_a_bad_version_is_retired():
    lab = Lab(strategy=numbered, every=1_000)
    await lab.run()
    lab.task_versions.append(notes(lab, 1))
    lab.seen(0, *[1.0] * 60)
    lab.seen(1, *[0.0] * 30)

    await lab.run()

    assert lab.states()[1] is RETIRED
    assert [event.version for event in lab.told(NotesRetired)] == [1]


async def test_no_more_than_eight_versions_are_on_trial():
    lab = Lab(strategy=numbered, every=2)

    await lab.run(times=40)

    assert len(lab.versions()) > 9
    on_trial = [v for v, state in lab.states().items() if state is TRIAL and v]
    assert len(on_trial) <= 8


async def test_the_same_seed_and_the_same_archive_make_the_same_choices():
    async def choices(seed: int) -> list[int]:
        lab = Lab(strategy=numbered, score=lambda _: 0.5, every=5)
        lab.using = replace(lab.using, seed=seed)
        return [(await lab.run()).version for _ in range(60)]

    first, again, other = [await choices(seed) for seed in (1, 1, 2)]

    assert first == again
    assert first != other
    assert len(set(first)) > 1


async def test_what_is_proven_on_one_model_is_on_trial_on_another():
    lab = Lab(strategy=numbered, every=1_000)
    await lab.run()
    for version in range(1, 12):
        lab.task_versions.append(notes(lab, version))
    lab.seen(2, 1.0)
    lab.task_versions.move(lab.ground, version=2, state=CHAMPION, was=TRIAL)
    lab.task = replace(lab.task, model="another")

    await lab.run()

    cards = lab.task_versions.list_scorecards(replace(lab.ground, model="another"))
    assert {card.version: card.state for card in cards if card.version} == dict.fromkeys(
        (2, 11, 10, 9, 8, 7, 6, 5), TRIAL
    )
    assert all(card.scored == 0 for card in cards if not card.runs)


async def test_an_edited_task_with_an_id_keeps_its_history_and_tests_it_again():
    lab = Lab(strategy=numbered)
    lab.task = replace(lab.task, id="report")
    await lab.run(times=15)
    lab.task = replace(lab.task, description="Research the trends of 2027.")

    await lab.run(times=30)

    assert lab.versions()[-2:] == [1, 0]
    assert lab.states()[1] is not None
    counted = sum(card.runs for card in lab.task_versions.list_scorecards(lab.ground))
    assert counted == 30
    assert all("trends of 2027" in prompt for prompt in lab.prompts[15:])


async def test_the_error_of_a_run_reaches_the_caller_and_counts_against_its_version():
    lab = Lab()
    error = ValueError("no such s3cret page")

    with pytest.raises(ValueError) as caught:
        await lab.run(error)

    assert caught.value is error
    [run] = lab.task_versions.list_runs(lab.ground, limit=5)
    assert (run.score, run.standing, run.problem) == (0.0, Standing.REJECTED, "ValueError")
    assert run.excerpt == "no such <secret> page"


async def test_a_cancelled_run_says_nothing_about_its_version():
    lab = Lab()
    started = asyncio.Event()

    async def work(prompt: str) -> object:
        started.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(run_task(lab.task, work, using=lab.using))
    await started.wait()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert lab.task_versions.list_runs(lab.ground, limit=5) == []


async def test_checks_and_what_the_run_says_of_itself_make_the_verdict_and_the_score():
    def no_table(output):
        if "|" not in str(output):
            yield wrong("text.no_table")

    lab = Lab()
    lab.task = replace(lab.task, checks=(no_table,))

    rejected = await lab.run("no table")
    rough = await lab.run(Ran(output="| 1 |", tool_errors=1, retries=2, tokens=70))
    unreviewed = await lab.run(Ran(output="| 1 |", reviewed=False))

    assert (rejected.verdict.standing, rejected.score) == (Standing.REJECTED, 0.0)
    assert (rough.verdict.standing, rough.score) == (Standing.ACCEPTED, pytest.approx(0.8))
    assert (unreviewed.verdict.standing, unreviewed.score) == (Standing.UNREVIEWED, None)
    latest = lab.task_versions.list_runs(lab.ground, limit=3)
    assert [run.problem for run in latest] == ["", "", "text.no_table"]
    [card] = lab.task_versions.list_scorecards(lab.ground)
    assert (card.runs, card.scored, card.metered, card.tokens) == (3, 2, 1, 70.0)


@pytest.mark.parametrize("score", [lambda _: 1 / 0, lambda _: 1.5, lambda _: float("nan"), str])
async def test_a_score_that_makes_no_sense_is_no_evidence(score, caplog):
    lab = Lab(score=score)

    with caplog.at_level(logging.WARNING, "mulligan"):
        done = await lab.run("a report")

    assert (done.output, done.score) == ("a report", None)
    assert lab.task_versions.list_scorecards(lab.ground)[0].scored == 0
    assert "no evidence" in caplog.text


class Down:
    def list_versions(self, *args, **options):
        raise StoreUnavailableError("The store does not answer. Start it again.")

    count = list_versions


async def test_with_the_archive_down_the_task_runs_as_it_was_written(caplog):
    lab = Lab(gate="accept", strategy=numbered)
    lab.using = replace(lab.using, task_versions=Down())

    with caplog.at_level(logging.WARNING, "mulligan"):
        done = await lab.run("a report")

    assert (done.output, done.version) == ("a report", 0)
    assert lab.prompts == [lab.task.text]
    assert "runs without notes" in caplog.text
    assert "was not counted" in caplog.text


async def test_secrets_in_an_output_do_not_reach_the_archive_or_the_strategy():
    shown = []
    lab = Lab(gate="accept", strategy=lambda experience: shown.append(experience.output))

    done = await lab.run("the s3cret report")

    assert done.output == "the s3cret report"
    assert shown == ["the <secret> report"]
    assert lab.task_versions.list_runs(lab.ground, limit=1)[0].excerpt == "the <secret> report"


async def test_an_output_that_cannot_be_shown_is_returned_all_the_same():
    class Shy:
        def __str__(self) -> str:
            raise RuntimeError

    lab, output = Lab(), Shy()

    done = await lab.run(output)

    assert done.output is output
    assert lab.task_versions.list_runs(lab.ground, limit=1)[0].excerpt.startswith(
        "<Shy without text"
    )


async def test_a_strategy_sees_contrasting_runs():
    contrasts = []
    lab = Lab(strategy=lambda experience: contrasts.append(experience.contrast), every=15)
    await lab.run()
    lab.seen(0, 0.25, 1.0, 0.5)

    await lab.run(times=11)

    assert [run.score for run in contrasts[0]] == [1.0, 1.0, 0.5, 0.25]
    assert lab.told(NotesRejected)


async def test_two_that_run_at_once_lose_no_run_and_no_version():
    lab = Lab(gate="accept", strategy=numbered)

    await asyncio.gather(*(lab.run(times=10) for _ in range(4)))

    assert lab.versions() == list(range(40, -1, -1))
    assert sum(card.runs for card in lab.task_versions.list_scorecards(lab.ground)) == 40
    assert Counter(event.runs for event in lab.told(TaskReflected)) == Counter(range(1, 41))


@pytest.mark.parametrize("gate", ["accept", "evidence"])
async def test_a_rejected_first_run_is_no_reason_to_rewrite_the_task(gate):
    lab = Lab(gate=gate, strategy=numbered)

    done = await lab.run(Ran(output="x", findings=(wrong(),)))

    assert done.verdict.standing is Standing.REJECTED
    assert lab.versions() == [0]


async def test_another_tenant_and_an_edited_task_without_an_id_begin_anew():
    lab = Lab(gate="accept", strategy=numbered)
    await lab.run(times=3)
    task, using = lab.task, lab.using

    lab.using = replace(using, tenant="other")
    other = await lab.run()
    lab.task, lab.using = replace(task, description="Something else."), using
    edited = await lab.run()

    assert (other.version, edited.version) == (0, 0)
    assert lab.prompts[-2:] == [task.text, lab.task.text]


async def test_a_check_that_breaks_makes_no_pass():
    def broken(output):
        raise RuntimeError

    lab = Lab()
    lab.task = replace(lab.task, checks=(broken,))

    done = await lab.run()

    assert (done.verdict.standing, done.score) == (Standing.UNREVIEWED, None)
