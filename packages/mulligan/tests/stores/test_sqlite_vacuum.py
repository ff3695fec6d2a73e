from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw

from mulligan.stores.sqlite.files import prepare, vacuum_files
from mulligan.stores.sqlite.session import JOURNAL, SqliteSession


def make_file(path: Path) -> partial[SqliteSession]:
    timeout = timedelta(milliseconds=100)
    prepare(path, JOURNAL, migrate=True, timeout=timeout)
    return partial(SqliteSession, path, JOURNAL, timeout=timeout)


def test_what_is_too_large_is_left_and_named(tmp_path: Path) -> None:
    connects = {tmp_path / name: make_file(tmp_path / name) for name in ("a.db", "b.db")}

    left = vacuum_files(connects, most_bytes=1)
    done = vacuum_files(connects, most_bytes=None)

    assert left.parts == ()
    assert [why.split()[0] for why in left.left] == ["a.db", "b.db"]
    assert done.parts == ("a.db", "b.db")


def test_a_file_that_somebody_writes_is_left_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connects = {path: make_file(path)}
    other = apsw.Connection(str(path))
    other.execute("begin immediate")

    found = vacuum_files(connects, most_bytes=None)
    other.close()

    assert found.parts == ()
    assert "a.db" in found.left[0]
