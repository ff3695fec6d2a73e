"""Files that somebody else may have planted are refused, with the command that mends it."""

from __future__ import annotations

import os

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.private_files import open_private, refuse_unsafe
from mulligan.types.errors import StoreError, StoreUnavailableError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no modes here")


@pytest.fixture
def url(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/shop.db")
    store.load_secret()
    store.journal.identify_writer()
    store.close()
    return f"sqlite:///{tmp_path}/shop.db"


def test_a_missing_file_is_fine(tmp_path) -> None:
    refuse_unsafe(tmp_path / "nothing", secret=True)


def test_files_as_we_make_them_are_fine(url) -> None:
    open_store(url).close()


@pytest.mark.parametrize("name", ["shop.db", "shop.log.db", "shop.db.mark", "shop.log.db-wal"])
def test_what_anybody_can_change_is_refused_with_the_way_out(url, tmp_path, name) -> None:
    (tmp_path / name).touch()
    (tmp_path / name).chmod(0o666)

    with pytest.raises(StoreUnavailableError, match=rf"mode is 0666.*chmod 600 {tmp_path}/{name}"):
        open_store(url)


def test_a_key_that_others_can_read_is_refused(url, tmp_path) -> None:
    (tmp_path / "shop.db.key").chmod(0o644)

    with pytest.raises(StoreUnavailableError, match=rf"chmod 600 {tmp_path}/shop.db.key"):
        open_store(url)


@pytest.mark.parametrize("name", ["shop.db.mark", "shop.db.key"])
def test_a_planted_link_is_not_followed(url, tmp_path, name) -> None:
    mine = tmp_path / "diary.txt"
    mine.write_text("dear diary")
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(mine)

    with pytest.raises(StoreUnavailableError, match="symbolic link"):
        open_store(url)

    assert mine.read_text() == "dear diary"


def test_a_mark_with_a_second_name_is_not_written(url, tmp_path) -> None:
    (tmp_path / "diary.txt").hardlink_to(tmp_path / "shop.db.mark")

    with pytest.raises(StoreUnavailableError, match="second name"):
        open_store(url)


def test_a_link_planted_under_a_running_store_is_not_followed(tmp_path) -> None:
    mine = tmp_path / "diary.txt"
    mine.write_text("dear diary")
    (tmp_path / "mark").symlink_to(mine)

    with pytest.raises(OSError, match="symbolic"):
        open_private(tmp_path / "mark", os.O_RDWR | os.O_CREAT)


def test_a_database_may_lie_elsewhere(url, tmp_path) -> None:
    (tmp_path / "linked.db").symlink_to(tmp_path / "shop.db")

    open_store(f"sqlite:///{tmp_path}/linked.db").close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["shop.db", "shop.db.key", "shop.db.mark"])
def test_a_file_of_another_user_is_refused(url, tmp_path, name) -> None:
    os.chown(tmp_path / name, 4321, 4321)

    with pytest.raises(StoreUnavailableError, match=r"another user \(number 4321\)"):
        open_store(url)


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
