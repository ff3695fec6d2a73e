"""What a `TaskVersions` must keep to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan.types.errors import ConfigurationError, NaiveTimeError, StaleNotesError
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Store, TaskVersions
from mulligan.types.notes import (
    Ground,
    Notes,
    NotesState,
    PairedScore,
    Pairs,
    Refinement,
    Scorecard,
    TaskRun,
)
from mulligan_testing.store_contract.contract import ELSEWHERE, NAIVE, NOW, Contract

GROUND = Ground(task="weekly-report", tenant="home", model="small", definition="d1")
REFINEMENT = Refinement(
    description="Write the report.\nStart with the totals.",
    expected_output="Three sections: «Итоги» first",
    observations=("The totals were missing.", "😀 \u2028 \x00 \ud800"),
    suggestions=("Add up first.",),
)
TRIAL, CHAMPION, PINNED, RETIRED = NotesState
ONCE: dict[str, Any] = {"scored": 1, "metered": 1, "tokens": 100.0}


def make_notes(version: int, *, task: str = "weekly-report", tenant: str = "home") -> Notes:
    """A version of a task's notes."""
    return Notes(
        task=task,
        tenant=tenant,
        version=version,
        parent=None if version == 0 else version - 1,
        refinement=REFINEMENT,
        changes=("description: 2 lines → 3",),
        model="small",
        runs=15 * max(0, version),
        by="a model" if version else "",
        at=NOW,
    )


def make_task_run(version: int = 0, score: float | None = 1.0, **changes: object) -> TaskRun:
    """A run of a task."""
    run = TaskRun(
        version=version,
        at=NOW,
        score=score,
        standing=Standing.ACCEPTED,
        problem="",
        excerpt="Итоги: 12",
        tokens=100,
        seconds=0.5,
    )
    return replace(run, **changes)


def read_versions(task_versions: TaskVersions) -> list[Notes]:
    """The versions of the task, the newest first."""
    return task_versions.list_versions("weekly-report", tenant="home")


def read_places(task_versions: TaskVersions) -> list[tuple[int, NotesState]]:
    """Where each version stands."""
    return [(card.version, card.state) for card in task_versions.list_scorecards(GROUND)]


class _Places:
    """Where versions stand, and which of them are forgotten."""

    def test_a_version_moves_only_from_where_it_was_said_to_be(
        self, task_versions: TaskVersions
    ) -> None:
        """So of two processes that settle the same thing, one does."""
        entered = task_versions.move(GROUND, version=1, state=TRIAL, was=None)
        again = task_versions.move(GROUND, version=1, state=TRIAL, was=None)
        crowned = task_versions.move(GROUND, version=1, state=CHAMPION, was=TRIAL)
        late = task_versions.move(GROUND, version=1, state=RETIRED, was=TRIAL)

        assert (entered, again, crowned, late) == (True, False, True, False)
        assert read_places(task_versions) == [(1, CHAMPION)]

    @pytest.mark.parametrize("top", [CHAMPION, PINNED])
    def test_there_is_room_for_one_at_the_top(
        self, task_versions: TaskVersions, top: NotesState
    ) -> None:
        """On each ground."""
        other = replace(GROUND, definition="d2")
        for ground in (GROUND, other):
            for version in (1, 2):
                task_versions.move(ground, version=version, state=TRIAL, was=None)
            task_versions.move(ground, version=1, state=CHAMPION, was=TRIAL)

        task_versions.move(GROUND, version=2, state=top, was=TRIAL)

        assert [card.state for card in task_versions.list_scorecards(GROUND)] == [TRIAL, top]
        assert [card.state for card in task_versions.list_scorecards(other)] == [CHAMPION, TRIAL]

    def test_a_persons_word_outlasts_evidence(self, task_versions: TaskVersions) -> None:
        """While a version is pinned, no other becomes champion."""
        for version in (1, 2):
            task_versions.move(GROUND, version=version, state=TRIAL, was=None)
        task_versions.move(GROUND, version=1, state=PINNED, was=TRIAL)

        crowned = task_versions.move(GROUND, version=2, state=CHAMPION, was=TRIAL)
        entered = task_versions.move(GROUND, version=3, state=CHAMPION, was=None)
        let_go = task_versions.move(GROUND, version=1, state=CHAMPION, was=PINNED)

        assert (crowned, entered, let_go) == (False, False, True)
        assert read_places(task_versions) == [(1, CHAMPION), (2, TRIAL)]

    def test_a_fallen_champion_keeps_what_was_seen_since_it_was_one(
        self, task_versions: TaskVersions
    ) -> None:
        """What made it champion was picked for being good."""
        for score in (1.0, 1.0, 1.0):
            task_versions.count(GROUND, run=make_task_run(1, score))
        task_versions.move(GROUND, version=1, state=CHAMPION, was=TRIAL)
        task_versions.count(GROUND, run=make_task_run(1, 0.5))
        task_versions.count(GROUND, run=make_task_run(1, None))
        [champion] = task_versions.list_scorecards(GROUND)

        task_versions.move(GROUND, version=1, state=TRIAL, was=CHAMPION)

        [fallen] = task_versions.list_scorecards(GROUND)
        assert (champion.scored, champion.score) == (4, 3.5)
        assert (champion.since_scored, champion.since_score) == (1, 0.5)
        assert (fallen.runs, fallen.scored, fallen.score, fallen.since_scored) == (5, 1, 0.5, 0)

    @pytest.mark.parametrize("state", [CHAMPION, RETIRED])
    def test_version_0_never_leaves(self, task_versions: TaskVersions, state: NotesState) -> None:
        """It can be pinned, but neither crowned nor retired."""
        task_versions.append(make_notes(0))
        task_versions.count(GROUND, run=make_task_run(0))

        with pytest.raises(ConfigurationError, match="Version 0"):
            task_versions.move(GROUND, version=0, state=state, was=TRIAL)

        assert task_versions.move(GROUND, version=0, state=PINNED, was=TRIAL)
        assert [card.state for card in task_versions.list_scorecards(GROUND)] == [PINNED]

    def test_pruning_leaves_what_is_young_or_needed(self, task_versions: TaskVersions) -> None:
        """Version 0, the newest, those in play on any ground, and what they came from."""
        for version in range(8):
            task_versions.append(
                replace(make_notes(version), parent={0: None, 4: 1}.get(version, 0))
            )
            task_versions.count(GROUND, run=make_task_run(version))
        task_versions.append(replace(make_notes(8), at=NOW + timedelta(days=2)))
        task_versions.append(replace(make_notes(0, task="another"), at=NOW))
        for version in (1, 2, 3, 5, 6, 7):
            task_versions.move(GROUND, version=version, state=RETIRED, was=TRIAL)
        task_versions.move(GROUND, version=6, state=PINNED, was=RETIRED)
        task_versions.move(replace(GROUND, model="large"), version=3, state=CHAMPION, was=None)

        gone = task_versions.prune(before=NOW + timedelta(days=1))

        kept = [each.version for each in read_versions(task_versions)]
        assert (gone, kept) == (3, [8, 6, 4, 3, 1, 0])
        assert [card.version for card in task_versions.list_scorecards(GROUND)] == [0, 1, 3, 4, 6]
        assert task_versions.list_runs(GROUND, limit=9) == []
        assert task_versions.prune(before=NOW + timedelta(days=1)) == 0
        assert len(task_versions.list_versions("another", tenant="home")) == 1

    def test_after_pruning_numbers_go_on(self, task_versions: TaskVersions) -> None:
        """So that no number ever names two versions."""
        for version in range(4):
            task_versions.append(make_notes(version))
        task_versions.count(GROUND, run=make_task_run(0))

        gone = task_versions.prune(before=NOW + timedelta(days=1))
        task_versions.append(make_notes(4))

        assert gone == 2
        assert read_versions(task_versions) == [make_notes(4), make_notes(3), make_notes(0)]


class _Evidence:
    """What counts, how a person's rating counts, and what is refused."""

    def test_graded_scores_keep_how_much_they_spread(self, task_versions: TaskVersions) -> None:
        """As the sum of their squares."""
        for score in (0.5, 0.25):
            task_versions.count(GROUND, run=make_task_run(0, score))

        [card] = task_versions.list_scorecards(GROUND)

        assert (card.score, card.squares) == (0.75, 0.3125)

    def test_runs_beside_each_other_are_added_up_as_pairs(
        self, task_versions: TaskVersions
    ) -> None:
        """On the card of the one that names the other."""
        for score in (1.0, 0.5):
            beside = PairedScore(version=0, score=0.25)
            task_versions.count(GROUND, run=make_task_run(0, 0.25))
            task_versions.count(GROUND, run=make_task_run(2, score, beside=beside))

        static, tried = task_versions.list_scorecards(GROUND)

        assert tried.pairs == (Pairs(against=0, n=2, ahead=1.0, squares=0.625, score=1.5),)
        assert static.pairs == ()
        assert task_versions.list_runs(GROUND, limit=1)[0].beside == PairedScore(
            version=0, score=0.25
        )

    def test_a_persons_word_is_the_score_of_a_run(self, task_versions: TaskVersions) -> None:
        """Whether it had one or not; and only of a run of that tenant that is still kept."""
        task_versions.count(GROUND, run=make_task_run(0, None, id="one"))
        task_versions.count(GROUND, run=make_task_run(0, 0.25, id="two"))

        rated = [task_versions.rate(run, score=1.0, tenant="home") for run in ("one", "two")]
        others = [
            task_versions.rate("one", score=0.0),
            task_versions.rate("", score=0.0, tenant="home"),
        ]

        [card] = task_versions.list_scorecards(GROUND)
        assert (rated, others) == ([True, True], [False, False])
        assert (card.runs, card.scored, card.score, card.squares) == (2, 2, 2.0, 2.0)
        assert [run.score for run in task_versions.list_runs(GROUND, limit=9)] == [1.0, 1.0]

    def test_a_cleared_task_is_gone_and_may_begin_anew(self, task_versions: TaskVersions) -> None:
        """And no other task, and no other tenant."""
        for task, tenant in (("weekly-report", "home"), ("weekly-report", "b"), ("other", "home")):
            task_versions.append(make_notes(0, task=task, tenant=tenant))
            task_versions.append(make_notes(1, task=task, tenant=tenant))
            ground = replace(GROUND, task=task, tenant=tenant)
            task_versions.count(
                ground, run=make_task_run(1, beside=PairedScore(version=0, score=0.0))
            )

        gone = task_versions.clear("weekly-report", tenant="home")

        assert (gone, task_versions.clear("weekly-report", tenant="home")) == (2, 0)
        assert read_versions(task_versions) == []
        assert task_versions.list_scorecards(GROUND) == []
        assert task_versions.list_runs(GROUND, limit=9) == []
        assert {(g.task, g.tenant) for g in task_versions.list_grounds()} == {
            ("weekly-report", "b"),
            ("other", "home"),
        }
        task_versions.append(make_notes(0))
        assert read_versions(task_versions) == [make_notes(0)]

    @pytest.mark.parametrize(
        "changes", [{"task": ""}, {"task": " \t"}, {"refinement": None}, {"runs": -1}]
    )
    def test_what_no_version_can_be_is_refused(
        self, task_versions: TaskVersions, changes: dict[str, object]
    ) -> None:
        """Blank names, no refinement, fewer runs than none."""
        with pytest.raises(ConfigurationError):
            task_versions.append(replace(make_notes(0), **changes))

        assert read_versions(task_versions) == []

    def test_nothing_is_neither_a_version_nor_a_run(self, task_versions: TaskVersions) -> None:
        """What is no version and no run is refused by name, not by an accident of Python."""
        with pytest.raises(ConfigurationError, match="None"):
            task_versions.append(None)  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match="None"):
            task_versions.count(GROUND, run=None)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "changes",
        [{"version": -1}, {"score": 1.5}, {"score": -0.1}, {"tokens": -1}, {"seconds": -1.0}],
    )
    def test_what_no_run_can_have_been_is_refused(
        self, task_versions: TaskVersions, changes: dict[str, object]
    ) -> None:
        """Negative counts, and scores that are none."""
        with pytest.raises(ConfigurationError):
            task_versions.count(GROUND, run=replace(make_task_run(0), **changes))
        with pytest.raises(ConfigurationError):
            task_versions.count(replace(GROUND, task=" "), run=make_task_run(0))

        assert task_versions.list_scorecards(GROUND) == []


class TaskVersionContract(_Places, _Evidence, Contract):
    """Versions that are never lost, and evidence that is never counted twice."""

    @pytest.fixture
    def task_versions(self, store: Store) -> TaskVersions:
        """The task versions under test. For one without a store around it, replace this."""
        return store.task_versions

    def test_a_version_comes_back_as_it_was(self, task_versions: TaskVersions) -> None:
        """Text in any script, the newest first."""
        task_versions.append(make_notes(0))
        task_versions.append(make_notes(1))

        assert read_versions(task_versions) == [make_notes(1), make_notes(0)]
        assert task_versions.list_versions("weekly-report", tenant="home", limit=1) == [
            make_notes(1)
        ]
        assert task_versions.list_versions("nothing") == []

    @pytest.mark.parametrize("number", [0, 1, 3, -1])
    def test_a_number_that_is_not_the_next_is_refused(
        self, task_versions: TaskVersions, number: int
    ) -> None:
        """Whether it is taken, or one before it is missing."""
        task_versions.append(make_notes(0))
        task_versions.append(make_notes(1))

        with pytest.raises(StaleNotesError):
            task_versions.append(make_notes(number))

        assert read_versions(task_versions) == [make_notes(1), make_notes(0)]

    def test_a_task_begins_with_version_0(self, task_versions: TaskVersions) -> None:
        """So the static definition is always there to go back to."""
        with pytest.raises(StaleNotesError):
            task_versions.append(make_notes(1))

        assert read_versions(task_versions) == []

    def test_tenants_share_nothing(self, task_versions: TaskVersions) -> None:
        """Neither versions nor evidence, also where their names run together."""
        task_versions.append(make_notes(0, task="b/c", tenant="a"))
        task_versions.append(make_notes(0, task="c", tenant="a/b"))
        task_versions.count(Ground(task="b/c", tenant="a"), run=make_task_run())

        assert [n.tenant for n in task_versions.list_versions("c", tenant="a/b")] == ["a/b"]
        assert task_versions.list_versions("c", tenant="a") == []
        assert task_versions.list_scorecards(Ground(task="c", tenant="a/b")) == []
        assert task_versions.list_runs(Ground(task="b/c", tenant=""), limit=9) == []

    def test_runs_add_up_on_their_ground(self, task_versions: TaskVersions) -> None:
        """Per version; a run without a score or without tokens is not taken for a zero."""
        first = task_versions.count(GROUND, run=make_task_run(0, 1.0))
        second = task_versions.count(GROUND, run=make_task_run(1, 0.25, tokens=None))
        third = task_versions.count(GROUND, run=make_task_run(1, None))
        elsewhere = task_versions.count(replace(GROUND, model="large"), run=make_task_run(1, 1.0))

        assert (first, second, third, elsewhere) == (1, 2, 3, 1)
        assert task_versions.list_scorecards(GROUND) == [
            Scorecard(version=0, score=1.0, squares=1.0, runs=1, seconds=0.5, **ONCE),
            Scorecard(version=1, score=0.25, squares=0.0625, runs=2, seconds=1.0, **ONCE),
        ]

    def test_the_latest_runs_are_kept(self, task_versions: TaskVersions) -> None:
        """The newest first, forty at least, as they were."""
        sent = [make_task_run(n, n / 50, problem=f"rule.{n}") for n in range(50)]
        for run in sent:
            task_versions.count(GROUND, run=run)

        kept = task_versions.list_runs(GROUND, limit=40)

        assert kept == sent[:9:-1]
        assert task_versions.list_runs(GROUND, limit=2) == [sent[49], sent[48]]

    def test_times_come_back_in_utc(self, task_versions: TaskVersions) -> None:
        """Wherever they were said."""
        task_versions.append(replace(make_notes(0), at=ELSEWHERE))
        task_versions.count(GROUND, run=make_task_run(at=ELSEWHERE))

        [version] = read_versions(task_versions)
        [run] = task_versions.list_runs(GROUND, limit=1)

        assert version.at == run.at == NOW
        assert {version.at.utcoffset(), run.at.utcoffset()} == {timedelta()}

    def test_grounds_are_listed_once(self, task_versions: TaskVersions) -> None:
        """Those of one task, or all."""
        other = Ground(task="other")
        for ground in (GROUND, other, GROUND):
            task_versions.count(ground, run=make_task_run())

        assert task_versions.list_grounds() == [GROUND, other]
        assert task_versions.list_grounds("other") == [other]
        assert task_versions.list_grounds("nothing") == []

    def test_threads_lose_nothing(self, task_versions: TaskVersions) -> None:
        """Every run gets a number of its own."""
        with ThreadPoolExecutor(4) as threads:
            seen = list(
                threads.map(lambda _: task_versions.count(GROUND, run=make_task_run()), range(80))
            )

        assert sorted(seen) == list(range(1, 81))
        assert task_versions.list_scorecards(GROUND)[0].runs == 80

    def test_a_time_without_a_zone_is_refused(self, task_versions: TaskVersions) -> None:
        """And nothing is written."""
        with pytest.raises(NaiveTimeError):
            task_versions.append(replace(make_notes(0), at=NAIVE))
        with pytest.raises(NaiveTimeError):
            task_versions.count(GROUND, run=make_task_run(at=NAIVE))
        with pytest.raises(NaiveTimeError):
            task_versions.prune(before=NAIVE)

        assert read_versions(task_versions) == []
        assert task_versions.list_scorecards(GROUND) == []
