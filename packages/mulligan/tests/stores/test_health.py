"""What is wrong with the files is said by whoever only looks."""

from __future__ import annotations

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.relational.journal import JournalTables
from mulligan.stores.sqlite import store as health
from mulligan.stores.sqlite.files import check_structure
from mulligan.types.errors import StoreDamagedError
from mulligan.types.log import Batch
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row
from tests.stores.damage import FRAME, WAL_HEADER, fast_folder, make_files


@pytest.fixture(scope="module")
def files():
    return make_files()


@pytest.fixture
def folder():
    with fast_folder() as folder:
        yield folder


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


def test_a_broken_structure_is_told_in_one_line(tmp_path) -> None:
    class Broken:
        def fetch(self, query):
            return [("*** in database main ***\nTree 4 page 9: bad\nTree 5 page 2: worse",)]

    told = check_structure(Broken(), tmp_path / "family.db")

    assert told == f"{tmp_path}/family.db is damaged: Tree 4 page 9: bad."


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
