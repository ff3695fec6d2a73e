"""High-water marks: how far each writer got, kept outside the database file.

SQLite opens a shortened write-ahead log as if nothing were wrong, with a shorter history. The
mark is what we hold against it. It is written *after* a commit was synced and is itself never
synced, so it costs no sync and is never ahead of the file unless the file has lost something; a
power cut can only leave it behind, which proves nothing and harms nothing.

The file is an array of 64-byte records, one for each writer. A writer claims its record once,
under a lock, and from then on is the only one to write there, so processes need not agree on
anything else. A record lies within one sector and carries a checksum: one that is torn all the
same counts as unknown, because a wrong mark must never accuse a sound journal.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mulligan.stores.crypto import Signer
from mulligan.types.private_files import hold_lock, open_private, read_at, read_private, write_at

_RECORD = struct.Struct(">16sQQ24s")
_CHECKSUM = struct.Struct(">4sI")
_SIZE = _RECORD.size + _CHECKSUM.size
_MAGIC = b"MARK"
_SIGNED_MAGIC = b"KEYD"
_HALF = 12
_FREE = bytes(_SIZE)


class Watermark(Struct, frozen=True, kw_only=True):
    """How far a writer got."""

    writer: str
    commits: int
    """Transactions it has committed."""
    seq: int = 0
    """Its last entry."""
    proof: bytes = bytes(24)
    """The beginning of that entry's hash; of a signed mark the second half, after the signature."""
    signed: bool = False

    def pack(self) -> bytes:
        """The record in the file."""
        record = _RECORD.pack(bytes.fromhex(self.writer), self.commits, self.seq, self.proof)
        magic = _SIGNED_MAGIC if self.signed else _MAGIC
        return record + _CHECKSUM.pack(magic, zlib.crc32(record))

    def proves(self, found: bytes) -> bool:
        """Whether an entry with that hash is the one that was marked."""
        known = self.proof[_HALF:] if self.signed else self.proof
        return found[: len(known)] == known

    def is_signed(self, signer: Signer) -> bool:
        """Whether it was written with the key."""
        return self.signed and self.proof[:_HALF] == _sign(self, self.proof[_HALF:], signer)


def sign_watermark(mark: Watermark, signer: Signer) -> Watermark:
    """The same mark as only the key can make it."""
    known = mark.proof[:_HALF]
    return replace(mark, signed=True, proof=_sign(mark, known, signer) + known)


def _sign(mark: Watermark, known: bytes, signer: Signer) -> bytes:
    return signer.sign("mark", mark.writer, mark.commits, mark.seq, known)[:_HALF]


class Watermarks(Struct, frozen=True, kw_only=True):
    """Everything a mark file says."""

    found: dict[str, Watermark]
    torn: int = 0
    """Unreadable records; their writers are unknown."""


def unpack_watermark(record: bytes) -> Watermark | None:
    """The mark in a record, or `None` when it is torn."""
    if len(record) != _SIZE:
        return None
    magic, checksum = _CHECKSUM.unpack(record[_RECORD.size :])
    if magic not in (_MAGIC, _SIGNED_MAGIC) or checksum != zlib.crc32(record[: _RECORD.size]):
        return None
    writer, commits, seq, proof = _RECORD.unpack(record[: _RECORD.size])
    signed = magic == _SIGNED_MAGIC
    return Watermark(writer=writer.hex(), commits=commits, seq=seq, proof=proof, signed=signed)


def read_watermarks(content: bytes) -> Watermarks:
    """Every mark in what a mark file holds."""
    records = [content[at : at + _SIZE] for at in range(0, len(content), _SIZE)]
    marks = [unpack_watermark(record) for record in records if record.rstrip(b"\0")]
    found = {mark.writer: mark for mark in marks if mark is not None}
    return Watermarks(found=found, torn=sum(mark is None for mark in marks))


class WatermarkFile:
    """The marks beside one database file; this process has a record of its own in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._offset = 0
        self.trouble: str | None = None
        """Why the mark could not be written. The commit it would have marked stands."""

    def read(self) -> Watermarks:
        """Every mark. Read it *before* the database, or a commit in between looks like a loss."""
        try:
            content = read_private(self._path)
        except OSError as error:
            # A planted link is no mark either.
            if error.errno not in (errno.ENOENT, errno.ELOOP):
                raise
            return Watermarks(found={})
        return read_watermarks(content)

    def write(self, mark: Watermark) -> None:
        """Move this writer's mark; trouble is noted, because the commit it marks is done."""
        try:
            if self._file is None:
                with _lock_file(self._path) as file:
                    # Behind all others, so that it is this writer's alone from now on.
                    self._offset = -(-os.fstat(file).st_size // _SIZE) * _SIZE
                    write_at(file, _FREE, offset=self._offset)
                    self._file = os.dup(file)
            write_at(self._file, mark.pack(), offset=self._offset)
            self.trouble = None
        except OSError as error:
            self.trouble = f"The mark {self._path} could not be written: {error.strerror}."

    def reset(self, marks: Iterable[Watermark]) -> None:
        """Make the file say exactly this; records of writers that are gone become free."""
        left = {mark.writer: mark for mark in marks}
        with _lock_file(self._path) as file:
            size = os.fstat(file).st_size
            for offset in range(0, size, _SIZE):
                here = unpack_watermark(read_at(file, _SIZE, offset=offset))
                mark = None if here is None else left.pop(here.writer, None)
                write_at(file, _FREE if mark is None else mark.pack(), offset=offset)
            for offset, mark in enumerate(left.values(), start=-(-size // _SIZE)):
                write_at(file, mark.pack(), offset=offset * _SIZE)

    def close(self) -> None:
        """Let go of the file. A writer that comes after claims a record of its own."""
        if self._file is not None:
            os.close(self._file)
        self._file = None


@contextmanager
def _lock_file(path: Path) -> Iterator[int]:
    file = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        with hold_lock(file):
            yield file
    finally:
        os.close(file)
