"""A folder, what is in it, and changes that take effect as a whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from mulligan.types.errors import ConflictError
from mulligan_packs.files.errors import (
    AttributesError,
    ChangedFileError,
    InTheWayError,
    LinkedFileError,
    NoSuchFileError,
    OutsideError,
    TooLargeError,
)
from mulligan_packs.typed_dict import TypedDict

OURS = ".mulligan"
"""Where snapshots and unfinished steps are kept. No tool sees it."""
ABSENT = "absent"
NEW_MODE = 0o644
"""The permissions of a file that is made."""
FOLDER = "folder"
"""The version of a folder begins so; its permissions follow, and what is in it by name."""
NOREPLACE, _EXCHANGE = 1, 2  # RENAME_NOREPLACE and RENAME_EXCHANGE of renameat2(2)
_AT_FDCWD = -100


class FileState(TypedDict):
    """What is at a path."""

    path: str
    at: str
    """Its version: `absent`, or what is in it with its permissions and what people tag it with."""
    content: str | None
    """The hash of its content, by which it is kept."""
    mode: int
    times: list[int]
    """Read and changed, in nanoseconds."""


class Folder:
    """Everything under one root."""

    def __init__(self, root: str | Path, *, most: int) -> None:
        self.root = os.fspath(Path(root).resolve(strict=True))
        self.most = most
        """Bytes of a file that is kept to be put back."""

    @property
    def ours(self) -> Path:
        """Our own corner, for its owner alone."""
        found = Path(self.root) / OURS
        found.mkdir(mode=0o700, exist_ok=True)
        if found.is_symlink():
            raise OutsideError(f"{OURS} is a link, and nothing is kept where it leads.")
        return found

    @contextmanager
    def locate(self, path: str) -> Iterator[Path]:
        """A path under the root; one that leads out of it, or over a link, is refused.

        Its folders are held open one after the other, so that none that is swapped for a link
        meanwhile leads elsewhere.
        """
        parts = Path(path).parts
        if not parts or Path(path).is_absolute() or ".." in parts or "\0" in path:
            raise OutsideError(f"{path!r} is no path under the root. Name it from there.")
        if parts[0] == OURS:
            raise OutsideError(f"{OURS} is not for tools.")
        with ExitStack() as stack:
            held = _hold(stack, self.root)
            for part in parts[:-1]:
                try:
                    held = _hold(stack, held / part)
                except (FileNotFoundError, NotADirectoryError):
                    _refuse_link(held / part, path)
                    held = self.ours / "nowhere"  # where nothing ever is
                    break
                except OSError as error:
                    raise OutsideError(_LINK.format(path=path)) from error
            _refuse_link(held / parts[-1], path)
            yield held / parts[-1]

    def list_names(self, path: str) -> list[str]:
        """What is in a folder, less our own corner."""
        if path in ("", "."):
            return [name for name in _list_names(Path(self.root)) if name != OURS]
        with self.locate(path) as target, ExitStack() as stack:
            return _list_names(_hold(stack, target))

    def read_bytes(self, path: str) -> bytes:
        """The content of a file."""
        with self._open(path) as file:
            return file.read()

    @contextmanager
    def _open(self, path: str) -> Iterator[BufferedReader]:
        with self.locate(path) as target:
            try:
                handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError as error:
                raise NoSuchFileError(f"There is no file {path!r}.") from error
            with os.fdopen(handle, "rb") as file:
                yield file

    def _hash_content(self, path: str) -> str:
        with self._open(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def read_state(self, path: str, *, keep: bool = False) -> FileState:
        """What is at a path; `keep`: its content is put aside, to be had back."""
        with self.locate(path) as target:
            return self._read_state(target, path, keep=keep)

    def _read_state(self, target: Path, path: str, *, keep: bool) -> FileState:
        try:
            about = target.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return FileState(path=path, at=ABSENT, content=None, mode=0, times=[])
        times, mode = [about.st_atime_ns, about.st_mtime_ns], stat.S_IMODE(about.st_mode)
        if stat.S_ISDIR(about.st_mode):
            with ExitStack() as stack:
                at = _read_folder_version(_hold(stack, target), mode)
            return FileState(path=path, at=at, content=None, mode=mode, times=times)
        if not stat.S_ISREG(about.st_mode):
            raise OutsideError(f"{path!r} is no file and no folder.")
        if keep and about.st_size > self.most:
            raise TooLargeError(f"{path!r} has {about.st_size} bytes; {self.most} could be kept.")
        kept = self.keep(self.read_bytes(path)) if keep else self._hash_content(path)
        at = _build_version(kept, mode, _hash_tags(target))
        return FileState(path=path, at=at, content=kept, mode=mode, times=times)

    def keep(self, content: bytes) -> str:
        """Put a content aside, under its hash, once. That hash."""
        name = hash_content(content)
        place = self.ours / f"{name}.kept"
        if not place.exists():
            self.write_aside(content).replace(place)
        return name

    def get_kept(self, name: str) -> bytes:
        """A content that was put aside."""
        return (self.ours / f"{name}.kept").read_bytes()

    def write_aside(
        self, content: bytes, *, name: str = "", mode: int = 0o600, times: list[int] | None = None
    ) -> Path:
        """A file that is complete and on disk before it is visible."""
        place = self.ours / (name or f"{uuid.uuid4().hex}.new")
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fchmod(handle, mode)
                os.fsync(handle)
        except OSError:
            # On a full disk half a file would take the last room.
            place.unlink(missing_ok=True)
            raise
        if times:
            os.utime(place, ns=(times[0], times[1]))
        return place

    def put(self, aside: Path, path: str, *, over: str) -> None:
        """Have a file take the place of what is at a path, if that is still at a version."""
        with self.locate(path) as target:
            if over == ABSENT:
                _link_to_nothing(aside, target, path)
                aside.unlink()
            else:
                self._swap(aside, target, path, over=over)
            _flush_folder(target.parent)

    def _swap(self, aside: Path, target: Path, path: str, *, over: str) -> None:
        if self.read_state(path)["at"] != over:
            raise ChangedFileError(path)
        if target.lstat().st_nlink > 1:
            raise LinkedFileError(path)
        _copy_owner(target, aside)
        _copy_attributes(target, aside)
        if not swap_files(aside, target):
            aside.replace(target)
            return
        # What has come out is looked at once more: an edit of this very moment is put back.
        if self.hash_file(aside) != over:
            swap_files(aside, target)
            raise ChangedFileError(path)
        aside.unlink()

    def take(self, path: str, *, over: str, name: str) -> None:
        """Take away what is at a path, if it is at a version."""
        with self.locate(path) as target:
            self._take(target, path, over=over, name=name)

    def _take(self, target: Path, path: str, *, over: str, name: str) -> None:
        if self.read_state(path)["at"] != over:
            raise ChangedFileError(path)
        aside = self.ours / name
        target.rename(aside)
        if self.hash_file(aside) != over:
            _put_back(aside, target)
            raise ChangedFileError(path)
        if not over.startswith(FOLDER):
            aside.unlink()
        else:
            try:
                aside.rmdir()
            except OSError as error:
                _put_back(aside, target)
                raise ConflictError(f"The folder {path!r} is not empty.") from error
        _flush_folder(target.parent)

    def hash_file(self, place: Path) -> str:
        """The version of a file or a folder that lies aside."""
        mode = stat.S_IMODE(place.stat().st_mode)
        if place.is_dir():
            return _read_folder_version(place, mode)
        return _build_version(hash_content(place.read_bytes()), mode, _hash_tags(place))


_LINK = "{path!r} leads over a link, which is not followed."


def _hold(stack: ExitStack, folder: Path | str) -> Path:
    """A folder that is held open: what is found through it is in this very folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    stack.callback(os.close, handle)
    return Path(f"/proc/self/fd/{handle}") if _HAS_HANDLES else Path(folder)


_HAS_HANDLES = Path("/proc/self/fd").is_dir()
"""Elsewhere than on Linux a folder that is swapped in that very moment is followed."""


def _list_names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def _refuse_link(place: Path, path: str) -> None:
    if place.is_symlink():
        raise OutsideError(_LINK.format(path=path))


def _link_to_nothing(aside: Path, target: Path, path: str) -> None:
    try:
        os.link(aside, target)
    except FileExistsError as error:
        raise InTheWayError(f"{path!r} is there already.") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoSuchFileError(f"There is no folder for {path!r}.") from error


def is_full(at: str) -> bool:
    """Whether a version is of a folder with something in it."""
    return at.startswith(FOLDER) and at.count(":") > 1


def foretell_version(content: bytes, *, like: FileState) -> str:
    """The version of a content in the place of a file, or in none."""
    mode = NEW_MODE if like["content"] is None else like["mode"]
    _, _, rest = like["at"].partition(":")
    return _build_version(hash_content(content), mode, rest.partition(":")[2])


def _build_version(content: str, mode: int, more: str) -> str:
    return ":".join(filter(None, (content, f"{mode:o}", more)))


def _read_folder_version(folder: Path, mode: int) -> str:
    inside = "\n".join(_list_names(folder)).encode(errors="surrogateescape")
    return _build_version(FOLDER, mode, hash_content(inside) if inside else "")


def _hash_tags(place: Path) -> str:
    """What people tag a file with; the attributes that the system sets are not theirs."""
    if not hasattr(os, "listxattr"):
        return ""
    try:
        found = os.listxattr(place, follow_symlinks=False)
        names = sorted(name for name in found if name.startswith("user."))
        said = repr([(name, os.getxattr(place, name, follow_symlinks=False)) for name in names])
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        names = []
    return hash_content(said.encode()) if names else ""


def hash_content(content: bytes) -> str:
    """What a content is known by."""
    return hashlib.sha256(content).hexdigest()


def rename_in_one_step(source: Path, target: Path, how: int) -> int:
    """Rename as renameat2(2) does: 0, or its error; `ENOSYS` where the system has no such step."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return errno.ENOSYS
    done = call(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), how)
    code = 0 if done == 0 else ctypes.get_errno()
    return errno.ENOSYS if code == errno.EINVAL else code


def swap_files(one: Path, other: Path) -> bool:
    """Swap two files in one step; `False` where the system cannot, and nothing was done."""
    code = rename_in_one_step(one, other, _EXCHANGE)
    if code not in (0, errno.ENOSYS):
        raise OSError(code, os.strerror(code), str(other))
    return code == 0


def _copy_owner(target: Path, aside: Path) -> None:
    """What takes a file's place belongs to whom the file belonged, where we may say so."""
    was, now = target.lstat(), aside.lstat()
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        with suppress(PermissionError):  # only some may give a file away
            os.chown(aside, was.st_uid, was.st_gid, follow_symlinks=False)
            aside.chmod(stat.S_IMODE(now.st_mode))  # a new owner takes some modes away


def _copy_attributes(target: Path, aside: Path) -> None:
    """What takes a file's place has its extended attributes, where the system has some."""
    if not hasattr(os, "listxattr"):
        return
    try:
        for name in os.listxattr(target, follow_symlinks=False):
            os.setxattr(aside, name, os.getxattr(target, name, follow_symlinks=False))
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise AttributesError(str(error)) from error


def _put_back(aside: Path, target: Path) -> None:
    # What a person has put there by now stays.
    with suppress(OSError):
        if aside.is_dir():
            aside.rename(target)
        else:
            os.link(aside, target)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
