from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.relational import log
from mulligan.stores.relational.log_search import pack, unpack
from mulligan.types.call import LogRow, Outcome
from mulligan.types.errors import StoreLockedError
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan_testing.store_contract.contract import DAY, NOW, make_log_row
from tests.stores.beside import Interruption
from tests.telemetry.rows import a_row

ALL = LogQuery(oldest_first=True)


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have another process do something while a batch is being packed."""

    def interrupt(rows: Sequence[LogRow]) -> dict[str, object]:
        monkeypatch.setattr(log, "pack", pack)
        act()
        return pack(rows)

    monkeypatch.setattr(log, "pack", interrupt)


def test_rows_come_out_as_they_went_in() -> None:
    rows = [a_row(n, outcome=outcome) for n, outcome in enumerate(Outcome)]

    packed = pack(rows)

    assert unpack(packed["packed"]) == rows


def test_a_batch_says_what_is_in_it_without_being_opened() -> None:
    rows = [a_row(5), a_row(2), a_row(9)]

    packed = pack(rows)

    assert (packed["first_id"], packed["last_id"]) == (rows[0].id, rows[-1].id)
    assert (packed["from_us"], packed["to_us"]) == (rows[1].at_us, rows[2].at_us)
    assert packed["row_count"] == 3


def test_a_row_that_comes_while_its_neighbours_are_packed_is_not_lost(
    postgres_url, monkeypatch
) -> None:
    rows = [make_log_row(n)._replace(id=f"{n:032x}") for n in range(5)]
    with closing(open_store(postgres_url)) as store, closing(open_store(postgres_url)) as other:
        store.log.write(Batch(rows=[*rows[:2], *rows[3:]]))
        meanwhile(monkeypatch, lambda: other.log.write(Batch(rows=rows[2:3])))

        assert store.log.compress(before=NOW + DAY) == 4

        assert store.log.list_rows(ALL) == rows


def test_rows_that_two_pack_at_once_are_packed_once(postgres_url, monkeypatch) -> None:
    rows = [make_log_row(n)._replace(id=f"{n:032x}") for n in range(5)]
    with closing(open_store(postgres_url)) as store, closing(open_store(postgres_url)) as other:
        store.log.write(Batch(rows=rows[1:]))

        def pack_with_one_more() -> None:
            other.log.write(Batch(rows=rows[:1]))
            other.log.compress(before=NOW + DAY)

        meanwhile(monkeypatch, pack_with_one_more)

        with pytest.raises(StoreLockedError, match="nothing was packed twice"):
            store.log.compress(before=NOW + DAY)

        assert store.log.list_rows(ALL) == rows


def test_a_row_that_is_packed_is_left_alone_when_it_comes_again(url) -> None:
    rows = [make_log_row(n) for n in range(6)]
    with closing(open_store(url)) as store:
        store.log.write(Batch(rows=rows[:4], rollups=roll_up(rows[:4])))
        store.log.compress(before=NOW + DAY)

        store.log.write(Batch(rows=rows[1:5], rollups=roll_up(rows[1:5])))
        store.log.write(Batch(rows=rows[3:], rollups=roll_up(rows[3:])))

        assert store.log.list_rows(ALL) == rows
        assert store.log.read_rollups(since=NOW, until=NOW) == roll_up(rows)
        assert store.log.compress(before=NOW + DAY) == 2
        assert store.log.list_rows(ALL) == rows


def test_a_row_that_comes_again_while_it_is_packed_is_left_alone(postgres_url, monkeypatch) -> None:
    rows = [make_log_row(n) for n in range(3)]
    with closing(open_store(postgres_url)) as store, closing(open_store(postgres_url)) as other:
        store.log.write(Batch(rows=rows))
        again = Interruption(monkeypatch, postgres_url)
        deleted = PostgresSession.run

        def run(session: PostgresSession, query: str, **values: object) -> int:
            if query == "add_archive":
                monkeypatch.setattr(PostgresSession, "run", deleted)
                again.start(lambda: other.log.write(Batch(rows=rows)))
            return deleted(session, query, **values)

        monkeypatch.setattr(PostgresSession, "run", run)

        assert store.log.compress(before=NOW + DAY) == 3

        assert len(again.finish()) == 1
        assert store.log.list_rows(LogQuery(oldest_first=True)) == rows
