"""What is past its time is gone from the disk too: looked for in the raw files of a database."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import psycopg
import pytest
from msgspec.structs import replace

from mulligan.app.housekeeping import sweep
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.call import LogRow
from mulligan.types.errors import StoreLockedError
from mulligan.types.interfaces import Store
from mulligan.types.limits import Retention
from mulligan.types.log import Batch, roll_up
from mulligan.types.values import to_us
from mulligan_testing.postgres import PostgresServer
from mulligan_testing.store_contract.contract import find_way, make_log_row, walk
from tests.stores.days import make_past_days

CANARY = "canary-2b81e7-do-not-keep"
NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def count_on_disk(folder: Path) -> int:
    # In another process: a file opened and closed here would take SQLite's locks with it.
    command = ["grep", "-rc", "--binary-files=text", CANARY, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return sum(int(line.rsplit(":", 1)[1]) for line in done.stdout.splitlines())


def make_rows(*, days_ago: int, context: str) -> list[LogRow]:
    at = NOW - days_ago * DAY
    return [make_log_row(number, at=at, context=context) for number in range(2_000)]


def plant(store: Store, *, days_ago: Sequence[int]) -> None:
    """Old rows, values and entries with a canary in each, among young ones without."""
    rows = [row for ago in days_ago for row in make_rows(days_ago=ago, context=CANARY)]
    rows += make_rows(days_ago=0, context="young")
    store.log.write(Batch(rows=rows, rollups=roll_up(rows)))
    for number in range(40):
        old = number % 2
        value, ended = (CANARY.encode() * 9, NOW - DAY) if old else (b"young" * 50, NOW + DAY)
        store.vault.put(Kept(owner=f"value {number}", name="before", value=value, expires_at=ended))
        entries = walk(f"{number}", find_way(State.VERIFIED), at=NOW - 100 * DAY * old)
        note = {"note": CANARY if old else "young"}
        store.journal.submit([replace(entries[0], detail=note), *entries[1:]]).result()


def test_nothing_is_left_in_sqlite_files_and_their_logs_ahead(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/family.db")
    plant(store, days_ago=[90, 40, 31])
    planted = count_on_disk(tmp_path)

    swept = sweep(store, retention=Retention(), clock=lambda: NOW)

    assert planted > 1_000
    assert (swept.rows, swept.kept, swept.actions) == (6_000, 20, 20)
    assert count_on_disk(tmp_path) == 0
    store.close()


@pytest.fixture
def data_folder(postgres: PostgresServer, postgres_url: str) -> Path:
    """Where the server has the tables of the database."""
    if postgres.folder is None:
        pytest.skip("The server's files are elsewhere.")
    with psycopg.connect(postgres_url) as connection:
        [(number,)] = connection.execute(
            "select oid from pg_database where datname = current_database()"
        )
    return postgres.folder / "data" / "base" / str(number)


def test_on_postgres_a_day_of_the_log_is_gone_the_moment_it_is_dropped(
    postgres_url: str, data_folder: Path
) -> None:
    store = open_store(postgres_url)
    make_past_days(postgres_url, days=40)
    rows = [row for ago in (39, 35, 32) for row in make_rows(days_ago=ago, context=CANARY)]
    store.log.write(Batch(rows=[*rows, *make_rows(days_ago=0, context="young")]))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("checkpoint")
        planted = count_on_disk(data_folder)

        store.log.prune(before=NOW - 30 * DAY)
        connection.execute("checkpoint")

    assert planted > 1_000
    assert count_on_disk(data_folder) == 0
    store.close()


def plant_mixed(store: Store, chance: random.Random) -> int:
    """Old and young of many sizes among each other, forgotten in rounds, so that pages are split,
    joined and used again. Returns how much was forgotten."""
    forgotten = 0
    for _ in range(5):
        for _ in range(100):
            old = chance.random() < 0.5
            text = CANARY if old else "young-2b81e7-stays-where-it-is"
            value = text.encode() * chance.choice((1, 3, 9, 40, 300))
            owner, ended = f"value {chance.random()}", NOW - DAY if old else NOW + DAY
            store.vault.put(Kept(owner=owner, name="before", value=value, expires_at=ended))
            if chance.random() < 0.3:
                way = find_way(State.VERIFIED)
                first, *rest = walk(f"{chance.random()}", way, at=NOW - 100 * DAY * old)
                note = {"note": text * chance.choice((1, 5, 30))}
                store.journal.submit([replace(first, detail=note), *rest]).result()
        swept = sweep(store, retention=Retention(), clock=lambda: NOW)
        forgotten += swept.kept + swept.actions
    return forgotten


@pytest.mark.full
@pytest.mark.parametrize("seed", [2, 3, 5])
def test_nothing_is_left_in_sqlite_files_where_old_lay_among_young(
    tmp_path: Path, seed: int
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/family.db")

    assert plant_mixed(store, random.Random(seed)) > 100
    assert count_on_disk(tmp_path) == 0
    assert not store.check_health().problems
    store.close()


@pytest.mark.parametrize("seed", [2, 3])
def test_nothing_is_left_in_tables_of_postgres_where_old_lay_among_young(
    postgres_url: str, data_folder: Path, seed: int
) -> None:
    store = open_store(postgres_url)

    assert plant_mixed(store, random.Random(seed)) > 100
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("checkpoint")
    assert count_on_disk(data_folder) == 0
    store.close()


def test_on_postgres_what_is_deleted_by_the_row_is_gone_with_the_sweep(
    postgres_url: str, data_folder: Path
) -> None:
    store = open_store(postgres_url)
    plant(store, days_ago=[90, 40])
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("analyze")
        connection.execute("checkpoint")
        planted = count_on_disk(data_folder)

        swept = sweep(store, retention=Retention(), clock=lambda: NOW)
        connection.execute("checkpoint")

    assert planted > 500
    assert (swept.rows, swept.kept, swept.actions) == (4_000, 20, 20)
    assert count_on_disk(data_folder) == 0
    store.close()


def test_what_a_transaction_still_sees_is_named_and_gone_with_the_next_sweep(
    postgres_url: str, data_folder: Path
) -> None:
    store = open_store(postgres_url)
    plant(store, days_ago=[])
    with psycopg.connect(postgres_url) as reading:
        reading.execute("set transaction isolation level repeatable read")
        reading.execute("select count(*) from pg_class")

        swept = sweep(store, retention=Retention(), clock=lambda: NOW)

    again = sweep(store, retention=Retention(), clock=lambda: NOW)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("checkpoint")

    assert swept.vacuumed is not None
    assert again.vacuumed is not None
    assert {why.split()[0] for why in swept.vacuumed.left} >= {"kept", "entry", "action"}
    assert again.vacuumed.left == ()
    assert count_on_disk(data_folder) == 0
    store.close()


def test_a_day_that_is_kept_for_one_late_row_keeps_nothing_of_the_others(
    postgres_url: str, data_folder: Path
) -> None:
    store = open_store(postgres_url)
    make_past_days(postgres_url, days=40)
    rows = make_rows(days_ago=39, context=CANARY)
    late = make_log_row(2_000, at=NOW - 39 * DAY, context="late")
    store.log.write(Batch(rows=[*rows, late._replace(at_us=to_us(NOW, name="now"))]))

    swept = sweep(store, retention=Retention(), clock=lambda: NOW)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("checkpoint")

    assert swept.rows == 2_000
    assert count_on_disk(data_folder) == 0
    assert store.log.count() == 1
    store.close()


def test_a_day_that_is_being_read_is_named_and_goes_with_the_next_sweep(postgres_url: str) -> None:
    store = open_store(postgres_url)
    make_past_days(postgres_url, days=40)
    rows = make_rows(days_ago=39, context=CANARY)
    store.log.write(Batch(rows=rows))
    with psycopg.connect(postgres_url) as reading:
        reading.execute("select id from mulligan.execution where id = %s", [rows[0].id])

        swept = sweep(store, retention=Retention(), clock=lambda: NOW)

    again = sweep(store, retention=Retention(), clock=lambda: NOW)

    day = f"execution_{NOW - 39 * DAY:%Y%m%d} "
    assert swept.vacuumed is not None
    assert any(why.startswith(day) for why in swept.vacuumed.left)
    assert (swept.rows, again.rows) == (0, 2_000)
    store.close()


def test_who_reads_the_log_for_long_keeps_no_value_in_the_vault(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/family.db", timeout=timedelta(milliseconds=100))
    plant(store, days_ago=[40])
    reading = apsw.Connection(str(tmp_path / "family.log.db"))
    reading.execute("begin")
    reading.execute("select * from execution limit 1").fetchall()

    with pytest.raises(StoreLockedError):
        sweep(store, retention=Retention(), clock=lambda: NOW)
    left = store.vault.get("value 1", "before"), store.journal.find_action("1")
    reading.close()
    sweep(store, retention=Retention(), clock=lambda: NOW)

    assert left == (None, None)
    assert count_on_disk(tmp_path) == 0
    store.close()
