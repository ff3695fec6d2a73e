"""What is damaged is noticed, or it is proven that nothing was lost."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from mulligan.stores.database import Session
from mulligan.stores.opening import open_store
from mulligan.stores.relational.journal import JournalTables
from mulligan.stores.sqlite import files as sqlite_files
from mulligan.stores.sqlite import store as health
from mulligan.stores.watermarks import Watermark, unpack_watermark
from mulligan.types.action import State
from mulligan.types.errors import StoreDamagedError
from mulligan.types.log import Batch
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row, make_next_entry
from tests.stores.damage import (
    COMMITS,
    FRAME,
    WAL_HEADER,
    Files,
    count_rows,
    everything,
    fast_folder,
    make_files,
    reopen,
)
from tests.stores.flips import count_flips

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def files() -> Files:
    return make_files()


@pytest.fixture
def folder():
    with fast_folder() as folder:
        yield folder


def cuts(size: int) -> list[int]:
    """The beginning and the middle of every third frame, and of the header."""
    starts = range(WAL_HEADER, size, 3 * FRAME)
    return sorted({0, 8, *starts, *(start + FRAME // 2 for start in starts), size - 1})


def flip(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def notice(url: str, files: Files) -> bool:
    """Whether a store is refused as damaged. One that is not must be whole."""
    try:
        store = reopen(url)
    except StoreDamagedError:
        return True
    try:
        assert everything(store) == files.journal
    except StoreDamagedError:
        return True
    finally:
        store.close()
    return False


def test_undamaged_files_open_with_everything_in_them(files: Files, folder: Path) -> None:
    with files.laid_out(folder) as url:
        noticed = notice(url, files)

    assert not noticed
    assert files.frames > 100


def test_a_write_ahead_log_cut_anywhere_is_noticed(files: Files, folder: Path) -> None:
    wal = files.content["family.db-wal"]
    noticed = 0

    for size in cuts(len(wal)):
        with files.laid_out(folder, **{"family.db-wal": wal[:size]}) as url:
            noticed += notice(url, files)

    print(f"{len(cuts(len(wal)))} cuts at {files.frames} frames: {noticed} noticed, rest harmless")
    assert noticed == len(cuts(len(wal)))


def test_a_refusal_leaves_the_damaged_files_as_they_were(files: Files, folder: Path) -> None:
    broken = flip(files.content["family.db-wal"], 8 * (WAL_HEADER + 20 * FRAME + 999))

    with files.laid_out(folder, **{"family.db-wal": broken}) as url:
        refused = [notice(url, files), notice(url, files)]

    assert refused == [True, True]
    assert (folder / "family.db-wal").read_bytes() == broken
    assert (folder / "family.db").read_bytes() == files.content["family.db"]


@pytest.mark.parametrize("page", range(1, 12))
def test_a_page_of_the_main_file_overwritten_is_noticed_or_harmless(
    files: Files, folder: Path, page: int
) -> None:
    main = bytearray(files.content["family.db"])
    main[page * 4096 : page * 4096 + 4096] = random.Random(page).randbytes(4096)

    with files.laid_out(folder, **{"family.db": bytes(main)}) as url:
        notice(url, files)


def test_a_changed_entry_is_noticed_in_the_main_file(files: Files, folder: Path) -> None:
    with files.laid_out(folder) as url:
        reopen(url).close()
    main = (folder / "family.db").read_bytes()
    place = main.rindex(b"executed")
    (folder / "family.db").write_bytes(main[:place] + b"verified" + main[place + 8 :])

    with pytest.raises(StoreDamagedError):
        reopen(url)


@pytest.mark.parametrize(
    "changes",
    [{"family.db-wal": None}, {"family.db": None, "family.db-wal": None}],
    ids=["without its write-ahead log", "empty"],
)
def test_a_journal_that_was_replaced_is_noticed(files: Files, folder: Path, changes) -> None:
    with files.laid_out(folder, **changes) as url, pytest.raises(StoreDamagedError) as caught:
        reopen(url)

    assert "entries are lost" in str(caught.value)
    assert "mulligan doctor --accept-damage NOTE" in str(caught.value)


def test_accepted_damage_is_on_record_and_writing_goes_on(files: Files, folder: Path) -> None:
    wal = files.content["family.db-wal"][: WAL_HEADER + 40 * FRAME]
    with files.laid_out(folder, **{"family.db-wal": wal}) as url:
        store = reopen(url, tolerate_damage=True)
        damages = store.journal.verify()
        left = [action.id for action in store.journal.list_open_actions()]

        accepted = store.journal.accept_damage("the disk was replaced")

        assert accepted == len(damages) > 0
        assert 0 < len(left) < COMMITS
        assert store.journal.verify() == []
        assert store.check_health().problems == ()
        store.close()
        again = reopen(url)
        assert (
            again.journal.submit([make_next_entry(left[0], State.VERIFIED, version=3)]).exception()
            is None
        )
        assert again.journal.submit([make_first_entry("new")]).exception() is None
        assert again.journal.verify() == []
        again.close()


def test_a_missing_mark_is_a_problem_but_no_refusal(files: Files, folder: Path) -> None:
    with files.laid_out(folder, **{"family.db.mark": None}) as url:
        store = reopen(url)

        problems = store.check_health().problems
        store.journal.accept_damage("looked through the open actions")

        assert len(problems) == 1
        assert "no mark" in problems[0]
        assert store.check_health().problems == ()
        assert everything(store) == files.journal
        store.close()


def test_a_mark_whose_writer_is_missing_proves_another_file(files: Files, folder: Path) -> None:
    other = Watermark(writer="ab" * 16, commits=0).pack()

    refused = pytest.raises(StoreDamagedError, match="is not in this file, but its mark is")
    with files.laid_out(folder, **{"family.db.mark": other}) as url, refused:
        reopen(url)


def test_a_torn_mark_accuses_nobody(files: Files, folder: Path) -> None:
    mark = files.content["family.db.mark"]
    assert unpack_watermark(mark) is not None

    for bit in range(len(mark) * 8):
        torn = flip(mark, bit)
        assert unpack_watermark(torn) is None
    with files.laid_out(folder, **{"family.db.mark": flip(mark, 5)}) as url:
        store = reopen(url)

    assert len(store.check_health().problems) == 1
    store.close()


def test_a_cut_log_opens_and_counts_exactly_what_it_lost(files: Files, folder: Path) -> None:
    wal = files.content["family.log.db-wal"]
    lossy = 0

    for size in cuts(len(wal)):
        with files.laid_out(folder, **{"family.log.db-wal": wal[:size]}) as url:
            reopen(url).close()
            store = reopen(url)
            there, lost = count_rows(store)
            store.close()
        assert there + lost == files.rows
        lossy += lost > 0

    print(f"{len(cuts(len(wal)))} cuts of the log: {lossy} with counted losses, rest harmless")
    assert lossy > len(cuts(len(wal))) // 2


def test_a_corrupt_log_is_set_aside_and_never_a_refusal(files: Files, folder: Path) -> None:
    with files.laid_out(folder) as url:
        reopen(url).close()
    log = folder / "family.log.db"
    log.write_bytes(log.read_bytes()[:4096] + b"\xff" * 200_000)

    store = reopen(url)

    assert everything(store) == files.journal
    assert count_rows(store) == (0, files.rows)
    assert len(list(folder.glob("family.log.db.damaged-*"))) >= 1
    store.close()


def test_a_shortened_log_is_a_problem_until_its_loss_is_counted(files, folder) -> None:
    whole = files.content["family.log.db-wal"]
    # Behind the schema, and before the last rows.
    wal = whole[: WAL_HEADER + (len(whole) - WAL_HEADER) // FRAME * 3 // 4 * FRAME]
    with files.laid_out(folder, **{"family.log.db-wal": wal}) as url:
        looking = open_store(url, migrate=False, tolerate_damage=True)
        problems, left = looking.check_health().problems, looking.check_health().rows
        looking.close()
        counting = open_store(url)
        later = counting.check_health().problems
        counting.close()

    assert len(problems) == 1
    assert f"The log lost {files.rows - left} rows (damage)" in problems[0]
    assert left < files.rows
    assert later == ()


@pytest.mark.parametrize("part", ["family.db", "family.log.db"])
@pytest.mark.parametrize("wal", [None, b""], ids=["deleted", "emptied"])
def test_a_file_without_its_write_ahead_log_is_damaged_and_not_old(tmp_path, part, wal) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    store.journal.submit([make_first_entry("a")]).result()
    store.log.write(Batch(rows=[make_log_row()]))
    names = [file.name for file in tmp_path.iterdir() if not file.name.endswith("-shm")]
    content = {name: (tmp_path / name).read_bytes() for name in names}
    store.close()
    for file in tmp_path.iterdir():
        file.unlink()
    for name, data in (content | {f"{part}-wal": wal}).items():
        if data is not None:
            (tmp_path / name).write_bytes(data)

    with pytest.raises(StoreDamagedError) as caught:
        open_store(url, migrate=False, tolerate_damage=True)

    assert str(tmp_path / part) in str(caught.value)
    assert "schema" not in str(caught.value)


def test_a_file_that_was_set_aside_is_named(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    open_store(url).close()
    (tmp_path / "family.log.db").write_bytes(b"no database" * 1000)

    store = open_store(url)

    [problem] = store.check_health().problems
    aside = min(file for file in tmp_path.iterdir() if ".damaged-" in file.name)
    assert problem.startswith(f"{aside} was damaged and set aside")
    store.close()


def test_where_files_have_no_modes_nobody_is_told_to_change_them(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(health, "HAS_MODES", False)
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    (tmp_path / "family.db").chmod(0o644)

    found = store.check_health()

    assert found.problems == ()
    assert "the folder's permissions decide" in " ".join(found.caveats)
    store.close()


def test_a_writer_that_begins_during_the_look_is_no_problem(tmp_path, monkeypatch) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    looking, late = open_store(url), open_store(url)
    read_heads = JournalTables.read_heads

    def read_late(journal: JournalTables):
        late.journal.submit([make_first_entry("meanwhile")]).result()
        return read_heads(journal)

    monkeypatch.setattr(JournalTables, "read_heads", read_late)

    assert looking.check_health().problems == ()
    looking.close()
    late.close()


PAGE_FLIPS = int(os.environ.get("MULLIGAN_TEST_FLIPS", "60"))
"""More of them: `MULLIGAN_TEST_FLIPS=500 pytest packages/mulligan/tests/stores/test_damage.py`."""


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "left open"])
def test_a_bit_flipped_in_any_kind_of_page_gives_no_wrong_answer(closed: bool) -> None:
    found = count_flips(PAGE_FLIPS // 2, closed=closed)

    kinds = {kind for kind, _ in found}
    silent = {kind: times for (kind, what), times in found.items() if what == "silent"}
    assert silent == {}
    assert kinds >= {"table leaf", "table internal", "index leaf", "index internal", "overflow"}
    assert kinds >= {"freelist", "header"}
    assert closed or "log ahead" in kinds
    assert sum(times for (_, what), times in found.items() if what == "noticed") > 0


@pytest.mark.parametrize(
    ("most_bytes", "checked"),
    [(sqlite_files.CHECKED_LOG_BYTES, {"family.db", "family.log.db"}), (1, {"family.db"})],
)
def test_a_log_is_checked_when_it_is_opened_up_to_a_size_that_no_command_waits_for(
    tmp_path, monkeypatch, most_bytes, checked
) -> None:
    looked_at: set[str] = set()
    check = sqlite_files.check_structure

    def watch(session: Session, path: Path) -> str | None:
        looked_at.add(path.name)
        return check(session, path)

    monkeypatch.setattr(sqlite_files, "check_structure", watch)
    monkeypatch.setattr(sqlite_files, "CHECKED_LOG_BYTES", most_bytes)
    open_store(f"sqlite:///{tmp_path}/family.db").close()

    assert looked_at == checked
