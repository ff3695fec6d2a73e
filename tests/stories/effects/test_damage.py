"""A store that is damaged, or gone, is noticed before anything is undone with another's values."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mulligan.types.errors import StoreError
from tests.stories.effects.family import Family, die_after_two_moves, run_until_killed
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import act, declare_move, open_app

LEAF_OF_AN_INDEX = 10
"""The first byte of such a page in SQLite's file format."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two events were renamed by a process that was killed; what they were called is kept."""
    remote = StoryRemote(tmp_path / "ledger")
    remote.create({"title": "Dinner"}, name="dinner", by="person")
    remote.create({"title": "Lunch"}, name="lunch", by="person")
    run_until_killed(die_after_two_moves, tmp_path)
    found = tmp_path / "family.db"
    with sqlite3.connect(found) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    return found


def list_kept(store: Path) -> list[tuple[int, str]]:
    """Where the two snapshots are: row and owner."""
    connection = sqlite3.connect(store)
    rows = connection.execute("select rowid, owner from kept where name = 'before'").fetchall()
    connection.close()
    return [(int(row), str(owner)) for row, owner in rows]


def swap_in_the_index(store: Path) -> None:
    """Bits flip in one page of the vault's index: each name leads to the other's row."""
    (first, its_owner), (second, other_owner) = list_kept(store)
    data = bytearray(store.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for start in range(size, len(data), size):
        page = data[start : start + size]
        if page[0] == LEAF_OF_AN_INDEX:
            for owner, row, other in ((its_owner, first, second), (other_owner, second, first)):
                page = page.replace(
                    owner.encode() + b"before" + bytes([row]),
                    owner.encode() + b"before" + bytes([other]),
                )
            data[start : start + size] = page
    assert bytes(data) != store.read_bytes()
    store.write_bytes(bytes(data))


def swap_the_values(store: Path) -> None:
    """Two rows of the vault change places, each with the checksum that belongs to its value."""
    rows = [row for row, _ in list_kept(store)]
    connection = sqlite3.connect(store)
    found = [
        connection.execute("select value, checksum from kept where rowid = ?", [row]).fetchone()
        for row in rows
    ]
    for row, (value, checksum) in zip(rows, reversed(found), strict=True):
        connection.execute(
            "update kept set value = ?, checksum = ? where rowid = ?", [value, checksum, row]
        )
    connection.commit()
    connection.close()


def read_titles(store: Path) -> tuple[str, str]:
    remote = StoryRemote(store.parent / "ledger")
    return remote.get("dinner")["title"], remote.get("lunch")["title"]


@pytest.mark.full
@pytest.mark.parametrize("damage", [swap_in_the_index, swap_the_values])
async def test_a_snapshot_of_another_event_is_not_written_back(
    store: Path, damage: Callable[[Path], None]
) -> None:
    damage(store)

    # Noticed, and nothing undone: that is all that is asked for.
    with suppress(StoreError), Family(store.parent, rejects=True).m as m:
        await m.recover()

    dinner, lunch = read_titles(store)
    assert dinner in ("Party", "Dinner")
    assert lunch in ("Picnic", "Lunch")


async def test_nothing_is_done_once_the_store_was_deleted_under_the_application(
    tmp_path: Path,
) -> None:
    remote = StoryRemote()
    remote.create({"day": "Monday"}, name="dinner", by="person")
    # Noticed, and nothing done: that is all that is asked for.
    with suppress(StoreError), open_app(f"sqlite:///{tmp_path}/family.db") as m:
        move = declare_move(m, remote)
        await act(m, lambda: move("dinner", "Friday"))
        delete_files(tmp_path)

        await act(m, lambda: move("dinner", "Saturday"))

    assert remote.get("dinner")["day"] == "Friday"


def delete_files(folder: Path) -> None:
    for file in folder.glob("family.db*"):
        file.unlink()
