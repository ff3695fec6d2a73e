"""Every operation proven on real files, and everything about a file comes back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from mulligan import Mulligan, State
from mulligan.types.call import Record
from mulligan_packs.files import file_tools, prune_kept
from mulligan_packs.files.errors import FilesPackError, InTheWayError, LinkedFileError
from mulligan_packs.files.folder import Folder, hash_content
from mulligan_packs.files.tools import FileDesk, FileTools, is_same_files
from mulligan_testing.proof import Trial, prove_undo
from tests.packs.proving import act, choose_proven, reject

CALLS = {
    "write": lambda tools: tools.write_file("a.txt", "beer"),
    "create": lambda tools: tools.write_file("new.txt", "beer"),
    "append": lambda tools: tools.append_to_file("a.txt", " and beer"),
    "move": lambda tools: tools.move_file("a.txt", "b.txt"),
    "delete": lambda tools: tools.delete_file("a.txt"),
    "make": lambda tools: tools.make_folder("more"),
}
EDITED = {"create": "new.txt", "move": "b.txt", "make": "more/theirs.txt"}


def look(root: Path) -> dict[str, object]:
    """Everything but our own corner."""
    found = [each for each in root.rglob("*") if ".mulligan" not in each.parts]
    return {
        each.relative_to(root).as_posix(): (
            "folder" if each.is_dir() else (each.read_text(), each.stat().st_mode)
        )
        for each in found
    }


def edit(root: Path, way: str) -> None:
    """A person writes to the file that a call is about, if it is there."""
    target = root / EDITED.get(way, "a.txt")
    if target.parent.exists() and (target.exists() or way in ("make", "delete")):
        target.write_text("theirs")


async def take_back(root: Path, call: Any, **more: Any) -> list[State]:
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        tools = file_tools(m, root, **more)
        return await act(m, lambda: call(tools))


@pytest.mark.full
@pytest.mark.parametrize("way", choose_proven(CALLS, "write", "move"))
async def test_an_undo_holds_whatever_happens_to_it(tmp_path: Path, way: str) -> None:
    def build(**proving):
        root = Path(mkdtemp(dir=tmp_path))
        (root / "a.txt").write_text("milk")
        m = Mulligan("memory:", **proving)
        tools = file_tools(m, root)
        return Trial(
            m=m,
            call=lambda: CALLS[way](tools),
            look=lambda: look(root),
            edit=lambda: edit(root, way),
        )

    proof = await prove_undo(build)

    assert proof.runs >= 20
    assert all(what.startswith("edited") for what in proof.for_a_person)


@pytest.mark.parametrize("way", ["write", "append", "delete"])
async def test_permissions_and_times_come_back(tmp_path: Path, way: str) -> None:
    file = tmp_path / "a.txt"
    file.write_text("milk")
    file.chmod(0o640)
    os.utime(file, ns=(1_000_000_007, 2_000_000_009))

    def work(tools: FileTools) -> None:
        CALLS[way](tools)
        assert look(tmp_path).get("a.txt", ("",))[0] != "milk"

    assert await take_back(tmp_path, work) == []
    assert file.read_text() == "milk"
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.stat().st_mtime_ns == 2_000_000_009


async def test_a_file_that_is_too_large_to_be_kept_is_held(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 100)

    async with Mulligan("memory:", recover=False) as m:
        tools = file_tools(m, tmp_path, most=99)
        async with m.turn("Do it"):
            answer = tools.write_file("a.txt", "beer")

    assert "was not run yet" in str(answer)
    assert (tmp_path / "a.txt").read_text() == "x" * 100


@pytest.mark.parametrize(
    "call",
    [
        lambda tools: tools.write_file("../out", "beer"),
        lambda tools: tools.delete_file("/etc/passwd"),
        lambda tools: tools.move_file("large.txt", "link/away.txt"),
        lambda tools: tools.make_folder("large.txt"),
    ],
)
async def test_what_can_never_be_done_is_refused_and_needs_no_attention(
    tmp_path: Path, call: Callable[[FileTools], object]
) -> None:
    (tmp_path / "large.txt").write_text("x" * 100)
    (tmp_path / "link").symlink_to("..")

    async with Mulligan("memory:", recover=False) as m:
        tools = file_tools(m, tmp_path, most=99)
        async with m.turn("Do it"):
            with pytest.raises(FilesPackError):
                call(tools)

        assert m.insights.open_list.actions() == []


def test_what_was_kept_goes_when_it_is_told_to(tmp_path: Path) -> None:
    Folder(tmp_path, most=100).keep(b"milk")

    assert prune_kept(tmp_path, older_than=timedelta(days=1)) == 0
    assert prune_kept(tmp_path, older_than=timedelta(seconds=-1)) == 1


class BusyFolder(Folder):
    """A folder in which a person writes to whatever is written, at once."""

    def put(self, aside: Path, path: str, *, over: str) -> None:
        super().put(aside, path, over=over)
        (Path(self.root) / path).write_text("theirs")


def test_what_somebody_writes_right_after_a_call_is_not_taken_for_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("milk")
    folder = BusyFolder(tmp_path, most=1_000)

    left = FileDesk(folder).write_file("a.txt", "beer", key="k1")

    assert left["at"] == f"{hash_content(b'beer')}:644"
    assert folder.read_state("a.txt")["at"] == f"{hash_content(b'theirs')}:644"


def test_what_a_tool_returned_is_compared_by_its_version(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("milk")
    desk = FileDesk(Folder(tmp_path, most=1_000))

    left = desk.write_file("a.txt", "beer", key="k1")
    seen = desk.read_current(Record(arguments={"path": "a.txt"}))

    assert is_same_files(left, seen)
    assert not is_same_files({**left, "at": "absent"}, seen)


async def test_extended_attributes_outlive_a_write_and_its_undo(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("milk")
    try:
        os.setxattr(file, "user.colour", b"blue")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    seen = []

    def write(tools: FileTools) -> None:
        tools.write_file("a.txt", "beer")
        seen.append(os.getxattr(file, "user.colour"))

    assert await take_back(tmp_path, write) == []

    assert (file.read_text(), seen) == ("milk", [b"blue"])
    assert os.getxattr(file, "user.colour") == b"blue"


async def test_a_file_of_several_names_is_not_parted_by_a_write(tmp_path: Path) -> None:
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_text("milk")
    other.hardlink_to(file)

    def write(tools: FileTools) -> None:
        with pytest.raises(LinkedFileError, match="hard links"):
            tools.write_file("a.txt", "beer")

    assert await take_back(tmp_path, write) == []

    assert file.samefile(other)
    assert file.read_text() == "milk"


async def test_a_large_file_is_moved_and_moved_back(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("milk" * 100)

    assert await take_back(tmp_path, CALLS["move"], most=10) == []

    assert list(look(tmp_path)) == ["a.txt"]


async def test_a_folder_comes_back_before_what_was_taken_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for name in ("x", "y"):
        (tmp_path / "d" / name).write_text("milk")
    before = look(tmp_path)

    def move(tools: FileTools) -> None:
        tools.move_file("d/x", "x")
        tools.move_file("d", "e")

    assert await take_back(tmp_path, move) == []

    assert look(tmp_path) == before


@pytest.mark.parametrize("way", ["tag", "permissions"])
async def test_what_somebody_has_marked_since_is_not_deleted(tmp_path: Path, way: str) -> None:
    made = tmp_path / "new"

    def make(tools: FileTools) -> None:
        if way == "permissions":
            tools.make_folder("new")
            made.chmod(0o711)
            return
        tools.write_file("new", "beer")
        try:
            os.setxattr(made, "user.theirs", b"keep")
        except OSError:
            pytest.skip("this file system has no extended attributes")

    assert await take_back(tmp_path, make) == [State.CONFLICT]

    assert made.exists()


def test_a_folder_is_not_written_to_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()

    with pytest.raises(InTheWayError, match="is a folder"):
        FileDesk(Folder(tmp_path, most=10)).append_to_file("d", "beer")


@pytest.mark.full
@pytest.mark.parametrize("together", [["one turn"], []])
async def test_folders_and_what_is_in_them_are_undone_by_another_process_from_the_inside(
    tmp_path: Path, together: list[str]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    store = f"sqlite:///{tmp_path}/m.db"
    given = [sys.executable, "-m", "tests.packs.files.killed", str(root), store, *together]
    run = partial(subprocess.run, given, cwd=Path(__file__).parents[3], check=False, timeout=60)
    ended = await asyncio.to_thread(run)

    async with Mulligan(store, checks=[reject], recover=False) as m:
        file_tools(m, root)
        await m.recover()
        left = [(each.opening.tool, each.detail) for each in m.insights.open_list.actions()]

    assert ended.returncode == -signal.SIGKILL
    assert left == []
    assert look(root) == {}
