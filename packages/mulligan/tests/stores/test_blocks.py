"""A search of the log by blocks finds what a look at every row finds, in the same order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.stores.relational import log_search as search
from mulligan.types.call import LogRow
from mulligan.types.errors import NaiveTimeError
from mulligan.types.interfaces import Store
from mulligan.types.log import Batch, LogQuery, Loss
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us
from mulligan_testing.store_contract.contract import DAY, NOW, make_log_row
from tests.stores.logs import open_log

NOW_US = to_us(NOW, name="now")

DAY_US = 86_400_000_000


SECOND = timedelta(seconds=1)

STRANGE = ("a", "call_9", "Zürich 4", "0f3", "0192f3b\ufffd1", "zzzzzzzzz")

"""Ids that no clock has made."""


@pytest.fixture
def store(url) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def make_rows(chance: random.Random, count: int, *, strange: bool = False) -> list[LogRow]:
    """Rows of three weeks: some agents are there always, some seldom, and some waited for long."""
    names = [*(STRANGE if strange else ()), *([""] * count)]
    rows = []
    for name in names:
        made_us = NOW_US - chance.randrange(21 * DAY_US)
        failed = chance.random() < 0.1
        off = chance.random()
        # Most are of the time of their id; some calls waited, and some clocks were set back.
        waited_us = chance.randrange(DAY_US) if off < 0.02 else chance.randrange(9_000_000)
        if off > 0.98:
            waited_us = -chance.randrange(DAY_US)
        if 0.5 < off < 0.51:
            waited_us *= chance.choice([-1, 1]) * 50_000
        rows.append(
            make_log_row(0)._replace(
                id=name or make_uuid7(made_us, chance.getrandbits(RANDOM_BITS)),
                at_us=made_us + waited_us,
                tenant=chance.choice(["", "home"]),
                agent=chance.choice(["planner"] * 50 + ["cook"] * 49 + ["seldom"]),
                server=chance.choice(["desk", "desk", "attic"]),
                tool=f"tool {chance.randrange(4)}",
                outcome="failure" if failed else "success",
                error_class=chance.choice(["validation", "rate_limit"]) if failed else None,
            )
        )
    return rows


def make_query(chance: random.Random, rows: list[LogRow]) -> LogQuery:
    """Any filters together, with something to find and with nothing."""
    some = chance.choice(rows)
    anywhen = NOW_US - chance.randrange(22 * DAY_US)
    since = from_us(chance.choice([anywhen, some.at_us, some.at_us + 1]))
    return LogQuery(
        tenant=chance.choice([None, None, "home", "nobody"]),
        agent=chance.choice([None, None, "planner", "seldom", "nobody"]),
        server=chance.choice([None, None, "attic", "nowhere"]),
        tool=chance.choice([None, None, "tool 1", "none"]),
        outcome=chance.choice([None, None, "success", "failure"]),
        error_class=chance.choice([None, None, None, "rate_limit"]),
        since=chance.choice([None, since]),
        until=chance.choice([None, since + timedelta(hours=chance.choice([0, 1, 50]))]),
        id_prefix=chance.choice(["", "", "", some.id[:5], some.id[:9]]),
        after=chance.choice(["", "", "", some.id]),
        below=chance.choice(["", "", "", some.id]),
        oldest_first=chance.random() < 0.5,
        limit=chance.choice([1, 7, 50, 4_000]),
    )


def matches_query(row: LogRow, query: LogQuery) -> bool:
    """Whether a row matches, as the SQL filters have to find it."""
    same = (
        (query.tenant, row.tenant),
        (query.agent, row.agent),
        (query.server, row.server),
        (query.tool, row.tool),
        (query.outcome, row.outcome),
        (query.error_class, row.error_class),
        (query.turn, row.turn),
    )
    return (
        row.id.startswith(query.id_prefix)
        and row.id > query.after
        and (not query.below or row.id < query.below)
        and all(not wanted or wanted == found for wanted, found in same)
        and (not query.turns or row.turn in query.turns)
        and (not query.parents or row.parent in query.parents)
        and (query.since is None or row.at_us >= to_us(query.since, name="since"))
        and (query.until is None or row.at_us < to_us(query.until, name="until"))
    )


def find_by_looking(rows: list[LogRow], query: LogQuery) -> list[str]:
    ids = sorted(row.id for row in rows if matches_query(row, query))
    return (ids if query.oldest_first else ids[::-1])[: query.limit]


@pytest.mark.full
@pytest.mark.parametrize(
    ("strange", "looked_at"),
    [(False, 3), (False, 1_000), (True, 1_000), (True, 3)],
)
def test_a_search_by_blocks_finds_what_a_look_at_every_row_finds(
    store, monkeypatch, strange, looked_at
) -> None:
    monkeypatch.setattr(search, "_LOOKED_AT", looked_at)
    monkeypatch.setattr(search, "_LOOKED_AT_FOR_EACH", 1)
    chance = random.Random(f"{strange} {looked_at}")
    rows = make_rows(chance, 1_200, strange=strange)
    for start in range(0, len(rows), 300):
        store.log.write(Batch(rows=rows[start : start + 300]))

    for _ in range(100):
        query = make_query(chance, rows)
        found = [row.id for row in store.log.list_rows(query)]

        assert found == find_by_looking(rows, query), query


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("off_days", [-900, -3, -1 / 24, 3, 900])
def test_a_row_is_found_by_its_time_however_far_that_is_off_its_id(
    store, off_days, oldest_first
) -> None:
    at = NOW + off_days * DAY
    row = make_log_row(0)._replace(
        id=make_uuid7(NOW_US, 1), at_us=to_us(at, name="at"), turn="a week in the morning"
    )
    store.log.write(Batch(rows=[row]))
    query = LogQuery(oldest_first=oldest_first)

    for turn in (None, row.turn):
        of_turn = replace(query, turn=turn)
        assert store.log.list_rows(replace(of_turn, since=at)) == [row]
        assert store.log.list_rows(replace(of_turn, until=at + SECOND)) == [row]
        assert store.log.list_rows(replace(of_turn, since=at, until=at + SECOND)) == [row]
        assert store.log.list_rows(replace(of_turn, since=at + SECOND)) == []
        assert store.log.list_rows(replace(of_turn, until=at)) == []


@pytest.mark.parametrize("oldest_first", [False, True])
def test_only_ids_that_were_asked_for_are_found_whatever_their_times(store, oldest_first) -> None:
    at_us = NOW_US + 6 * DAY_US
    rows = [
        make_log_row(0)._replace(id=make_uuid7(NOW_US + n * DAY_US, n), at_us=at_us)
        for n in range(12)
    ]
    store.log.write(Batch(rows=rows))
    late = LogQuery(since=NOW + 5 * DAY, oldest_first=oldest_first)
    early = LogQuery(until=NOW + 7 * DAY, oldest_first=oldest_first)

    for query in (late, early):
        for row in rows:
            assert store.log.list_rows(replace(query, id_prefix=row.id)) == [row]
        assert store.log.list_rows(replace(query, below=rows[1].id)) == [rows[0]]
        assert store.log.list_rows(replace(query, after=rows[10].id)) == [rows[11]]


def test_a_search_for_no_rows_finds_none(store) -> None:
    store.log.write(Batch(rows=[make_log_row(0)]))

    assert store.log.list_rows(LogQuery(limit=0)) == []
    assert store.log.list_rows(LogQuery(limit=0, since=NOW)) == []


def test_what_was_marked_for_rows_that_were_taken_back_is_marked_again(store) -> None:
    row = make_log_row(0)._replace(agent="planner")
    unwritable = Loss(at=NOW.replace(tzinfo=None), reason="overflow")
    with pytest.raises(NaiveTimeError):
        store.log.write(Batch(rows=[row], losses=[unwritable]))
    store.log.write(Batch(rows=[], losses=[replace(unwritable, at=NOW)]))

    store.log.write(Batch(rows=[row]))

    assert store.log.list_rows(LogQuery(agent="planner")) == [row]


def test_what_is_logged_after_a_clock_too_fast_has_pruned_it_all_is_found(store) -> None:
    rows = [make_log_row(n)._replace(agent="planner") for n in range(2)]
    store.log.write(Batch(rows=rows[:1]))
    store.log.prune(before=NOW + 90 * DAY)

    store.log.write(Batch(rows=rows[1:]))

    assert store.log.list_rows(LogQuery(agent="planner")) == rows[1:]


def test_what_is_pruned_leaves_no_block_and_no_kind(store, url) -> None:
    rows = make_rows(random.Random(2), 400)
    store.log.write(Batch(rows=rows))
    store.log.prune(before=NOW + 90 * DAY)

    with open_log(url) as session:
        assert session.execute("select count(*) from row_block") == [(0,)]
        assert session.execute("select count(*) from row_kind") == [(0,)]
        assert session.execute("select count(*) from stray_block") == [(0,)]
