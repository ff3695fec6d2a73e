"""The suite `years`: its keys, and that its past is the one it says. Few rows, so no figures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bench.names import list_missing
from bench.suites import years
from bench.years.past import Past
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery
from mulligan.types.lesson import EpisodeQuery
from mulligan.types.log import LogQuery
from tests.bench.running import read_result

UNTIL = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_json_has_every_name_and_each_question_by_rows() -> None:
    few = ("--store", "sqlite", "--rows", "400", "200", "--rounds", "1")

    result = read_result("years", *few, codes=(0, 1))

    assert list_missing("years", result) == []
    assert list(result["turn_ms"]["sqlite"]) == ["200", "400"]
    assert {"agent", "no such agent", "until"} <= set(result["filters_ms"]["sqlite"])
    assert set(result["stats_ms"]["sqlite"]) == {"24 h", "30 d"}
    assert result["bytes_per_row"] > 100


def test_the_past_is_as_long_ago_as_each_part_of_it_is_kept() -> None:
    store, steps = open_store("memory:"), []

    Past(rows=2_000, tenant="home~1", until=UNTIL).fill(
        store, at_a_time=1_000, step=lambda: steps.append(1)
    )

    actions = store.journal.list_actions(ActionQuery(limit=10_000))
    episodes = store.casebook.list_episodes(EpisodeQuery(limit=10_000))
    rows = store.log.list_rows(LogQuery(limit=10_000, oldest_first=True))
    assert (len(rows), len(actions), len(episodes)) == (2_000, 200, 200)
    assert all(action.settled and action.opening.tenant == "home~1" for action in actions)
    assert actions[-1].changed_at == episodes[0].at == UNTIL - timedelta(days=90)
    assert rows[0].at_us // 1_000_000 == (UNTIL - timedelta(days=30)).timestamp()
    assert len(steps) == Past(rows=2_000, tenant="", until=UNTIL).count_steps(1_000)


def test_what_grows_is_named_and_what_no_clock_can_tell_is_not() -> None:
    fine = {"rows": [10_000, 1_000_000], "above": {}, "bytes_per_row": 400.0}

    assert years.failed(fine) == ""
    assert years.failed({**fine, "above": {"sqlite: turn": 1.4}}) == "sqlite: turn grows 1.4 times"
    assert "500.0 bytes" in years.failed({**fine, "bytes_per_row": 500.0})
    assert years.failed({**fine, "rows": [500, 2_000], "bytes_per_row": 500.0}) == ""
    assert years._measure_growth({"ms": {"1": 0.05, "2": 0.09}, "growth": 1.8}) == 1.0
    assert years._measure_growth({"ms": {"1": 5.0, "2": 9.0}, "growth": 1.8}) == 1.8
