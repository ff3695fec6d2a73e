"""Blocks of the log: a search by them finds what a look at every row finds, in the same order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest

from mulligan.core.call import LogRow
from mulligan.core.ids import RANDOM_BITS, make_uuid7
from mulligan.core.instants import from_us, to_us
from mulligan.core.interfaces import Store
from mulligan.core.log_query import Batch, LogQuery
from mulligan.stores.filter import fits
from mulligan.stores.opening import open_store
from mulligan.stores.relational import search
from mulligan.stores.relational.blocks import DIGITS, LAST_ID, IdSpan, mark_old_blocks, shift
from mulligan.testing.store_contract.contract import DAY, HOUR, NOW, make_log_row
from tests.stores.relational.logs import open_log

NOW_US = to_us(NOW, name="now")
DAY_US = 86_400_000_000
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
        waited_us = chance.randrange(DAY_US) if chance.random() < 0.02 else 0
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


def make_query(chance: random.Random, rows: list[LogRow], *, timed: bool) -> LogQuery:
    """Any filters together, with something to find and with nothing."""
    since = from_us(NOW_US - chance.randrange(22 * DAY_US))
    some = chance.choice(rows)
    return LogQuery(
        tenant=chance.choice([None, None, "home", "nobody"]),
        agent=chance.choice([None, None, "planner", "seldom", "nobody"]),
        server=chance.choice([None, None, "attic", "nowhere"]),
        tool=chance.choice([None, None, "tool 1", "none"]),
        outcome=chance.choice([None, None, "success", "failure"]),
        error_class=chance.choice([None, None, None, "rate_limit"]),
        since=chance.choice([None, since]) if timed else None,
        until=chance.choice([None, since + timedelta(hours=chance.choice([1, 50]))])
        if timed
        else None,
        id_prefix=chance.choice(["", "", "", some.id[:5], some.id[:9]]),
        after=chance.choice(["", "", "", some.id]),
        below=chance.choice(["", "", "", some.id]),
        oldest_first=chance.random() < 0.5,
        limit=chance.choice([1, 7, 50, 4_000]),
    )


def find_by_looking(rows: list[LogRow], query: LogQuery) -> list[str]:
    ids = sorted(row.id for row in rows if fits(row, query))
    return (ids if query.oldest_first else ids[::-1])[: query.limit]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("strange", [False, True])
@pytest.mark.parametrize("looked_at", [3, 1_000])
def test_a_search_by_blocks_finds_what_a_look_at_every_row_finds(
    store, monkeypatch, packed, strange, looked_at
) -> None:
    monkeypatch.setattr(search, "_LOOKED_AT", looked_at)
    monkeypatch.setattr(search, "_LOOKED_AT_FOR_EACH", 1)
    chance = random.Random(f"{packed} {strange} {looked_at}")
    rows = make_rows(chance, 1_200, strange=strange)
    for start in range(0, len(rows), 300):
        store.log.write(Batch(rows=rows[start : start + 300]))
    if packed:
        store.log.compress(before=NOW - 4 * DAY)

    for _ in range(100):
        # Of an id that no clock has made, its place says nothing of its time.
        query = make_query(chance, rows, timed=not strange)
        found = [row.id for row in store.log.list_rows(query)]

        assert found == find_by_looking(rows, query), query


def test_who_was_never_there_is_known_without_a_look_at_any_row(store, monkeypatch) -> None:
    rows = make_rows(random.Random(1), 200)
    store.log.write(Batch(rows=rows))
    monkeypatch.setattr(search, "_scan", lambda *_: pytest.fail("It looked at rows."))

    for nobody in (LogQuery(agent="nobody"), LogQuery(tenant="nobody"), LogQuery(server="nowhere")):
        assert store.log.list_rows(nobody) == []
    assert store.log.list_rows(LogQuery(until=NOW - 90 * DAY)) == []
    assert store.log.list_rows(LogQuery(tool="tool 1", error_class="conflict")) == []


def test_a_row_is_found_by_its_time_where_its_call_has_waited_for_most_of_a_day(store) -> None:
    approved = make_log_row(0)._replace(
        id=make_uuid7(NOW_US - DAY_US + 1, 1), at_us=NOW_US, agent="planner"
    )
    store.log.write(Batch(rows=[approved]))

    found = store.log.list_rows(LogQuery(since=NOW - HOUR))

    assert found == [approved]


def test_what_is_pruned_leaves_no_block_and_no_kind(store, url) -> None:
    rows = make_rows(random.Random(2), 400)
    store.log.write(Batch(rows=rows))
    store.log.prune(before=NOW + 90 * DAY)

    with open_log(url) as session:
        assert session.execute("select count(*) from row_block") == [(0,)]
        assert session.execute("select count(*) from row_kind") == [(0,)]


def test_old_rows_are_marked_by_the_migration_packed_ones_too(store, url) -> None:
    rows = make_rows(random.Random(3), 600)
    store.log.write(Batch(rows=rows))
    tables = ("select * from row_kind order by 1", "select * from row_block order by 1, 2")
    with open_log(url) as session:
        written = [session.execute(table) for table in tables]
    store.log.compress(before=NOW - 4 * DAY)

    with open_log(url) as session:
        with session.begin_transaction():
            session.execute("delete from row_kind")
            session.execute("delete from row_block")
            mark_old_blocks(session)
        marked = [session.execute(table) for table in tables]

    assert marked == written


def test_blocks_follow_one_another_in_the_order_of_ids() -> None:
    made = make_uuid7(NOW_US, 0)[:DIGITS]

    assert shift(made, -1) < made < shift(made, 1) == shift(shift(made, 2), -1)
    assert shift("fffffff", 1) == LAST_ID
    assert shift("0000000", -5) == "0000000"
    assert shift("call_9", 1) > "call_9"
    assert shift("call_9", -3) == "call_9"


def test_a_span_holds_its_first_id_and_not_the_one_it_ends_below() -> None:
    span = IdSpan("b", "d")

    assert [name for name in "abcd" if span.holds(name)] == ["b", "c"]
    assert not span.empty
    assert span._replace(below_id="b").empty
