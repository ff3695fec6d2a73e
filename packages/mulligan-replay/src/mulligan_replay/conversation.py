"""Messages put together into turns: who asked what, which calls answered it, and the reply.

The parts of a message are read by the base, as from a live conversation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import is_feedback
from mulligan.types.turn import (
    MOST_MESSAGES,
    Answered,
    CallAsked,
    Speaker,
    UnreadPart,
    Utterance,
    read_message,
)
from mulligan_replay.shapes import is_flagged, read_shape
from mulligan_replay.trace import TracedCall, TracedTurn

_LANGCHAIN = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_TIMES = ("timestamp", "created_at", "createdAt", "created", "at", "time")
_EARLIEST, _LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_NO_TIME = datetime.min.replace(tzinfo=UTC)
_MOST_CALLS = 1_000
"""Calls of one turn: what comes after them is another turn."""


def is_message(value: object) -> bool:
    """Whether a value is one message of a conversation, or has the shape of one."""
    return isinstance(value, Mapping) and (is_known(value) or bool(read_shape(value)))


def is_known(value: Mapping[str, Any]) -> bool:
    """Whether it is a message in a form that is known."""
    kind = str(value.get("type"))
    if value.get("kind") in ("request", "response"):
        return isinstance(value.get("parts"), list)
    if value.get("lc") == 1:
        return kind == "constructor" and _find_class(value) in _LANGCHAIN
    if isinstance(value.get("role"), str):
        return any(name in value for name in ("content", "parts", "tool_calls", "function_call"))
    if kind in ("function_call", "function_call_output", "mcp_call", "reasoning"):
        return True
    return kind in _LANGCHAIN and ("content" in value or isinstance(value.get("data"), Mapping))


def read_parts(message: Mapping[str, Any]) -> list[object]:
    """The parts of one message, whichever library wrote it down."""
    if message.get("type") == "reasoning":
        return []
    parts: list[object] = []
    if is_known(message):
        parts += read_message(_normalize(message))
    listed = isinstance(message.get("content"), list) and message.get("role") == "tool"
    if not listed and any(isinstance(each, CallAsked | Answered) for each in parts):
        return parts
    shaped: list[object] = [part for each in read_shape(message) for part in read_message(each)]
    if not parts or any(isinstance(each, CallAsked | Answered) for each in shaped):
        parts = shaped
    return [*parts, *_list_unread(message, len(parts))]


_QUIET = {"text", "output_text", "thinking", "redacted_thinking", "reasoning", "refusal", "None"}


def _list_unread(message: Mapping[str, Any], read: int) -> list[object]:
    """Blocks of the agent's that nothing was read from; the person's are told of by the base."""
    content = message.get("content")
    if message.get("role") == "user" or not isinstance(content, list):
        return []
    blocks = [b for b in content if isinstance(b, Mapping) and str(b.get("type")) not in _QUIET]
    return [UnreadPart()] * (len(blocks) - read)


def _normalize(message: Mapping[str, Any]) -> object:
    """A message in a form that the base reads."""
    if message.get("kind") in ("request", "response"):
        parts = [SimpleNamespace(**part) for part in message["parts"] if isinstance(part, dict)]
        given = message.get("instructions")
        return SimpleNamespace(parts=parts, instructions=given if isinstance(given, str) else None)
    if message.get("lc") == 1:
        role = _LANGCHAIN[_find_class(message)]
        return {**_as_dict(message.get("kwargs")), "role": role, "type": None}
    if isinstance(message.get("parts"), list) and isinstance(message.get("role"), str):
        return {
            "role": _find_role(message),
            "content": list(map(_normalize_part, message["parts"])),
        }
    if message.get("type") in _LANGCHAIN and message.get("role") is None:
        held = _as_dict(message.get("data")) or message
        return {**held, "role": _LANGCHAIN[message["type"]], "type": None}
    if message.get("role") == "tool" and is_flagged(message):
        return {**message, "is_error": True}
    return message


def _find_role(message: Mapping[str, Any]) -> str:
    """Results of tools stand in a message of the tool, or of the user, as the version has it."""
    return "user" if message["role"] == "tool" else str(message["role"])


def _normalize_part(part: object) -> object:
    """A part as OpenTelemetry's conventions have it, as the block that the base reads."""
    held = _as_dict(part)
    match held.get("type"):
        case "text":
            return {"type": "text", "text": held.get("content", held.get("text"))}
        case "tool_call":
            given = held.get("arguments")
            return {"type": "tool_use", **_pick(held, "id", "name"), "input": given}
        case "tool_call_response":
            came = held.get("result", held.get("response"))
            return {"type": "tool_result", "tool_use_id": held.get("id"), "content": came}
        case _:
            return held


def _pick(held: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: held[name] for name in names if name in held}


def _find_class(message: Mapping[str, Any]) -> str:
    named = message.get("id")
    return str(named[-1]) if isinstance(named, list) and named else ""


def _as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def read_time(value: object) -> datetime | None:
    """A moment in any form that logs have: ISO, or seconds to nanoseconds since the epoch."""
    try:
        if isinstance(value, str):
            if not value.isdecimal():
                found = datetime.fromisoformat(value)
                return _check_time(found if found.tzinfo else found.replace(tzinfo=UTC))
            value = int(value)
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            return None
        for scale in (1, 1_000, 1_000_000, 1_000_000_000):
            if value / scale < _LATEST.timestamp():
                return _check_time(datetime.fromtimestamp(value / scale, UTC))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _check_time(moment: datetime) -> datetime | None:
    return moment if _EARLIEST <= moment <= _LATEST else None


def find_time(held: Mapping[str, Any]) -> datetime | None:
    """When a message or a record says that it was made."""
    for name in _TIMES:
        if (found := read_time(held.get(name))) is not None:
            return found
    parts = held.get("parts")
    if isinstance(parts, list):
        told = (find_time(part) for part in parts if isinstance(part, dict))
        return next((each for each in told if each is not None), None)
    return None


class _Open(Struct):
    """The turn that messages are added to."""

    said: list[str] = field(default_factory=list)
    calls: dict[str, TracedCall] = field(default_factory=dict)
    reply: str = ""
    at: datetime | None = None
    tokens: int = 0

    @property
    def is_answered(self) -> bool:
        """Whether the agent has done anything for it yet."""
        return bool(self.calls or self.reply)


class Conversation:
    """One conversation, whose messages come one after another; it yields each turn when it ends."""

    def __init__(self, name: str, *, where: str = "") -> None:
        self._name = name
        self._where = where
        self._open = _Open()
        self._before: deque[object] = deque(maxlen=MOST_MESSAGES)
        self._number = 0
        self.unread = 0
        """Parts of messages that could not be read, such as pictures."""

    def add(
        self, message: Mapping[str, Any], *, asked: datetime | None = None
    ) -> Iterator[TracedTurn]:
        """Take in one message; `asked` is when a person said it, if it does not say so itself."""
        at = find_time(message)
        self._open.tokens += count_tokens(message)
        for part in read_parts(message):
            match part:
                case Utterance():
                    yield from self._add_words(part, at or asked)
                case CallAsked():
                    yield from self._add_call(part, at)
                case Answered():
                    self._add_answer(part, at)
                case UnreadPart():
                    self.unread += 1

    def end(self) -> Iterator[TracedTurn]:
        """The last turn, if there is one."""
        if self._open.said or self._open.calls:
            yield self._close()

    def _add_words(self, part: Utterance, at: datetime | None) -> Iterator[TracedTurn]:
        if not part.text.strip() or is_feedback(part.text):
            return
        match part.by:
            case Speaker.PERSON:
                if self._open.is_answered:
                    yield self._close()
                self._open.said.append(part.text)
                self._open.at = self._open.at or at
            case Speaker.AGENT:
                self._open.reply = part.text
            case Speaker.APPLICATION:
                self._before.append(part)

    def _add_call(self, part: CallAsked, at: datetime | None) -> Iterator[TracedTurn]:
        if len(self._open.calls) >= _MOST_CALLS:
            yield self._close()
        key = part.id or f"{part.tool}-{len(self._open.calls)}"
        if key in self._open.calls:
            key = f"{key}-{len(self._open.calls)}"
        self._open.calls[key] = TracedCall(
            tool=str(part.tool), id=str(key), arguments=part.arguments, answered=False, at=at
        )

    def _add_answer(self, part: Answered, at: datetime | None) -> None:
        """Give a call its result; one that nobody asked for is counted."""
        waiting = [
            key
            for key, call in self._open.calls.items()
            if not call.answered and (part.id in ("", key) or key.startswith(f"{part.id}-"))
        ]
        if not part.id and part.tool:
            waiting = [key for key in waiting if self._open.calls[key].tool == part.tool]
        if not waiting:
            self.unread += 1
            return
        call = self._open.calls[waiting[0]]
        seconds = (at - call.at).total_seconds() if at and call.at and at >= call.at else None
        error = (str(part.result) or "failed") if part.failed else None
        self._open.calls[waiting[0]] = replace(
            call, result=None if error else part.result, error=error, answered=True, seconds=seconds
        )

    def _close(self) -> TracedTurn:
        held, self._open = self._open, _Open()
        self._number += 1
        turn = TracedTurn(
            id=f"{self._name}#{self._number}",
            message="\n".join(dict.fromkeys(held.said)),
            calls=tuple(held.calls.values()),
            reply=held.reply,
            at=held.at,
            before=tuple(self._before),
            tokens=held.tokens or None,
            where=self._where,
        )
        self._before.extend(list_entries(turn))
        return turn


def list_entries(turn: TracedTurn) -> Iterator[Utterance | Execution]:
    """A turn as part of the conversation before the next one."""
    if turn.message:
        yield Utterance(by=Speaker.PERSON, text=turn.message)
    for call in turn.calls:
        if call.answered:
            yield Execution(
                call=Call(id=call.id, tool=call.tool, server=call.server, arguments=call.arguments),
                outcome=Outcome.SUCCESS if call.error is None else Outcome.FAILURE,
                at=call.at or _NO_TIME,
                duration=timedelta(seconds=call.seconds or 0),
                result=call.result if call.error is None else call.error,
            )
    if turn.reply:
        yield Utterance(by=Speaker.AGENT, text=turn.reply)


def count_tokens(held: Mapping[str, Any]) -> int:
    """What a message or an answer says that it used; 0 where it does not."""
    used = held.get("usage") or held.get("usage_metadata")
    kwargs = held.get("kwargs")
    if used is None and isinstance(kwargs, dict):
        used = kwargs.get("usage_metadata")
    if not isinstance(used, Mapping):
        return 0
    total = used.get("total_tokens")
    if isinstance(total, int):
        return total
    names = ("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens")
    return sum(value for name in names if isinstance(value := used.get(name), int))


def read_conversation(
    messages: Iterable[object], *, name: str, where: str = ""
) -> tuple[list[TracedTurn], int]:
    """The turns of messages that are all there, and how many of them could not be read."""
    conversation, turns, unread = Conversation(name, where=where), list[TracedTurn](), 0
    for message in messages:
        if is_message(message):
            turns += conversation.add(message)  # type: ignore[arg-type]
        else:
            unread += 1
    turns += conversation.end()
    return turns, unread + conversation.unread


OUTCOMES: Sequence[str] = ("correct", "success", "passed", "reward", "score")


def find_outcome(held: Mapping[str, Any]) -> bool | None:
    """Whether a record says that its run went well: a reward, a score from 0 to 1, a thumb."""
    for name in OUTCOMES:
        value = held.get(name)
        if isinstance(value, bool):
            return value
        if isinstance(value, int | float) and 0 <= value <= 1:
            return value >= 0.5
    thumb = held.get("feedback") or held.get("thumb")
    if isinstance(thumb, Mapping):
        return find_outcome(thumb)
    return {"up": True, "down": False, "positive": True, "negative": False}.get(str(thumb).lower())
