"""A call under way: what it is about to do is on disk, so that a crash can be decided."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

from msgspec import Struct

from mulligan.types.errors import ConflictError
from mulligan_packs.files.errors import (
    ChangedFileError,
    FilesPackError,
    InTheWayError,
    NoSuchFileError,
)
from mulligan_packs.files.folder import (
    ABSENT,
    NEW_MODE,
    NOREPLACE,
    FileState,
    Folder,
    foretell_version,
    is_full,
    rename_in_one_step,
    swap_files,
)


class FileStep(Struct, frozen=True, kw_only=True):
    """What one call does, under its key."""

    folder: Folder
    key: str

    @property
    def _mark(self) -> Path:
        return self.folder.ours / f"{self.key}.mark"

    @property
    def _new(self) -> Path:
        return self.folder.ours / f"{self.key}.new"

    @property
    def gone(self) -> Path:
        """Where what was deleted is, until it is pruned."""
        return self.folder.ours / f"{self.key}.gone"

    def write(self, path: str, content: bytes, *, over: str, like: FileState) -> str:
        """Put a content at a path, with the permissions of what was there. The version it leaves.

        That is not read from there afterwards: it may be another's by then.
        """
        mode = like["mode"] if like["content"] is not None else NEW_MODE
        aside = self.folder.write_aside(content, name=self._new.name, mode=mode)
        left = foretell_version(content, like=like)
        self._note("write", path, over=over, left=left, inode=aside.stat().st_ino)
        self.folder.put(aside, path, over=over)
        return left

    def delete(self, path: str, *, over: str) -> None:
        """Take away a file, or a folder with nothing in it."""
        if is_full(over):
            raise InTheWayError(f"The folder {path!r} is not empty.")
        with self.folder.locate(path) as target:
            self._note("delete", path, over=over, left=ABSENT, inode=target.lstat().st_ino)
            target.rename(self.gone)
        self._verify_gone(path, over)

    def make_folder(self, path: str) -> str:
        """Make a folder where nothing is. The version it leaves."""
        self._new.mkdir()
        left = self.folder.hash_file(self._new)
        self._note("make", path, over=ABSENT, left=left, inode=self._new.stat().st_ino)
        with self.folder.locate(path) as target:
            _rename_to_nothing(self._new, target, path)
        return left

    def move(self, path: str, to: str, *, left: str = "") -> None:
        """Move a file or folder to where nothing is."""
        with self.folder.locate(path) as source, self.folder.locate(to) as target:
            self._note("move", path, over=to, left=left, inode=source.lstat().st_ino)
            _rename_to_nothing(source, target, to)

    def has_landed(self) -> bool:
        """Whether the call has taken effect; if not, it never will."""
        if not self._mark.exists():
            self._drop_new()
            return False
        mark = json.loads(self._mark.read_text())
        match mark["way"]:
            case "delete":
                return self._has_deleted(mark)
            case "move":
                return self._has_moved(mark)
            case _:
                return self._has_put(mark)

    def read_left(self) -> str:
        """The version that a call which has landed left, whatever is there by now."""
        left: str = json.loads(self._mark.read_text()).get("left", "")
        if not left:
            raise ConflictError("The version that the call left is unknown.")
        return left

    def _has_put(self, mark: dict[str, str | int]) -> bool:
        if not self._new.exists():
            return True
        about = self._new.lstat()
        if about.st_ino != mark["inode"]:
            # Swapped, and what came out was not looked at yet.
            if self.folder.hash_file(self._new) != mark["over"]:
                with self.folder.locate(str(mark["path"])) as target:
                    swap_files(self._new, target)
            else:
                self._new.unlink()
                return True
        landed = about.st_nlink > 1 and self._new.is_file() and about.st_ino == mark["inode"]
        if not landed:
            # First: without what was to be put there, the mark alone says that it was.
            self._mark.unlink()
        self._drop_new()
        return landed

    def _has_deleted(self, mark: dict[str, str | int]) -> bool:
        if not self.gone.exists():
            return False
        try:
            self._verify_gone(str(mark["path"]), str(mark["over"]))
        except ChangedFileError:
            return False
        return True

    def _has_moved(self, mark: dict[str, str | int]) -> bool:
        inodes = [self._find_inode(str(mark[name])) for name in ("path", "over")]
        if mark["inode"] not in inodes:
            raise ConflictError(f"{mark['path']!r} is neither where it was nor where it was to go.")
        # Another name of the same file may have been there all along.
        return inodes[0] != mark["inode"]

    def _find_inode(self, path: str) -> int:
        with self.folder.locate(path) as place:
            return place.lstat().st_ino if os.path.lexists(place) else 0

    def _verify_gone(self, path: str, over: str) -> None:
        """What came out is looked at once more: an edit of that very moment goes back."""
        if self.folder.hash_file(self.gone) != over:
            try:
                self._put_back(path)
            except FilesPackError as error:
                # Something has come there since, and what was taken away is not back.
                raise ConflictError(
                    f"{path!r} was changed as it was taken away, and could not be put back: {error}"
                ) from error
            raise ChangedFileError(path)

    def _put_back(self, path: str) -> None:
        with self.folder.locate(path) as target:
            _rename_to_nothing(self.gone, target, path)

    def bring_back(self, path: str) -> None:
        """Put back what was deleted, once: what was brought back may be deleted again."""
        if self.gone.exists():
            self._put_back(path)

    def _note(self, way: str, path: str, *, over: str, left: str, inode: int) -> None:
        said = {"way": way, "path": path, "over": over, "left": left, "inode": inode}
        self.folder.write_aside(json.dumps(said).encode(), name=self._mark.name)

    def _drop_new(self) -> None:
        if self._new.is_dir():
            self._new.rmdir()
        else:
            self._new.unlink(missing_ok=True)


def _rename_to_nothing(source: Path, target: Path, path: str) -> None:
    """Move something to where nothing is, in one step where the system has one for that."""
    code = rename_in_one_step(source, target, NOREPLACE)
    if code == errno.ENOSYS:
        code = errno.EEXIST if os.path.lexists(target) else 0
        if not code:
            source.rename(target)
    if code == errno.EEXIST:
        raise InTheWayError(f"{path!r} is there already.")
    if code == errno.ENOENT:
        raise NoSuchFileError(f"There is no folder for {path!r}, or nothing to move.")
    if code:
        raise OSError(code, os.strerror(code), str(target))
