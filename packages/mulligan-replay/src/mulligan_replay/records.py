"""Logs of model calls: a record a request, each with the whole conversation so far, or with what is
new and the answer it goes on from.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from mulligan.codec import encode_sorted
from mulligan.types.turn import CallAsked, Utterance
from mulligan_replay.conversation import (
    Conversation,
    count_tokens,
    find_outcome,
    find_time,
    is_message,
    read_parts,
    read_time,
)
from mulligan_replay.trace import Found, TracedTool, TracedTurn, Unread

MOST_OPEN = 500
"""Conversations that may still go on; the one that was silent longest ends first."""

Record = Mapping[str, Any]

_SESSIONS = ("conversation_id", "session_id", "thread_id")
"""What a record may call its conversation by."""
_IDS = ("id", "custom_id")
"""What it may call itself by: its conversation where that is one record, else only this request."""
_STARTS = ("startTime", "start_time")


class _Thread:
    """A conversation of which records tell again and again."""

    def __init__(self, name: str, where: str) -> None:
        self.conversation = Conversation(name, where=where)
        self.seen: list[bytes] = []
        self.answer: list[Record] = []
        """What the model said last: the next record has it among its messages."""
        self.end_mark: bytes = b""
        """Of everything seen with the answer, if there is one: what the next record begins with."""
        self.correct: bool | None = None
        self.tokens = 0

    def go_on(
        self, messages: list[Record], answer: list[Record], asked: datetime | None
    ) -> Iterator[TracedTurn]:
        """Take in what is new; what was said last was said when the model was asked."""
        last = max((n for n, each in enumerate(messages) if each.get("role") == "user"), default=0)
        for number, message in enumerate(messages[len(self.seen) :], start=len(self.seen)):
            yield from self.conversation.add(message, asked=asked if number == last else None)
        self.seen += [_hash(each) for each in messages[len(self.seen) :]]
        self.answer = answer

    def end(self) -> Iterator[TracedTurn]:
        """The rest of it."""
        for message in self.answer:
            yield from self.conversation.add(message)
        for turn in self.conversation.end():
            told = self.tokens or turn.tokens
            yield replace(turn, correct=self.correct, tokens=told)


class Records:
    """Every conversation of a log."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._open: OrderedDict[str, _Thread] = OrderedDict()
        self._by_end: dict[bytes, list[str]] = {}
        """Where the conversations are whose answer the next record should have in it."""
        self._tools: set[str] = set()
        self._count = 0

    def add(self, record: Record, where: str) -> Iterator[Found]:
        """Take in one record."""
        request, answer = _find_request(record), _find_answer(record)
        yield from self._list_tools(request)
        messages = [each for each in _list_messages(request) if is_message(each)]
        unread = sum(not is_message(each) for each in _list_messages(request))
        if unread:
            yield Unread(why=f"{unread} messages in no known form", where=where)
        if not messages and not answer:
            yield Unread(why="a record without messages", where=where)
            return
        yield from self._continue(record, request, messages, answer, where)

    def _continue(
        self,
        record: Record,
        request: Record,
        messages: list[Record],
        answer: list[Record],
        where: str,
    ) -> Iterator[Found]:
        told = str(request.get("previous_response_id") or "")
        session, own = _find_name(record, _SESSIONS), _find_name(record, _IDS)
        key, thread = self._find(told, messages, session, own)
        if thread is None:
            self._count += 1
            name = session or own or str(self._count)
            thread = _Thread(f"{self._file}:{name}", f"{self._file}, {where}")
        elif told:
            # What the answer said is not sent again: it comes before what is new.
            messages = [*thread.answer, *messages]
            thread.seen = []
        yield from thread.go_on(messages, answer, _find_asked(record, request) if answer else None)
        thread.tokens += count_tokens(_find_response(record))
        found = find_outcome(record)
        thread.correct = thread.correct if found is None else found
        key = str(_find_response(record).get("id") or "") if told or _has_output(record) else key
        key = key or f"{self._file}-{self._count}"
        self._open[key] = thread
        if len(answer) == 1:
            thread.end_mark = _mark_end(session, thread.seen, answer[0])
            self._by_end.setdefault(thread.end_mark, []).append(key)
        while len(self._open) > MOST_OPEN:
            key = next(iter(self._open))
            yield from self._take(key).end()

    def _take(self, key: str) -> _Thread:
        """A conversation, no longer open under this key."""
        thread = self._open.pop(key)
        if thread.end_mark:
            keys = self._by_end[thread.end_mark]
            keys.remove(key)
            if not keys:
                del self._by_end[thread.end_mark]
            thread.end_mark = b""
        return thread

    def _find(
        self, told: str, messages: list[Record], session: str, own: str
    ) -> tuple[str, _Thread | None]:
        """The conversation that a record goes on from: by what it names, by the answer that it has
        in it, else by its beginning.
        """
        if told:
            return told, self._take(told) if told in self._open else None
        last = max((n for n, m in enumerate(messages) if m.get("role") == "assistant"), default=0)
        if last:
            end = _mark_end(session, list(map(_hash, messages[:last])), messages[last])
            if end in self._by_end:
                key = self._by_end[end][-1]
                return key, self._take(key)
        own = session or own
        first = next((n for n, each in enumerate(messages) if each.get("role") == "user"), 0)
        # Two runs may begin alike: where a record has an id, only the same id goes on.
        key = _hash([own, *messages[: first + 1]]).hex()
        thread = self._open.get(key)
        if thread is None:
            return key, None
        known = [_hash(each) for each in messages[: len(thread.seen)]]
        if known != thread.seen or len(messages) <= len(thread.seen):
            # It begins alike and goes on otherwise: both are conversations.
            return f"{key}-{self._count}", None
        return key, self._take(key)

    def _list_tools(self, request: Record) -> Iterator[TracedTool]:
        for tool in read_tools(request.get("tools") or request.get("functions")):
            mark = tool.name + _hash(tool.schema).hex()
            if mark not in self._tools:
                self._tools.add(mark)
                yield tool

    def end(self) -> Iterator[Found]:
        """What is still open."""
        unread = 0
        while self._open:
            thread = self._open.popitem(last=False)[1]
            yield from thread.end()
            unread += thread.conversation.unread
        if unread:
            yield Unread(why=f"{unread} parts of messages that are neither text nor calls")


def is_record(value: object) -> bool:
    """Whether a value tells of a model call or of a whole conversation."""
    if not isinstance(value, Mapping):
        return False
    return bool(_list_messages(_find_request(value)) or _find_answer(value))


def _find_name(record: Record, names: Iterable[str]) -> str:
    return next((str(record[name]) for name in names if record.get(name)), "")


def _mark_end(session: str, seen: list[bytes], answer: Record) -> bytes:
    """Logs write an answer with fields that a request leaves out: what it asks for is compared, or
    what it says.
    """
    parts = read_parts(answer)
    asked = [(each.id, each.tool, each.arguments) for each in parts if isinstance(each, CallAsked)]
    said = [each.text for each in parts if isinstance(each, Utterance)]
    return _hash([session, [each.hex() for each in seen], asked or said])


def _find_asked(record: Record, request: Record) -> datetime | None:
    """When the model was asked, as near as the record says."""
    started = (read_time(record.get(name)) for name in _STARTS)
    logged = (find_time(held) for held in (record, request, _find_response(record)))
    return next((each for each in (*started, *logged) if each is not None), None)


def _find_request(record: Record) -> Record:
    for name in ("request", "body", "kwargs", "params"):
        if isinstance(held := record.get(name), Mapping):
            return held
    nested = (each for each in record.values() if isinstance(each, Mapping))
    if not _list_messages(record):
        return next((each for each in nested if _list_messages(each)), record)
    return record


def _find_response(record: Record) -> Record:
    held = record.get("response")
    if isinstance(held, Mapping):
        return held["body"] if isinstance(held.get("body"), Mapping) else held
    return record if record.get("object") in ("chat.completion", "response") else {}


def _has_output(record: Record) -> bool:
    return isinstance(_find_response(record).get("output"), list)


def _find_answer(record: Record) -> list[Record]:
    """What the model answered: chat's first choice, or the items of a response."""
    held = _find_response(record)
    choices, output = held.get("choices"), held.get("output")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return [message] if isinstance(message, Mapping) and is_message(message) else []
    if isinstance(output, list):
        return [each for each in output if is_message(each)]
    return [held] if held.get("role") == "assistant" and is_message(held) else []


def _list_messages(request: Record) -> list[Any]:
    for name in ("messages", "input", "history", "steps"):
        held = request.get(name)
        if isinstance(held, list) and held and isinstance(held[0], Mapping):
            return _with_instructions(request, held)
        if name == "input" and isinstance(held, str) and "model" in request:
            return _with_instructions(request, [{"role": "user", "content": held}])
    return []


def _with_instructions(request: Record, messages: list[Any]) -> list[Any]:
    told = request.get("instructions") or request.get("system")
    return [{"role": "system", "content": told}, *messages] if isinstance(told, str) else messages


def read_tools(given: object) -> Iterator[TracedTool]:
    """Tools as requests to models, spans and servers list them."""
    for each in given if isinstance(given, Iterable) and not isinstance(given, str) else ():
        if not isinstance(each, Mapping):
            continue
        inner = each.get("function")
        held = inner if isinstance(inner, Mapping) else each
        names = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")
        schema = next((s for name in names if isinstance(s := held.get(name), dict)), {})
        notes = each.get("annotations")
        notes = notes if isinstance(notes, Mapping) else {}
        if isinstance(held.get("name"), str) and held["name"]:
            yield TracedTool(
                name=held["name"],
                schema=schema,
                description=str(held.get("description") or ""),
                read_only=_read_flag(notes.get("readOnlyHint")),
                destructive=_read_flag(notes.get("destructiveHint")),
            )


def _read_flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _hash(value: object) -> bytes:
    return hashlib.blake2b(encode_sorted(value), digest_size=12).digest()
