"""How much of the disk a row of the log takes, with all that is kept to find it by."""

from __future__ import annotations

from pathlib import Path

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite import read_path
from mulligan.stores.sqlite.files import build_log_path

TABLES = (
    "execution", "hourly", "daily", "pattern", "pattern_hour", "pattern_day", "row_kind",
    "row_block", "stray_block",
)  # fmt: skip


def measure_row_bytes(url: str) -> float:
    """The whole of the log on disk, its indexes and roll-ups too, by the rows that it has."""
    store = open_store(url)
    rows = store.check_health().rows or 1
    # Who closes a store moves what is beside its file into it.
    store.close()
    whole = _measure_file(read_path(url)) if url.startswith("sqlite:") else _measure_tables(url)
    return round(whole / rows, 1)


def _measure_file(path: Path) -> int:
    return build_log_path(path).stat().st_size


def _measure_tables(url: str) -> int:
    import psycopg

    # A table in partitions has nothing in itself.
    parts = "select relid from unnest(%s::text[]) as t, pg_partition_tree(t::regclass)"
    query = f"select sum(pg_total_relation_size(relid)) from ({parts}) as part"
    with psycopg.connect(url) as connection:
        row = connection.execute(query, [list(TABLES)]).fetchone()
    assert row is not None
    return int(row[0])
