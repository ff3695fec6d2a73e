"""What SQLite would take up beside a database is ours alone, or the database is not opened."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite.files import list_damaged_files, measure_size, set_aside
from mulligan.stores.sqlite.session import (
    JOURNAL,
    SqliteSession,
    list_side_files,
    refuse_unsafe_database,
)
from mulligan.types.errors import StoreUnavailableError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no modes here")

PAGE = 4096


@pytest.fixture
def path(tmp_path) -> Path:
    return make_store(tmp_path / "shop.db")


def make_store(path: Path) -> Path:
    store = open_store(f"sqlite:///{path}")
    store.journal.identify_writer()
    store.close()
    return path


def write_journal(source: Path, target: Path) -> None:
    """A rollback journal that puts the pages of one database into another."""
    content = source.read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    header = bytes.fromhex("d9d505f920a163d7")
    header += struct.pack(">IIIII", len(pages), 7, len(pages), 512, PAGE)
    written = [header.ljust(512, b"\0")]
    for number, page in enumerate(pages, start=1):
        checksum = 7 + sum(page[at] for at in range(PAGE - 200, 0, -200))
        written.append(struct.pack(">I", number) + page + struct.pack(">I", checksum))
    target.write_bytes(b"".join(written))


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_what_anybody_can_write_is_not_taken_up(path, ending) -> None:
    side = path.with_name(path.name + ending)
    side.touch()
    side.chmod(0o666)

    with pytest.raises(StoreUnavailableError, match="can be changed by others"):
        refuse_unsafe_database(path)


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_what_has_a_second_name_or_is_a_link_is_not_taken_up(path, tmp_path, ending) -> None:
    mine = tmp_path / "upload.bin"
    mine.write_bytes(b"what somebody sent")
    mine.chmod(0o600)
    side = path.with_name(path.name + ending)
    side.unlink(missing_ok=True)
    side.hardlink_to(mine)

    with pytest.raises(StoreUnavailableError, match="second name"):
        refuse_unsafe_database(path)
    side.unlink()
    side.symlink_to(mine)
    with pytest.raises(StoreUnavailableError, match="symbolic link"):
        refuse_unsafe_database(path)


def test_a_planted_journal_is_not_played_back(path, tmp_path) -> None:
    (tmp_path / "evil").mkdir()
    evil = make_store(tmp_path / "evil" / "shop.db")
    before = path.read_bytes()
    planted = path.with_name("shop.db-journal")
    write_journal(evil, planted)
    planted.chmod(0o666)

    with pytest.raises(StoreUnavailableError, match=r"shop\.db-journal"):
        open_store(f"sqlite:///{path}")

    assert path.read_bytes() == before
    # Without the look it would have been: the journal is one that SQLite takes.
    with apsw.Connection(str(path)) as connection:
        connection.execute("select count(*) from writer").fetchall()
    assert path.read_bytes() != before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["shop.db-journal", "shop.log.db-journal"])
def test_a_journal_of_another_user_is_refused(path, name) -> None:
    (path.parent / name).touch(0o600)
    os.chown(path.parent / name, 4321, 4321)

    with pytest.raises(StoreUnavailableError, match=r"another user \(number 4321\)"):
        open_store(f"sqlite:///{path}")


def test_a_journal_planted_under_an_open_store_is_seen_by_the_next_connection(path) -> None:
    store = open_store(f"sqlite:///{path}")
    planted = path.with_name("shop.db-journal")
    planted.touch()
    planted.chmod(0o666)

    with pytest.raises(StoreUnavailableError, match=r"shop\.db-journal"):
        SqliteSession(path, JOURNAL)

    planted.unlink()
    store.close()


def test_the_side_files_of_a_linked_database_lie_beside_the_file_itself(path, tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "linked.db"
    link.symlink_to(path)

    assert path.resolve().with_name("shop.db-journal") in list_side_files(link)


def test_a_damaged_file_is_set_aside_with_its_journal(path) -> None:
    path.with_name("shop.db-journal").write_bytes(b"what was under way")

    away = set_aside(path)

    assert away.with_name(f"{away.name}-journal").read_bytes() == b"what was under way"
    assert list_damaged_files(path) == [away]


COME_AND_GO = """
import os, sys
while True:
    for place in sys.argv[1:]:
        os.close(os.open(place, os.O_CREAT, 0o600))
        os.unlink(place)
"""


def test_side_files_come_and_go_while_others_open_and_close(path) -> None:
    """As they do when the last of several applications closes the database."""
    sides = [str(side) for side in list_side_files(path)]
    with subprocess.Popen([sys.executable, "-c", COME_AND_GO, *sides]) as others:
        try:
            for _ in range(4000):
                refuse_unsafe_database(path)
                assert measure_size(path) > 0
        finally:
            others.kill()
