"""Nothing outside the root is touched, and an edit of the very moment is put back."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mulligan_packs.files.errors import ChangedFileError, InTheWayError, OutsideError, TooLargeError
from mulligan_packs.files.folder import ABSENT, Folder, swap_files


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "root"
    root.mkdir()
    return Folder(root, most=1000)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret", "a/../../secret", "", ".mulligan/x", "link/a", "link"]
)
def test_paths_that_lead_out_are_refused(folder: Folder, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("secret")
    (Path(folder.root) / "link").symlink_to(tmp_path)

    with pytest.raises(OutsideError):
        folder.read_state(path)


def test_a_content_is_kept_once_and_for_its_owner_alone(folder: Folder) -> None:
    names = {folder.keep(b"milk"), folder.keep(b"milk")}

    [kept] = folder.ours.iterdir()
    assert len(names) == 1
    assert folder.get_kept(names.pop()) == b"milk"
    assert kept.stat().st_mode & 0o077 == 0
    assert folder.ours.stat().st_mode & 0o077 == 0


def test_what_is_too_large_to_be_put_back_is_not_kept(folder: Folder) -> None:
    (Path(folder.root) / "big").write_bytes(b"x" * 1001)

    with pytest.raises(TooLargeError, match="1001 bytes"):
        folder.read_state("big", keep=True)


def test_a_file_takes_the_place_only_of_what_was_read(folder: Folder) -> None:
    target = Path(folder.root) / "a"
    target.write_text("milk")
    version = folder.read_state("a")["at"]
    target.write_text("theirs")

    with pytest.raises(ChangedFileError):
        folder.put(folder.write_aside(b"ours"), "a", over=version)
    with pytest.raises(InTheWayError):
        folder.put(folder.write_aside(b"ours"), "a", over=ABSENT)

    assert target.read_text() == "theirs"


def test_two_files_are_swapped_in_one_step_where_the_system_can(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")

    swapped = swap_files(one, other)

    assert (one.read_text(), other.read_text()) == (("2", "1") if swapped else ("1", "2"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_takes_a_files_place_belongs_to_whom_the_file_belonged(folder: Folder) -> None:
    file = Path(folder.root) / "a.txt"
    file.write_text("milk")
    os.chown(file, 1234, 1234)
    file.chmod(0o640)

    folder.put(
        folder.write_aside(b"beer", mode=0o640), "a.txt", over=folder.read_state("a.txt")["at"]
    )

    about = file.stat()
    assert (file.read_text(), about.st_uid, about.st_gid) == ("beer", 1234, 1234)
    assert about.st_mode & 0o777 == 0o640


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="folders are held open on Linux")
def test_a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for each in (root / "sub", outside):
        each.mkdir(parents=True)
    folder = Folder(root, most=1_000)

    with folder.locate("sub/a.txt") as target:
        (root / "sub").rename(root / "moved")
        (root / "sub").symlink_to(outside)
        target.write_text("ours")

    assert list(outside.iterdir()) == []
    assert (root / "moved" / "a.txt").read_text() == "ours"


def test_nothing_is_kept_where_a_link_leads(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / ".mulligan").symlink_to(outside)

    with pytest.raises(OutsideError, match="is a link"):
        Folder(root, most=1_000).keep(b"secret")

    assert list(outside.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_half_a_file_takes_no_room_where_there_was_none_for_all_of_it(folder: Folder) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            folder.write_aside(b"x" * 200, name="k1.back")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert list(folder.ours.iterdir()) == []
