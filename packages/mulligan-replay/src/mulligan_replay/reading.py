"""Recorded runs read from files. Which library wrote one is seen from what is in it."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from mulligan.codec import UndecodableError, describe_record, to_record
from mulligan_replay.conversation import Conversation, is_known, is_message, read_conversation
from mulligan_replay.files import FileItem, Told, read_items
from mulligan_replay.records import Records, is_record
from mulligan_replay.rpc import RpcSession, find_rpc
from mulligan_replay.spans import Traces, list_spans
from mulligan_replay.trace import Found, TracedTool, TracedTurn, Unread

OWN = "mulligan"
"""The field of our own form: `{"mulligan": "turn", …}` or `{"mulligan": "tool", …}`."""
MOST_TALKS = 200
"""Conversations of one file that may still go on; the one that was silent longest ends first."""
_SESSIONS = ("sessionId", "session_id", "thread_id", "conversation_id")
MOST_EXAMPLES = 20
"""Reasons and places that are kept of what could not be read."""


class ReadAccount(Struct, kw_only=True):
    """What was read and what was not. Each value of a file is counted once."""

    values: int = 0
    read: Counter[str] = field(default_factory=Counter)
    """Values by the form they were in."""
    unread: Counter[str] = field(default_factory=Counter)
    """Values by the reason."""
    parts: Counter[str] = field(default_factory=Counter)
    """Parts of values that were read otherwise, by the reason."""
    examples: list[Unread] = field(default_factory=list)

    def note(self, unread: Unread, *, whole: bool) -> None:
        """Count something that could not be read: a whole value, or a part of one."""
        (self.unread if whole else self.parts)[unread.why] += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(unread)


def read_files(
    paths: Iterable[Path], account: ReadAccount, *, told: Told = lambda _: None
) -> Iterator[TracedTurn | TracedTool]:
    """Every turn of some files, in order; `account` is filled meanwhile."""
    waiting: tuple[Path, _Reader] | None = None
    for path in _sort_numbered(paths):
        reader = _Reader(path.name)
        if waiting is not None:
            before, one = waiting
            if before.parent == path.parent:
                reader.go_on(one)
            else:
                yield from _sift(one.end(), account, before, whole=False)
        for item in read_items(path, told=told):
            account.values += 1
            if isinstance(item, Unread):
                account.note(_place(item, path), whole=True)
                continue
            found = reader.try_to_read(item)
            if reader.kind != UNKNOWN:
                account.read[reader.kind] += 1
            yield from _sift(found, account, path, whole=reader.kind == UNKNOWN)
        waiting = (path, reader) if reader.has_one_message else None
        if waiting is None:
            yield from _sift(reader.end(), account, path, whole=False)
    if waiting is not None:
        yield from _sift(waiting[1].end(), account, waiting[0], whole=False)


_DIGITS = re.compile(r"\d{1,18}")


def _sort_numbered(paths: Iterable[Path]) -> Iterator[Path]:
    """The files as they were named; neighbours that differ by a number alone, by that number."""
    for _, alike in groupby(paths, key=lambda path: _DIGITS.sub("", str(path))):
        yield from sorted(alike, key=lambda path: list(map(int, _DIGITS.findall(path.name))))


def _sift(
    found: Iterable[Found], account: ReadAccount, path: Path, *, whole: bool
) -> Iterator[TracedTurn | TracedTool]:
    for each in found:
        if isinstance(each, Unread):
            account.note(_place(each, path), whole=whole)
        else:
            yield each


def _place(unread: Unread, path: Path) -> Unread:
    return Unread(why=unread.why, where=", ".join(filter(None, (path.name, unread.where))))


UNKNOWN = "unknown"


class _Reader:
    """One file: what stands beside each other in it may belong together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._records = Records(name)
        self._traces = Traces(name)
        self._session = RpcSession(name)
        self._talks: OrderedDict[object, Conversation] = OrderedDict()
        self._count = 0
        self.kind = UNKNOWN
        """The form of the latest value."""
        self._values = self._messages = 0

    @property
    def has_one_message(self) -> bool:
        """Whether the file is one message of a conversation, whose others are in files beside."""
        return self._values == self._messages == 1

    def go_on(self, other: _Reader) -> None:
        """Go on with the conversation of the file before."""
        self._talks, self._count = other._talks, other._count

    def try_to_read(self, item: FileItem) -> list[Found]:
        """What one value comes to; one that breaks its form in a way of its own is counted."""
        try:
            return list(self.read(item))
        except Exception as error:  # noqa: BLE001 - a file may hold anything
            self.kind = UNKNOWN
            why = f"a value that breaks its form: {type(error).__name__}"
            return [Unread(why=why, where=item.where)]

    def read(self, item: FileItem) -> Iterator[Found]:
        """Take in one value."""
        value, self.kind = item.value, UNKNOWN
        self._values += 1
        if isinstance(value, list) and any(map(is_message, value)):
            yield from self._read_list(value, item)
        elif not isinstance(value, dict):
            yield Unread(why="in no known form", where=item.where)
        elif value.get(OWN) in ("turn", "tool"):
            yield from self._read_own(value, item)
        elif spans := list_spans(value):
            self.kind = "spans"
            yield from self._traces.add(spans, item.where)
        elif find_rpc(value) is not None:
            self.kind = "MCP messages"
            yield from self._session.add(value, item.where)
        elif (message := find_message(value)) is not None:
            yield from self._read_message(message, item, value)
        elif is_record(value):
            self.kind = "model calls"
            yield from self._records.add(value, item.where)
        else:
            yield Unread(why="in no known form", where=item.where)

    def _read_own(self, value: dict[str, Any], item: FileItem) -> Iterator[Found]:
        placed = {"id": f"{self._name}, {item.where}", **value}
        placed["where"] = f"{self._name}, {item.where}"
        found: Found
        try:
            if value[OWN] == "turn":
                found = to_record(TracedTurn, placed)
            else:
                found = to_record(TracedTool, value)
        except (UndecodableError, RecursionError) as error:
            yield Unread(why=f"no {value[OWN]} of ours: {str(error)[:120]}", where=item.where)
            return
        self.kind = "our own form"
        yield found

    def _read_list(self, messages: list[object], item: FileItem) -> Iterator[Found]:
        self.kind, self._count = name_form(messages), self._count + 1
        name, where = f"{self._name}:{self._count}", f"{self._name}, {item.where}"
        turns, unread = read_conversation(messages, name=name, where=where)
        yield from turns
        if unread:
            yield Unread(why=f"{unread} messages in no known form", where=item.where)

    def _read_message(
        self, message: Mapping[str, Any], item: FileItem, value: Mapping[str, Any]
    ) -> Iterator[Found]:
        """One message of a conversation that is written down line by line."""
        self.kind = name_form([message])
        self._messages += is_known(message)
        session = next((value[name] for name in _SESSIONS if value.get(name)), "")
        key = f"{item.group} {session}"
        talk = self._talks.pop(key, None)
        if talk is None:
            self._count += 1
            where = f"{self._name}, {item.where}"
            talk = Conversation(f"{self._name}:{self._count}", where=where)
        self._talks[key] = talk
        yield from talk.add(message)
        while len(self._talks) > MOST_TALKS:
            yield from _end_talk(self._talks.popitem(last=False)[1])

    def end(self) -> Iterator[Found]:
        """What was waiting for more."""
        while self._talks:
            yield from _end_talk(self._talks.popitem(last=False)[1])
        yield from self._records.end()
        yield from self._traces.end()
        yield from self._session.end()


def _end_talk(talk: Conversation) -> Iterator[Found]:
    yield from talk.end()
    if talk.unread:
        yield Unread(why=f"{talk.unread} parts of messages that are neither text nor calls")


def find_message(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A message that stands alone, or in the envelope of a log or of a coding agent's session."""
    if is_message(value):
        return value
    for name in ("message", "payload", "item"):
        held = value.get(name)
        if isinstance(held, dict) and is_message(held):
            return {**{k: value[k] for k in ("timestamp", "created_at") if k in value}, **held}
    return None


def name_form(messages: list[Any]) -> str:
    """Whose messages they are, as far as one tells."""
    first = next(each for each in messages if is_message(each))
    if not is_known(first):
        return "messages by their shape"
    if first.get("kind") in ("request", "response"):
        return "pydantic-ai messages"
    if first.get("lc") == 1 or (first.get("role") is None and "call_id" not in first):
        return "LangChain messages"
    return "chat messages"


def describe_own_form() -> dict[str, Any]:
    """The JSON Schema of a line of our own form: a turn."""
    schema = describe_record(TracedTurn)
    turn = schema["$defs"][TracedTurn.__name__]
    turn["properties"] = {OWN: {"const": "turn"}, **turn["properties"]}
    turn["required"] = [OWN, *turn.get("required", ())]
    return schema
