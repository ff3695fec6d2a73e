"""Files that another user may have planted or can change are refused, with the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite.files import list_damaged_files, measure_size, set_aside
from mulligan.stores.sqlite.session import (
    JOURNAL,
    SqliteSession,
    list_side_files,
    refuse_unsafe_database,
)
from mulligan.types.errors import StoreError, StoreUnavailableError
from mulligan.types.private_files import (
    open_private,
)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no modes here")


@pytest.fixture
def shop_url(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/shop.db")
    store.load_secret()
    store.journal.identify_writer()
    store.close()
    return f"sqlite:///{tmp_path}/shop.db"


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("shop.db", 0o666),
        ("shop.log.db", 0o666),
        ("shop.db.mark", 0o666),
        ("shop.db.key", 0o644),
        ("shop.db-journal", 0o666),
        ("shop.db-shm", 0o666),
        ("shop.log.db-wal", 0o666),
    ],
)
def test_what_others_can_change_or_read_is_refused_with_the_way_out(
    shop_url, tmp_path, name, mode
) -> None:
    (tmp_path / name).touch()
    (tmp_path / name).chmod(mode)
    before = (tmp_path / "shop.db").read_bytes()

    with pytest.raises(
        StoreUnavailableError, match=rf"mode is 0{mode:o}.*chmod 600 {tmp_path}/{name}"
    ):
        open_store(shop_url)

    assert (tmp_path / "shop.db").read_bytes() == before


@pytest.mark.parametrize("name", ["shop.db.mark", "shop.db.key"])
def test_a_planted_link_is_not_followed(shop_url, tmp_path, name) -> None:
    mine = tmp_path / "diary.txt"
    mine.write_text("dear diary")
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(mine)

    with pytest.raises(StoreUnavailableError, match="symbolic link"):
        open_store(shop_url)

    assert mine.read_text() == "dear diary"


def test_a_mark_with_a_second_name_is_not_written(shop_url, tmp_path) -> None:
    (tmp_path / "diary.txt").hardlink_to(tmp_path / "shop.db.mark")

    with pytest.raises(StoreUnavailableError, match="second name"):
        open_store(shop_url)


def test_a_link_planted_under_a_running_store_is_not_followed(tmp_path) -> None:
    mine = tmp_path / "diary.txt"
    mine.write_text("dear diary")
    (tmp_path / "mark").symlink_to(mine)

    with pytest.raises(OSError, match="symbolic"):
        open_private(tmp_path / "mark", os.O_RDWR | os.O_CREAT)


def test_a_database_may_lie_elsewhere(shop_url, tmp_path) -> None:
    (tmp_path / "linked.db").symlink_to(tmp_path / "shop.db")

    open_store(f"sqlite:///{tmp_path}/linked.db").close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize(
    "name", ["shop.db", "shop.db.key", "shop.db.mark", "shop.db-journal", "shop.log.db-journal"]
)
def test_a_file_of_another_user_is_refused(shop_url, tmp_path, name) -> None:
    (tmp_path / name).touch(0o600)
    os.chown(tmp_path / name, 4321, 4321)

    with pytest.raises(StoreUnavailableError, match=r"another user \(number 4321\)"):
        open_store(shop_url)


@pytest.mark.parametrize("content", ["2026-11-15 a line of the application's own\n", ""])
def test_the_log_of_an_application_is_left_alone(tmp_path, content) -> None:
    (tmp_path / "shop.log").write_text(content)

    with pytest.raises(StoreError, match="is left as it is"):
        open_store(f"sqlite:///{tmp_path}/shop")

    assert (tmp_path / "shop.log").read_text() == content


def test_a_store_without_an_ending_keeps_its_log(tmp_path) -> None:
    for _ in range(2):
        open_store(f"sqlite:///{tmp_path}/shop").close()

    assert (tmp_path / "shop.log").exists()


@pytest.fixture
def path(tmp_path) -> Path:
    return make_store(tmp_path / "shop.db")


def make_store(path: Path) -> Path:
    store = open_store(f"sqlite:///{path}")
    store.journal.identify_writer()
    store.close()
    return path


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


@pytest.mark.full
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
