"""The suite `lookup`: its past is the one it says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bench import history
from bench.suites.lookup import look_up, look_up_text
from mulligan.runtime.lookup import Recall
from mulligan.stores.opening import open_store
from mulligan.types.lesson import EpisodeQuery, LessonQuery
from mulligan.types.log import LogQuery, PatternQuery

UNTIL = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_the_past_is_in_the_log_and_in_the_casebook() -> None:
    store = open_store("memory:")

    known = history.fill(store, rows=3_000, until=UNTIL, step=lambda: None)

    rows = store.log.list_rows(LogQuery(limit=10_000))
    failed = [row for row in rows if row.outcome == "failure"]
    assert len(rows) == 3_000
    assert 100 < len(failed) < 300
    assert len(store.casebook.list_episodes(EpisodeQuery(limit=10_000))) == len(failed)
    seen = store.log.list_patterns(
        PatternQuery(since=UNTIL - timedelta(days=1), until=UNTIL, limit=1_000)
    )
    assert sum(each.pattern.count for each in seen) == len(failed)
    assert len(known) == len(store.casebook.list_lessons(LessonQuery())) == 3


def test_what_is_looked_up_is_found() -> None:
    store = open_store("memory:")
    [first, *_] = history.fill(store, rows=2_000, until=UNTIL, step=lambda: None)

    recall = Recall(store.casebook, clock=lambda: UNTIL, control=0.0, seeds=False)

    [made] = look_up(recall, first)
    alike = look_up_text(recall, first)

    assert made.patch.changes == {"place": "#Elm St 12"}
    assert made.lesson in {each.lesson for each in alike}
