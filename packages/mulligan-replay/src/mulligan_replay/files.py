"""Files as a stream of JSON values: lines, arrays, values one after another, gzip, protobuf and
SQLite. Memory is bounded by the largest single value, and that by `LARGEST`.
"""

from __future__ import annotations

import gzip
import io
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from hashlib import blake2b
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from msgspec import msgpack  # noqa: TID251 - the form of LangGraph, not ours

from mulligan.codec import decode_json, encode_json
from mulligan_replay.trace import Unread

LARGEST = 32 * 1024 * 1024
"""Bytes of one value: what is larger is counted as unread."""
CHUNK = 1024 * 1024
SESSION = "session "
"""How the place of a message begins that stood in a session of openai-agents."""
_GZIP, _SQLITE = b"\x1f\x8b", b"SQLite format 3\x00"
_BLANK = b" \t\r\n\xef\xbb\xbf"
_MARKS = re.compile(rb'["\\\[\]{}]')
_MOST_DEEP = 500
"""Levels of one value: what a log holds is flatter by far."""

Told = Callable[[int], None]
"""Is told how many bytes of a file have been read."""


Stream = io.BufferedReader | gzip.GzipFile


class FileItem(NamedTuple):
    """One value of a file."""

    value: object
    where: str
    group: int = 0
    """The number of the array it stood in; values beside each other in one may belong together."""


_NO_TRACES = ("-shm", "-wal", ".html")
"""How files end that stand beside traces: what SQLite is about to write, and reports."""


def list_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files that are named, and in order those of the folders that are, but hidden ones."""
    return [file for path in map(Path, paths) for file in _list_folder(path)]


def _list_folder(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.is_file()
        and not file.name.endswith(_NO_TRACES)
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )


def read_items(path: Path, *, told: Told = lambda _: None) -> Iterator[FileItem | Unread]:
    """Every value of a file, and what of it is none."""
    try:
        with path.open("rb") as raw:
            head = raw.read(16)
            raw.seek(0)
            if head.startswith(_SQLITE):
                yield from _read_sqlite(path)
                return
            counted = _Counted(raw, told)
            packed = head.startswith(_GZIP)
            yield from _read_stream(gzip.GzipFile(fileobj=counted) if packed else counted)
    except (OSError, EOFError, zlib.error) as error:
        yield Unread(why=f"the file cannot be read on: {type(error).__name__}")


class _Counted(io.BufferedReader):
    """A file that tells how much of it was read."""

    def __init__(self, raw: IO[bytes], told: Told) -> None:
        super().__init__(raw)  # type: ignore[arg-type]
        self._told = told

    def read(self, size: int | None = -1, /) -> bytes:
        """As the file does."""
        got = super().read(size)
        self._told(len(got))
        return got


def _read_stream(stream: Stream) -> Iterator[FileItem | Unread]:
    head = stream.read(CHUNK)
    first = head.lstrip(_BLANK)[:1]
    if not first:
        yield Unread(why="the file is empty")
        return
    if first not in b"[{":
        yield from _read_protobuf(head, stream)
        return
    chunks = _Chunks(head, stream)
    if first == b"{" and _is_value(chunks.peek_line()):
        yield from _read_lines(chunks)
    else:
        yield from _Values().split(chunks)


class _Chunks:
    """A stream whose beginning was looked at."""

    def __init__(self, head: bytes, stream: Stream) -> None:
        self._head = head
        self._stream = stream

    def peek_line(self) -> bytes:
        """The first line that is not blank, which stays to be read."""
        while b"\n" not in self._head.lstrip(_BLANK) and len(self._head) <= LARGEST:
            more = self._stream.read(CHUNK)
            if not more:
                break
            self._head += more
        return self._head.lstrip(_BLANK).split(b"\n", 1)[0]

    def __iter__(self) -> Iterator[bytes]:
        """Everything, the beginning included."""
        yield self._head
        while more := self._stream.read(CHUNK):
            yield more


def _is_value(text: bytes) -> bool:
    return not isinstance(_decode(text, ""), Unread)


def _read_lines(chunks: _Chunks) -> Iterator[FileItem | Unread]:
    """A value a line: a broken one costs no other."""
    for number, line in _split_lines(chunks):
        where = f"line {number}"
        if line is None:
            yield Unread(why=_too_large(), where=where)
        elif line.strip(_BLANK):
            yield _decode(line, where)


def _split_lines(chunks: _Chunks) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number; `None` for one that is too large."""
    number, parts, size = 1, list[bytes](), 0
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            yield number, b"".join((*parts, line)) if size + len(line) <= LARGEST else None
            number, parts, size = number + 1, [], 0
        size += len(rest)
        parts = [*parts, rest] if size <= LARGEST else []
    if size:
        yield number, b"".join(parts) if size <= LARGEST else None


def _too_large() -> str:
    return f"a value is larger than {LARGEST // 1024 // 1024} MB"


def _decode(text: bytes, where: str, group: int = 0) -> FileItem | Unread:
    if not _is_flat(text):
        return Unread(why="a value is nested too deeply", where=where)
    try:
        return FileItem(decode_json(text.strip(_BLANK)), where, group)
    except (ValueError, RecursionError):
        return Unread(why="not JSON", where=where)


def _is_flat(text: bytes) -> bool:
    """Whether no value is nested deeper than anything that reads it can go."""
    return text.count(b"[") + text.count(b"{") <= _MOST_DEEP or _measure_depth(text) <= _MOST_DEEP


def _measure_depth(text: bytes) -> int:
    splitter = _Splitter()
    splitter.add(text)
    return splitter.deepest


class _Splitter:
    """Follows brackets and strings through chunks."""

    def __init__(self) -> None:
        self.depth = 0
        self.deepest = 0
        self._inside = False
        self._skipped = -1

    def add(self, text: bytes) -> list[tuple[int, bytes]]:
        """Places of the brackets outside strings, each with its sign."""
        found: list[tuple[int, bytes]] = []
        for mark in _MARKS.finditer(text):
            at, sign = mark.start(), mark.group()
            if at == self._skipped:
                continue
            if sign == b"\\":
                self._skipped = at + 1 if self._inside else -1
            elif sign == b'"':
                self._inside = not self._inside
            elif not self._inside:
                self.depth += 1 if sign in b"[{" else -1
                self.deepest = max(self.deepest, self.depth)
                found.append((at, sign))
        self._skipped -= len(text)
        return found


class _Values:
    """Values one after another; of an array, its elements."""

    def __init__(self) -> None:
        self._marks = _Splitter()
        self._held = b""
        self._start = -1
        self._in_array = False
        self._lost = False
        self._group = self._number = 0

    def split(self, chunks: _Chunks) -> Iterator[FileItem | Unread]:
        """Each of them, as soon as its last bracket has come."""
        for chunk in chunks:
            offset, depth = len(self._held), self._marks.depth
            self._held += chunk
            for at, sign in self._marks.add(chunk):
                depth += 1 if sign in b"[{" else -1
                if depth < 0:
                    yield self._say("not JSON: a bracket closes nothing")
                    return
                yield from self._follow(offset + at, sign, depth)
            self._let_go()
        if self._start >= 0 or self._marks.depth:
            yield self._say("not JSON: the file ends within a value")

    def _follow(self, place: int, sign: bytes, depth: int) -> Iterator[FileItem | Unread]:
        base = 1 if self._in_array else 0
        if sign == b"[" and depth == 1:
            self._in_array, self._group, self._number = True, self._group + 1, 0
        elif sign in b"[{" and depth == base + 1:
            self._start = place
        elif depth == base and self._start >= 0:
            yield self._take(place + 1)
        elif depth == 0:
            self._in_array = False

    def _take(self, end: int) -> FileItem | Unread:
        text, lost = self._held[self._start : end], self._lost
        self._start, self._lost = -1, False
        told = self._say(_too_large())
        self._number += 1
        return told if lost else _decode(text, told.where, self._group)

    def _say(self, why: str) -> Unread:
        place = f"item {self._number + 1}"
        return Unread(why=why, where=place if self._group < 2 else f"array {self._group}, {place}")

    def _let_go(self) -> None:
        """Keep no more than the value that has begun."""
        self._held = self._held[self._start :] if self._start >= 0 else b""
        self._start = min(self._start, 0)
        if len(self._held) > LARGEST:
            self._held, self._lost = b"", True


def _read_protobuf(head: bytes, stream: Stream) -> Iterator[FileItem | Unread]:
    """OTLP as protobuf: one message, or several with their lengths before them."""
    data = head + stream.read(LARGEST - len(head) + 1)
    if len(data) > LARGEST:
        yield Unread(why=f"neither JSON nor SQLite, and {_too_large()}")
        return
    try:
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
    except ImportError:
        yield Unread(
            why="neither JSON nor SQLite; protobuf needs `pip install opentelemetry-proto`"
        )
        return
    for number, part in enumerate(_split_lengths(data), start=1):
        where = f"message {number}"
        try:
            message = TracesData.FromString(part)
            found = MessageToDict(message) if message.resource_spans else None
        except (DecodeError, ValueError, RecursionError):
            found = None
        if found is None:
            yield Unread(why="neither JSON, SQLite nor OTLP protobuf", where=where)
        else:
            yield FileItem(found, where)


def _split_lengths(data: bytes) -> list[bytes]:
    """The messages of a collector's file, each after its length in four bytes; else all as one."""
    parts, at = [], 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if not size or at + 4 + size > len(data):
            return [data]
        parts.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return parts if parts and at == len(data) else [data]


def _read_sqlite(path: Path) -> Iterator[FileItem | Unread]:
    """The sessions of openai-agents, or the checkpoints of LangGraph."""
    # What a program that still runs has written last is in a second file, which `immutable` skips.
    wal = path.with_name(f"{path.name}-wal")
    mode = "ro" if wal.exists() and wal.stat().st_size else "ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            found = False
            for read in (each for name, each in _TABLES.items() if name in tables):
                for item in read(db):
                    found = True
                    yield item
            if not found:
                yield Unread(why="SQLite without messages of openai-agents or LangGraph")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield Unread(why=f"SQLite that cannot be read on: {type(error).__name__}")


def _read_sessions(db: sqlite3.Connection) -> Iterator[FileItem | Unread]:
    """One message a row."""
    rows = db.execute(
        "SELECT session_id, CASE WHEN length(message_data) <= ? THEN message_data END "
        "FROM agent_messages ORDER BY session_id, id",
        [LARGEST],
    )
    for group, (_, held) in enumerate(groupby(rows, key=itemgetter(0)), start=1):
        for number, (_, message) in enumerate(held, start=1):
            where = f"{SESSION}{group}, message {number}"
            if message is None:
                yield Unread(why=_too_large(), where=where)
            else:
                yield _decode(str(message).encode(errors="replace"), where, group)


def _read_checkpoints(db: sqlite3.Connection) -> Iterator[FileItem | Unread]:
    """Each message of a thread once, with the time of the checkpoint that has it first."""
    rows = db.execute(
        "SELECT thread_id, checkpoint_ns, type, "
        "CASE WHEN length(checkpoint) <= ? THEN checkpoint END FROM checkpoints "
        "ORDER BY thread_id, checkpoint_ns, checkpoint_id",
        [LARGEST],
    )
    group = 0
    for number, (_, thread) in enumerate(groupby(rows, key=itemgetter(0)), start=1):
        seen = set[str]()  # what a graph within a graph shares with it is there twice
        for _, graph in groupby(thread, key=itemgetter(1)):
            group += 1
            for at, (_, _, kind, state) in enumerate(graph, start=1):
                where = f"thread {number}, checkpoint {at}"
                yield from _read_checkpoint(kind, state, where, seen, group)


def _read_checkpoint(
    kind: str, state: bytes | None, where: str, seen: set[str], group: int
) -> Iterator[FileItem | Unread]:
    if state is None:
        yield Unread(why=_too_large(), where=where)
        return
    try:
        held = _CHECKPOINTS[kind](state)
        channels = held["channel_values"].values()
    except KeyError:
        yield Unread(why="a checkpoint that is encrypted, or has no state", where=where)
        return
    except (ValueError, TypeError, AttributeError, RecursionError):
        yield Unread(why="a checkpoint that cannot be decoded", where=where)
        return
    messages = chain.from_iterable(each for each in channels if isinstance(each, list))
    for place, message in enumerate(messages):
        if not isinstance(message, dict) or not {"type", "lc"} & message.keys():
            continue
        named = message.get("id")
        if isinstance(named, str) and named in seen:
            continue
        try:
            text = encode_json(message)
        except (ValueError, TypeError, RecursionError):
            yield Unread(why="a message that cannot be decoded", where=where)
            continue
        mark = named if isinstance(named, str) else f"{place} {blake2b(text).hexdigest()}"
        if mark not in seen:
            seen.add(mark)
            found = _decode(text, where, group)
            if isinstance(found, FileItem):
                told = {"message": found.value, "timestamp": held.get("ts")}
                found = found._replace(value=told)
            yield found


def _read_object(_: int, data: memoryview) -> object:
    """What LangGraph would make an object of stays plain: its module, its class and its fields."""
    held = msgpack.decode(data, ext_hook=_read_object)
    return held[2] if isinstance(held, list) and len(held) > 2 else None


_CHECKPOINTS: Mapping[str, Callable[[bytes], Any]] = {
    "msgpack": partial(msgpack.decode, ext_hook=_read_object),
    "json": decode_json,
}
_TABLES: Mapping[str, Callable[[sqlite3.Connection], Iterator[FileItem | Unread]]] = {
    "agent_messages": _read_sessions,
    "checkpoints": _read_checkpoints,
}
