"""How often a reflector's proposals helped, over tasks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.learning.task_selection import NOBODY, ReflectorRecord
from mulligan.learning.task_versions import combine, read_record, summarize
from mulligan.stores.opening import open_store
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Archive
from mulligan.types.notes import Ground, Notes, Refinement, TaskRun

NOW = datetime(2026, 11, 16, tzinfo=UTC)
HERE = Ground(task="here")


def build_archive(*, by: str, good: int, tasks: int = 2, tenant: str = "") -> Archive:
    """Tasks whose static text succeeds in 12 of 20 runs, and the one proposal in `good` of 20."""
    archive = open_store("memory:").archive
    for number in range(tasks):
        task = f"task {number}"
        for version in (0, 1):
            said = Refinement(description=f"version {version}")
            archive.append(
                Notes(
                    task=task,
                    tenant=tenant,
                    version=version,
                    parent=0 if version else None,
                    refinement=said,
                    by=by if version else "",
                    at=NOW,
                )
            )
            for run in range(20):
                score = float(run < (good if version else 12))
                archive.count(
                    Ground(task=task, tenant=tenant),
                    run=TaskRun(version=version, at=NOW, score=score, standing=Standing.ACCEPTED),
                )
    return archive


def test_what_helped_on_other_tasks_is_the_prior_on_this_one():
    good = read_record(build_archive(by="large", good=19), "large", apart_from=HERE)
    bad = read_record(build_archive(by="large", good=4), "large", apart_from=HERE)

    assert bad.trust < 0.4 < 0.6 < good.trust


def test_more_tasks_make_it_surer():
    few = read_record(build_archive(by="large", good=18, tasks=2), "large", apart_from=HERE)
    many = read_record(build_archive(by="large", good=18, tasks=10), "large", apart_from=HERE)

    assert many.trust > few.trust
    assert many.spread < few.spread


@pytest.mark.parametrize(
    ("by", "ground"),
    [("small", HERE), ("large", Ground(task="here", tenant="another"))],
)
def test_another_reflector_and_another_tenant_say_nothing(by, ground):
    archive = build_archive(by="large", good=19)

    assert read_record(archive, by, apart_from=ground) == NOBODY


def test_a_task_is_no_evidence_for_itself():
    archive = build_archive(by="large", good=19, tasks=1)

    assert read_record(archive, "large", apart_from=Ground(task="task 0")) == NOBODY


def test_a_summary_counts_what_helped():
    [summary] = summarize(build_archive(by="large", good=18, tasks=3))

    assert (summary.by, summary.proposals, summary.helped) == ("large", 3, 3)
    assert summary.record.trust > 0.5


def test_an_extreme_word_counts_though_it_is_not_exact():
    assert combine([ReflectorRecord(mean=-0.2, spread=0.07)]).mean < -0.005
    assert combine([]) == NOBODY
