"""How much of the disk a row of the log takes, with all that is kept to find it by."""

from __future__ import annotations

from pathlib import Path

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite import read_path
from mulligan.stores.sqlite.files import build_log_path

TABLES = ("execution", "hourly", "pattern", "pattern_hour", "archive")


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

    sizes = " + ".join(f"pg_total_relation_size('{table}')" for table in TABLES)
    with psycopg.connect(url) as connection:
        row = connection.execute(f"select {sizes}").fetchone()
    assert row is not None
    return int(row[0])
