"""The tools for one folder, and what each declares about itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import cast

from msgspec import Struct
from msgspec.structs import astuple

from mulligan.runtime.declaration import Declared, Declares, Remote, Undoing
from mulligan.types.call import Record, RecordFunction, ToolFunction
from mulligan.types.effect import Effect, ProbeBy
from mulligan.types.errors import ConflictError
from mulligan_packs.files.errors import (
    ChangedFileError,
    FilesPackError,
    InTheWayError,
    NoSuchFileError,
    OutsideError,
)
from mulligan_packs.files.folder import ABSENT, FOLDER, OURS, FileState, Folder
from mulligan_packs.files.steps import FileStep
from mulligan_packs.typed_dict import TypedDict

MOST = 16 * 1024 * 1024
"""Bytes of a file that is kept to be put back, unless said otherwise."""


class Changed(TypedDict):
    """What a tool says of what it did."""

    path: str
    at: str
    """The version it left."""


class SeenFiles(TypedDict):
    """What is at the paths that a call is about."""

    files: list[FileState]
    at: str


class FileTools(Struct, frozen=True, kw_only=True):
    """The declared tools. An agent is given all of them: `tools=[*tools]`."""

    read_file: ToolFunction
    list_folder: ToolFunction
    write_file: ToolFunction
    append_to_file: ToolFunction
    move_file: ToolFunction
    delete_file: ToolFunction
    make_folder: ToolFunction

    def __iter__(self) -> Iterator[ToolFunction]:
        return iter(astuple(self))


def file_tools(m: Declares, root: str | Path, *, most: int = MOST) -> FileTools:
    """Declare the tools of one folder with an application.

    `most`: bytes of a file that is kept to be put back; a call on a larger one is held.
    """
    folder = Folder(root, most=most)
    desk = FileDesk(folder)
    reads = m.tool(effect=Effect.READ, server=folder.root)
    return FileTools(
        read_file=reads(desk.read_file),
        list_folder=reads(desk.list_folder),
        write_file=m.tool(**_declare(desk, desk.undo_write))(desk.write_file),
        append_to_file=m.tool(**_declare(desk, desk.undo_write))(desk.append_to_file),
        move_file=m.tool(**_declare(desk, desk.undo_move, keeps=False))(desk.move_file),
        delete_file=m.tool(**_declare(desk, desk.undo_delete))(desk.delete_file),
        make_folder=m.tool(**_declare(desk, desk.undo_make, keeps=False))(desk.make_folder),
    )


def prune_kept(root: str | Path, *, older_than: timedelta) -> int:
    """Remove old snapshots of files. How many were removed."""
    until, gone = time.time() - older_than.total_seconds(), 0
    for each in (Path(root) / OURS).iterdir():
        # What another process removes at the same moment is its to count.
        with suppress(FileNotFoundError):
            if each.is_file() and each.stat().st_ctime < until:
                each.unlink()
                gone += 1
    return gone


def _declare(desk: FileDesk, undo: RecordFunction, *, keeps: bool = True) -> Declared:
    """`keeps`: whether the undo needs the content, so that a file may be too large for it."""
    return Declared(
        effect=Effect.REVERSIBLE,
        before=desk.read_before if keeps else desk.read_current,
        read=desk.read_current,
        undo=undo,
        probe=desk.find_call,
        probe_by=ProbeBy.CALL,
        about=desk.name_objects,
        version=read_version,
        undoing=Undoing(same=is_same_files, loses=("when a folder was last changed",)),
        refuses=FilesPackError,
        key="key",
        if_version="if_match",
        remote=Remote(binds=True, lands_within=timedelta()),
        server=desk.folder.root,
        # What a process has not done when it ends, it never does.
    )


class FileDesk:
    """What the tools do, and how it is undone."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def read_file(self, path: str) -> str:
        """The text of a file, by its path from the root."""
        return self.folder.read_bytes(path).decode()

    def list_folder(self, path: str = ".") -> list[str]:
        """The names in a folder; those of folders end with a slash."""
        return [
            f"{name}/" if self._is_folder(str(Path(path) / name)) else name
            for name in self.folder.list_names(path)
        ]

    def _is_folder(self, path: str) -> bool:
        """Whether a name is that of a folder; of a link, whatever it leads to, it is not."""
        try:
            with self.folder.locate(path) as place:
                return place.is_dir()
        except OutsideError:
            return False

    def write_file(
        self, path: str, content: str, *, key: str = "", if_match: str | None = None
    ) -> Changed:
        """Write a text to a file, in place of all that was in it; a new file is made."""
        return self._write(path, lambda _: content.encode(), key=key, if_match=if_match)

    def append_to_file(
        self, path: str, content: str, *, key: str = "", if_match: str | None = None
    ) -> Changed:
        """Add a text at the end of a file; a new file is made."""
        return self._write(path, lambda old: old + content.encode(), key=key, if_match=if_match)

    def move_file(
        self, path: str, to: str, *, key: str = "", if_match: str | None = None
    ) -> Changed:
        """Move or rename a file or a folder; nothing may be there yet."""
        before = self._require(path, to, if_match=if_match)
        if before["files"][0]["at"] == ABSENT:
            raise NoSuchFileError(f"There is nothing at {path!r}.")
        # Nothing where it was, and where it is what it was.
        left = f"{ABSENT}|{before['files'][0]['at']}"
        self._begin(key).move(path, to, left=left)
        return Changed(path=to, at=left)

    def delete_file(self, path: str, *, key: str = "", if_match: str | None = None) -> Changed:
        """Delete a file, or a folder with nothing in it."""
        before = self._require(path, if_match=if_match)
        if before["at"] == ABSENT:
            raise NoSuchFileError(f"There is nothing at {path!r}.")
        self._begin(key).delete(path, over=before["at"])
        return Changed(path=path, at=ABSENT)

    def make_folder(self, path: str, *, key: str = "", if_match: str | None = None) -> Changed:
        """Make a folder."""
        self._require(path, if_match=if_match)
        return Changed(path=path, at=self._begin(key).make_folder(path))

    def _write(
        self,
        path: str,
        change: Callable[[bytes], bytes],
        *,
        key: str,
        if_match: str | None,
    ) -> Changed:
        before = self._require(path, if_match=if_match)
        [file] = before["files"]
        if file["at"].startswith(FOLDER):
            raise InTheWayError(f"{path!r} is a folder.")
        old = b"" if file["at"] == ABSENT else self.folder.read_bytes(path)
        left = self._begin(key).write(path, change(old), over=before["at"], like=file)
        return Changed(path=path, at=left)

    def _require(self, *paths: str, if_match: str | None) -> SeenFiles:
        now = self._look(*paths)
        if if_match is not None and now["at"] != if_match:
            raise ChangedFileError(paths[0])
        return now

    def _begin(self, key: str) -> FileStep:
        return FileStep(folder=self.folder, key=key or "alone")

    def _look(self, *paths: str, keep: bool = False) -> SeenFiles:
        files = [self.folder.read_state(path, keep=keep) for path in paths]
        return SeenFiles(files=files, at="|".join(file["at"] for file in files))

    # What the declarations need.

    def read_before(self, record: Record) -> SeenFiles:
        """What is there before a call, its content put aside."""
        return self._look(*_list_paths(record), keep=True)

    def read_current(self, record: Record) -> SeenFiles:
        """What is there now."""
        return self._look(*_list_paths(record))

    def name_objects(self, record: Record) -> list[str]:
        """The paths that a call is about."""
        return [str(Path(path)) for path in _list_paths(record)]

    def find_call(self, record: Record) -> Changed | None:
        """What a call has left; `None`, and never to come, if it has not."""
        step = FileStep(folder=self.folder, key=record.key)
        if not step.has_landed():
            return None
        return Changed(path=_list_paths(record)[-1], at=step.read_left())

    def undo_write(self, record: Record) -> None:
        """Put the content back, with its permissions and times; what was made goes."""
        [before], [path] = cast("SeenFiles", record.before)["files"], _list_paths(record)
        over = _require_version(record)
        if self._look(path)["at"] != over:
            raise ChangedFileError(path)
        if before["at"] == ABSENT:
            self.folder.take(path, over=over, name=f"{record.key}.taken")
            return
        aside = self.folder.write_aside(
            self.folder.get_kept(str(before["content"])),
            name=f"{record.key}.back",
            mode=before["mode"],
            times=before["times"],
        )
        self.folder.put(aside, path, over=over)

    def undo_delete(self, record: Record) -> None:
        """Put back what was deleted, the very file."""
        FileStep(folder=self.folder, key=record.key).bring_back(_list_paths(record)[0])

    def undo_move(self, record: Record) -> None:
        """Move it back, if it is what was moved and nothing has come to its old place."""
        path, to = _list_paths(record)
        if self._look(path, to)["at"] != _require_version(record):
            raise ChangedFileError(to)
        FileStep(folder=self.folder, key=f"{record.key}.undo").move(to, path)

    def undo_make(self, record: Record) -> None:
        """Remove the folder, if nothing has been put into it."""
        [path] = _list_paths(record)
        self.folder.take(path, over=_require_version(record), name=f"{record.key}.taken")


def read_version(record: Record) -> str:
    """The version in what was read or returned."""
    return cast("SeenFiles | Changed", record.result)["at"]


def is_same_files(before: object, now: object) -> bool:
    """Whether two states have the same content, permissions and times of change."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    if "files" not in before or "files" not in now:
        # What a tool returned says at which version it left it, and no more.
        return bool(before.get("at") == now.get("at"))
    pairs = zip(before["files"], now["files"], strict=True)
    return all(
        was["at"] == there["at"]
        and (was["content"] is None or was["times"][1:] == there["times"][1:])
        for was, there in pairs
    )


def _list_paths(record: Record) -> list[str]:
    given = record.arguments
    return [str(given[name]) for name in ("path", "to") if given.get(name) is not None]


def _require_version(record: Record) -> str:
    if record.version is None:
        raise ConflictError("The version that the call left is unknown.")
    return record.version
