"""A call that was killed half way is decided by what lies on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.types.errors import ConflictError, NothingDone
from mulligan_packs.files.errors import InTheWayError
from mulligan_packs.files.folder import ABSENT, Folder
from mulligan_packs.files.steps import FileStep


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path, most=1000)


def test_a_write_that_has_not_begun_has_not_landed(folder: Folder) -> None:
    assert not FileStep(folder=folder, key="k").has_landed()


def test_a_write_that_was_killed_before_it_took_effect_never_does(
    folder: Folder, tmp_path: Path
) -> None:
    step = FileStep(folder=folder, key="k")
    aside = folder.write_aside(b"ours", name="k.new")
    step._note("write", "a", over=ABSENT, left="", inode=aside.stat().st_ino)

    assert not step.has_landed()
    assert not aside.exists()
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("way", ["write", "make"])
def test_who_looks_again_since_the_first_was_killed_finds_the_same(
    folder: Folder, tmp_path: Path, way: str
) -> None:
    step, aside = FileStep(folder=folder, key="k"), tmp_path / folder.ours / "k.new"
    if way == "make":
        aside.mkdir()
    else:
        folder.write_aside(b"ours", name="k.new")
    step._note(way, "a", over=ABSENT, left="", inode=aside.stat().st_ino)

    assert [step.has_landed() for _ in range(2)] == [False, False]
    assert not (tmp_path / "a").exists()


def test_a_write_that_took_effect_is_found_whatever_was_written_since(
    folder: Folder, tmp_path: Path
) -> None:
    step = FileStep(folder=folder, key="k")
    like = folder.read_state("a")
    step.write("a", b"ours", over=ABSENT, like=like)
    (tmp_path / "a").write_text("theirs")

    assert FileStep(folder=folder, key="k").has_landed()


def test_a_delete_is_found_by_what_it_put_aside(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("milk")
    step = FileStep(folder=folder, key="k")
    step.delete("a", over=folder.read_state("a")["at"])

    assert FileStep(folder=folder, key="k").has_landed()
    assert not (tmp_path / "a").exists()


def test_a_move_goes_to_where_nothing_is(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("milk")
    (tmp_path / "b").write_text("theirs")
    step = FileStep(folder=folder, key="k")

    with pytest.raises(InTheWayError):
        step.move("a", "b")

    assert not step.has_landed()
    assert (tmp_path / "b").read_text() == "theirs"


def test_what_was_taken_away_and_could_not_be_put_back_is_not_called_untouched(
    folder: Folder, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("theirs, of this very moment")

    class Crowded(FileStep):
        def _verify_gone(self, path: str, over: str) -> None:
            (tmp_path / "a").write_text("a third one")
            super()._verify_gone(path, over)

    with pytest.raises(ConflictError, match="could not be put back") as raised:
        Crowded(folder=folder, key="k").delete("a", over="as it was before")

    assert not isinstance(raised.value, NothingDone)
    assert (tmp_path / "a").read_text() == "a third one"


def test_a_move_onto_another_name_of_the_same_file_has_not_landed(
    folder: Folder, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("milk")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    step = FileStep(folder=folder, key="k")
    with pytest.raises(InTheWayError):
        step.move("a", "b")

    assert not FileStep(folder=folder, key="k").has_landed()
