"""One request of one person to one agent, the attempts it takes, and the conversation before it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Correction, Verdict, is_feedback
from mulligan.types.values import hide_fields, require_aware

MOST_MESSAGES = 500
"""The newest messages of a thread that are read."""
MOST_CHARACTERS = 300_000
"""Of all that is read of a thread; the newest first."""

LONGEST_RESULT = 100_000
"""Characters of one text that a tool returned."""
MOST_SESSIONS = 200
"""Clients whose calls are remembered, the latest."""

_EARLIER = datetime.min.replace(tzinfo=UTC)
"""When a call of the conversation was made: most frameworks do not say."""


class Speaker(StrEnum):
    """Whose words they are."""

    PERSON = "person"
    APPLICATION = "application"
    """Its own instructions, such as a system prompt."""
    AGENT = "agent"
    """A model's words: evidence of nothing."""


@hide_fields("text")
class Utterance(Struct, frozen=True, kw_only=True):
    """Something that was said earlier in the conversation."""

    by: Speaker
    text: str


Entry = Utterance | Execution


class History:
    """What was said and returned before a turn, read when it is first needed.

    `since` are messages from the one that the turn is about on, where a run goes on after a wait.
    Not `whole`: more was said that only another system has, such as a provider's server.
    """

    def __init__(
        self,
        messages: Iterable[object] = (),
        *,
        since: Iterable[object] = (),
        left_out: int = 0,
        whole: bool = True,
    ) -> None:
        before, after = list(messages), list(since)
        self._before, self._since = before[-MOST_MESSAGES:], after[-MOST_MESSAGES:]
        self._whole = whole
        self.told: list[str] = []
        """Instructions that are no message."""
        self.outcomes: Mapping[CallKey, bool] = {}
        """Of calls with an effect: whether they stand, or were undone."""
        # Read now: its owner may change or shorten it while the turn goes on.
        self._parts = [list(read_message(message)) for message in (*self._before, *self._since)]
        self._cut = left_out + len(before) + len(after) - len(self._before) - len(self._since)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Everything that fits, the oldest first."""
        return self._read[0]

    @cached_property
    def left_out(self) -> int:
        """How many messages and results were not read, as there is too much of them."""
        return self._cut + self._read[1]

    @property
    def is_partial(self) -> bool:
        """Whether a value may have been said or returned in what was not read."""
        return not self._whole or self.left_out > 0

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The person's words."""
        return self._list_said(Speaker.PERSON)

    @property
    def instructions(self) -> tuple[str, ...]:
        """What the application told the agent; documents may be quoted in it."""
        return (*self._list_said(Speaker.APPLICATION), *self.told)

    def add_instructions(self, text: str) -> None:
        """Instructions that a framework shows its model, and that are no message."""
        if text and text not in self.told:
            self.told.append(text[:MOST_CHARACTERS])

    @cached_property
    def executions(self) -> tuple[Execution, ...]:
        """The calls whose results were seen, less those that were undone."""
        made = [entry for entry in self.entries if isinstance(entry, Execution)]
        stands = [(each, self.outcomes.get(name_call(each.call))) for each in made]
        # What was reviewed and stands may repeat what it was given: that was looked at then.
        return tuple(
            replace(each, call=replace(each.call, arguments={})) if known else each
            for each, known in stands
            if known is not False
        )

    @cached_property
    def proposal(self) -> str:
        """What the agent said directly before the person's message; empty where it said nothing.

        Words beside a call of a tool are not shown in many chats.
        """
        last = self._parts[len(self._before) - 1] if self._before else []
        if any(isinstance(part, CallAsked) for part in last):
            return ""
        said = [part for part in last if isinstance(part, Utterance) and part.text.strip()]
        return "\n".join(each.text for each in said if each.by is Speaker.AGENT)

    def _list_said(self, by: Speaker) -> tuple[str, ...]:
        return tuple(
            each.text for each in self.entries if isinstance(each, Utterance) and each.by is by
        )

    @cached_property
    def _read(self) -> tuple[tuple[Entry, ...], int]:
        # A result may be of a call that was asked for before the wait.
        read, unread = _join_parts(part for parts in self._parts for part in parts)
        room, kept = MOST_CHARACTERS, list[Entry]()
        for entry in reversed(read):
            entry = cut_entry(entry)
            size = _estimate_size(entry)
            if size <= room:
                room -= size
                kept.append(entry)
        return tuple(reversed(kept)), len(read) - len(kept) + unread

    def __bool__(self) -> bool:
        return bool(self._before or self._since or self.told)


def read_history(messages: Iterable[object] | History | None) -> History:
    """The conversation that a caller gives; an error names the message that cannot be read."""
    if messages is None:
        return History()
    if isinstance(messages, History):
        return messages
    if isinstance(messages, str | bytes | Mapping):
        raise ConfigurationError(
            f"history must be a list of messages, not {type(messages).__name__}. {_FORMS}"
        )
    given = list(messages)
    for number, message in enumerate(given):
        known = any(not isinstance(part, UnreadPart) for part in read_message(message))
        if not known and _find_role(message) is None:
            raise ConfigurationError(
                f"Message {number} of history cannot be read: {type(message).__name__}. {_FORMS}"
            )
    return History(given)


CallKey = tuple[str, str, str]
"""What a call of a conversation is known by: its id alone may be that of another one, elsewhere."""


def name_call(call: Call) -> CallKey:
    """The key of a call, as its framework names it."""
    return call.id, call.tool, json.dumps(dict(call.arguments), sort_keys=True, default=str)


def _join_parts(parts: Iterable[MessagePart]) -> tuple[list[Entry], int]:
    """What was said and returned, in order, and how many parts could not be read."""
    asked: dict[str, list[CallAsked]] = {}
    found: list[Entry] = []
    unread = 0
    for part in parts:
        match part:
            case Utterance():
                if part.text.strip() and not is_feedback(part.text):
                    found.append(part)
            case CallAsked():
                asked.setdefault(part.id or part.tool, []).append(part)
            case Answered():
                found.append(_build_entry(part, asked.get(part.id or part.tool, [])))
            case Execution():
                found.append(part)
            case UnreadPart():
                unread += 1
    return found, unread


class UnreadPart:
    """A picture, a document, or whatever else may hold a value that is not read here."""


class CallAsked(NamedTuple):
    """A call as a model asked for it."""

    id: str
    tool: str
    arguments: Mapping[str, object]


class Answered(NamedTuple):
    """What came back of a call."""

    id: str
    tool: str
    result: object
    failed: bool = False


MessagePart = Utterance | CallAsked | Answered | Execution | UnreadPart
"""What a message is made of."""

_SPEAKERS = {
    "user": Speaker.PERSON,
    "human": Speaker.PERSON,
    "assistant": Speaker.AGENT,
    "ai": Speaker.AGENT,
    "model": Speaker.AGENT,
    "system": Speaker.APPLICATION,
    "developer": Speaker.APPLICATION,
}
_TOOLS = ("tool", "function")
_FORMS = (
    "A message is one of OpenAI's, Anthropic's, LangChain's, pydantic-ai's, Bedrock's or Google's, "
    'such as {"role": "user", "content": "…"}.'
)


def _build_entry(answered: Answered, asked: Sequence[CallAsked]) -> Entry:
    """What a tool returned; where its question is unknown, only a text that was shown."""
    if not asked:
        text = answered.result if isinstance(answered.result, str) else str(answered.result)
        return Utterance(by=Speaker.APPLICATION, text=text)
    # Of several calls under one id, it is unknown which of them it answers.
    first, given = asked[0], {str(n): each.arguments for n, each in enumerate(asked)}
    return Execution(
        call=Call(
            id=answered.id,
            tool=first.tool,
            arguments=first.arguments if len(asked) == 1 else given,
        ),
        outcome=Outcome.FAILURE if answered.failed else Outcome.SUCCESS,
        at=_EARLIER,
        duration=timedelta(),
        result=answered.result,
    )


def _find_role(message: object) -> str | None:
    """Who speaks, by any form; `None` where it is no message at all."""
    if isinstance(message, Mapping):
        role = message.get("role") or message.get("type")
    else:
        names = ("role", "type", "kind", "author")
        role = next((r for name in names if (r := getattr(message, name, None))), None)
    return role if isinstance(role, str) else None


def read_message(message: object) -> Iterator[MessagePart]:
    """The parts of one message; one in no known form is counted."""
    try:
        yield from _read_form(message)
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        yield UnreadPart()


def _read_form(message: Any) -> Iterator[MessagePart]:
    if isinstance(message, Utterance | Execution):
        yield message
    elif isinstance(message, Mapping):
        yield from _read_mapping(message)
    elif isinstance(message, tuple) and len(message) == 2:
        yield from _read_said(message[0], message[1])
    elif hasattr(message, "parts"):
        yield from _read_parts(message)
    elif hasattr(message, "author") and hasattr(message, "content"):
        # An event of google-adk: every author but the user is an agent.
        parts = (message.content.parts if message.content is not None else None) or ()
        by = "user" if message.author == "user" else "assistant"
        yield from _read_said(by, [part.model_dump() for part in parts])
    elif hasattr(message, "tool_call_id") or getattr(message, "type", "") in _SPEAKERS:
        yield from _read_langchain(message)
    elif hasattr(message, "model_dump"):
        yield from _read_mapping(message.model_dump())
    else:
        yield UnreadPart()


def _read_mapping(message: Mapping[str, Any]) -> Iterator[MessagePart]:
    kind, role = message.get("type"), message.get("role")
    if isinstance(message.get("data"), Mapping) and kind in (*_SPEAKERS, *_TOOLS):
        # LangChain's own way to write a message down.
        yield from _read_mapping({"role": kind, **message["data"], "type": None})
    elif kind == "function_call":
        given = _read_arguments(message.get("arguments"))
        yield CallAsked(str(message.get("call_id", "")), str(message.get("name", "")), given)
    elif kind == "mcp_call":
        id_, name = str(message.get("id", "")), str(message.get("name", ""))
        yield CallAsked(id_, name, _read_arguments(message.get("arguments")))
        failed = bool(message.get("error"))
        yield Answered(id_, name, message.get("error") or message.get("output"), failed)
    elif kind == "function_call_output":
        yield Answered(str(message.get("call_id", "")), "", _read_content(message.get("output")))
    elif role in _TOOLS:
        failed = message.get("status") == "error" or bool(message.get("is_error"))
        id_, tool = str(message.get("tool_call_id") or ""), str(message.get("name") or "")
        yield Answered(id_, tool, _read_content(message.get("content")), failed)
    elif role is not None:
        yield from _read_said(role, message.get("content", message.get("parts")))
        for call in message.get("tool_calls") or ():
            yield _read_call(call)
        if isinstance(legacy := message.get("function_call"), Mapping):
            yield _read_call({"function": legacy})


def _read_call(call: Any) -> CallAsked:
    """One entry of `tool_calls`, as OpenAI and as LangChain write it."""
    call = call if isinstance(call, Mapping) else call.model_dump()
    inner = call.get("function") or call
    given = inner.get("arguments", inner.get("args"))
    return CallAsked(str(call.get("id") or ""), str(inner.get("name", "")), _read_arguments(given))


def _read_said(role: object, content: object) -> Iterator[MessagePart]:
    """A text, or the blocks of a content: of Anthropic, of Bedrock, of Google, of OpenAI."""
    speaker = _SPEAKERS.get(str(role))
    if isinstance(content, str):
        if speaker is not None:
            yield Utterance(by=speaker, text=content)
        return
    for block in content if isinstance(content, Sequence) else ():
        if isinstance(block, str):
            block = {"text": block}
        elif not isinstance(block, Mapping):
            block = block.model_dump()
        parts = list(_read_block(block, speaker))
        yield from parts
        if not parts and speaker is Speaker.PERSON:
            yield UnreadPart()


def _read_block(block: Mapping[str, Any], speaker: Speaker | None) -> Iterator[MessagePart]:
    text, kind = block.get("text"), str(block.get("type", ""))
    if isinstance(text, str) and not block.get("thought") and speaker is not None:
        yield Utterance(by=speaker, text=text)
    elif kind.endswith("tool_use"):
        given = _read_arguments(block.get("input"))
        yield CallAsked(str(block.get("id", "")), str(block.get("name", "")), given)
    elif kind.endswith("tool_result"):
        failed, came = bool(block.get("is_error")), _read_content(block.get("content"))
        yield Answered(str(block.get("tool_use_id", "")), "", came, failed)
    elif isinstance(used := block.get("toolUse"), Mapping):
        given = _read_arguments(used.get("input"))
        yield CallAsked(str(used.get("toolUseId", "")), str(used.get("name", "")), given)
    elif isinstance(came := block.get("toolResult"), Mapping):
        failed = came.get("status") == "error"
        held = _read_content(came.get("content"))
        yield Answered(str(came.get("toolUseId", "")), "", held, failed)
    else:
        yield from _read_google_block(block)


def _read_google_block(block: Mapping[str, Any]) -> Iterator[MessagePart]:
    if isinstance(called := block.get("function_call") or block.get("functionCall"), Mapping):
        id_, given = str(called.get("id") or ""), _read_arguments(called.get("args"))
        yield CallAsked(id_, str(called.get("name", "")), given)
    came = block.get("function_response") or block.get("functionResponse")
    if isinstance(came, Mapping):
        id_ = str(came.get("id") or "")
        yield Answered(id_, str(came.get("name", "")), came.get("response"))


def _read_parts(message: Any) -> Iterator[MessagePart]:
    """pydantic-ai's requests and responses, and Google's contents."""
    if instructions := getattr(message, "instructions", None):
        yield from _read_said("system", instructions)
    parts = list(message.parts or ())
    # A tool may have its framework show the model more than it returned, as a prompt.
    shown = any(getattr(part, "part_kind", None) == "tool-return" for part in parts)
    for part in parts:
        match getattr(part, "part_kind", None):
            case "user-prompt":
                yield from _read_prompt(part.content, by="system" if shown else "user")
            case "system-prompt":
                yield from _read_said("system", part.content)
            case "text":
                yield from _read_said("assistant", part.content)
            case "tool-call" | "builtin-tool-call":
                yield CallAsked(part.tool_call_id, part.tool_name, _read_arguments(part.args))
            case "tool-return" | "builtin-tool-return":
                failed = getattr(part, "outcome", "success") != "success"
                yield Answered(part.tool_call_id, part.tool_name, part.content, failed)
            case "retry-prompt" if part.tool_name:
                yield Answered(part.tool_call_id, part.tool_name, str(part.content), failed=True)
            case None:
                yield from _read_said(getattr(message, "role", None), [part.model_dump()])


def _read_langchain(message: Any) -> Iterator[MessagePart]:
    if getattr(message, "type", "") == "tool":
        failed = message.status == "error"
        came = _read_content(message.content)
        yield Answered(message.tool_call_id or "", message.name or "", came, failed)
        return
    written = "lc_source" in (getattr(message, "additional_kwargs", None) or {})
    # A summary stands among the messages as the person's, and is a model's.
    yield from _read_said("assistant" if written else message.type, message.content)
    for call in getattr(message, "tool_calls", None) or ():
        yield _read_call(call)


def _read_prompt(content: object, *, by: str) -> Iterator[MessagePart]:
    """A prompt of pydantic-ai: a text, or texts beside pictures and documents."""
    pieces = [content] if isinstance(content, str) or not isinstance(content, Sequence) else content
    for piece in pieces:
        if isinstance(piece, str):
            yield from _read_said(by, piece)
        else:
            yield UnreadPart()


def _read_arguments(given: object) -> Mapping[str, object]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {"arguments": given}
    return given if isinstance(given, Mapping) else {}


def _read_content(content: object) -> object:
    """A result as a value: blocks of text as their text, one that stands alone as it is."""
    if isinstance(content, str) or not isinstance(content, Sequence):
        return content
    found = [
        block.get("text", block.get("json", block)) if isinstance(block, Mapping) else block
        for block in content
    ]
    return found[0] if len(found) == 1 else found


def _estimate_size(entry: Entry) -> int:
    """About how many characters an entry has; it is not gone through further than there is room."""
    if isinstance(entry, Utterance):
        return len(entry.text)
    total, ahead = 0, [entry.result, entry.call.arguments]
    while ahead and total <= MOST_CHARACTERS:
        each = ahead.pop()
        if isinstance(each, str | bytes):
            total += len(each)
        elif isinstance(each, Mapping):
            ahead += [*each.keys(), *each.values()]
            total += 1
        elif isinstance(each, list | tuple | set | frozenset):
            ahead += each
            total += 1
        else:
            total += 10
    return total


NO_HISTORY = History()


class SessionHistories:
    """What was said and returned to each client, for hosts that see single calls alone."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[object, OrderedDict[str, Sequence[Entry]]] = OrderedDict()
        self._cut: set[object] = set()
        """Sessions of which the oldest is gone."""
        self._forgot = False
        """Whole sessions are gone, and whose is unknown."""

    def read(self, session: object, *, whole: bool = True) -> History:
        """The history of a session. Not `whole`: which calls belong to it is uncertain."""
        turns = self._sessions.get(session)
        found = [] if turns is None else [each for turn in turns.values() for each in turn]
        known = session not in self._cut and not (turns is None and self._forgot)
        return History(found, whole=whole and known)

    def put(self, session: object, turn: str, entries: Iterable[Entry]) -> None:
        """What was said and returned in a turn so far; the oldest turns go where it is too much."""
        turns = self._sessions.setdefault(session, OrderedDict())
        self._sessions.move_to_end(session)
        turns[turn] = tuple(map(cut_entry, entries))
        turns.move_to_end(turn)
        while len(turns) > 1 and self._is_too_much(turns.values()):
            turns.popitem(last=False)
            self._cut.add(session)
        while len(self._sessions) > MOST_SESSIONS:
            gone, _ = self._sessions.popitem(last=False)
            self._cut.discard(gone)
            self._forgot = True

    def _is_too_much(self, turns: Iterable[Sequence[Entry]]) -> bool:
        entries = [entry for turn in turns for entry in turn]
        size = sum(map(_estimate_size, entries))
        return len(entries) > MOST_MESSAGES or size > MOST_CHARACTERS


def cut_entry(entry: Entry) -> Entry:
    """An entry with no more than the head of a very long result: one page takes no other's room."""
    if isinstance(entry, Execution) and isinstance(entry.result, str):
        return replace(entry, result=entry.result[:LONGEST_RESULT])
    return entry


NOTHING_KNOWN: Mapping[str, object] = MappingProxyType({})


@hide_fields("message", "known", "history")
class Turn(Struct, frozen=True, kw_only=True):
    """One request of one person to one agent, with what is known about it."""

    id: str
    message: str = ""
    """What the person said, in their words."""
    now: datetime
    """When they said it; aware, never naive."""
    timezone: str | None = None
    """The person's IANA zone. `None` means unknown, and then nothing is resolved in it."""
    agent: str = ""
    context: str = ""
    """What the agent is trying to do, for the log: a phrase, not the person's message."""
    tenant: str = ""
    principal: str = ""
    """Who asked, where one application serves many."""
    session: str = ""
    """The conversation that it is part of, by the name your application has for it."""
    known: Mapping[str, object] = NOTHING_KNOWN
    """Things the application knows: a home address, a calendar."""
    vouched: bool = True
    """Whether the message is known to be the person's. Words that only a client or an agent reports
    can count against a call, and never for it."""
    history: History = NO_HISTORY
    """The conversation before it."""

    def __post_init__(self) -> None:
        require_aware(self.now, name="now")
        for name in ("agent", "context", "tenant", "principal", "session"):
            if not isinstance(getattr(self, name), str):
                raise ConfigurationError(
                    f"{name} must be text, not {type(getattr(self, name)).__name__}. "
                    f"Pass {name}='…' or leave it out."
                )


class Attempt(Struct, frozen=True, kw_only=True):
    """One try of a turn."""

    number: int
    """1, or 2 after a correction."""
    correction: Correction | None = None
    """What the agent was told before this try."""
    calls: tuple[str, ...] = ()
    """Ids of the calls made, in the order they were made."""
    verdict: Verdict | None = None
