"""Calls in what a model wrote: fenced, quoted, as JSON, as Python, with talk around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mulligan.learning.written.literal import (
    ESCAPES,
    LONGEST,
    GarbledError,
    Named,
    Reader,
)
from mulligan.learning.written.python import python_calls
from mulligan.learning.written.whole import read_json, read_whole

NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "func", "api", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "params", "args", "kwargs", "input", "action_input")
MOST_TRIES = 60
"""Places that look like a call and are none; after that the text is left alone."""

_SPECIAL = re.compile(r"<\|[^|<>]{0,40}\|>(?:(?:assistant|user|system|tool)\b)?")
_AROUND_CODE = re.compile(
    r"</?[A-Za-z?!][^<>]{0,60}>|```[A-Za-z]*|#[^\n]*|\bprint\s*(?=\()|\b\w+\s*=(?=\s*$)"
)
"""What may stand between two calls without being talk: tags, fences, comments, assignments."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_DEFINED = re.compile(r"(?:\bdef|\bfunction|\bimport)\s+$")
_AFTER_NAME = re.compile(r"['\"`]?\s*(?P<sign>\(|[:,]?\s*(?=\{))")
_ANY_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*['\"`]?\s*\(|\{")


@dataclass(frozen=True, slots=True)
class Written:
    """One call as it was written: nothing is resolved or checked yet."""

    name: str
    arguments: dict[str, object]
    values: tuple[object, ...] = ()
    """Arguments without a name, in order."""


@dataclass(frozen=True, slots=True)
class _Place:
    call: Written
    start: int
    end: int


def read_calls(written: object, *, tools: Sequence[str]) -> list[list[Written]]:
    """Groups of calls, in order; calls of one group have nothing but punctuation between them."""
    if isinstance(written, list) and written and all(isinstance(each, str) for each in written):
        written = "\n".join(written)
    if not isinstance(written, str):
        return [calls] if (calls := list(calls_of(written, tools))) else []
    if len(written) > LONGEST:
        return []
    text = _unwrapped(written)
    if strict := python_calls(text):
        return [[_from_named(call) for call in strict]]
    places = list(_places(text, _openings(tools), tools))
    if not places:
        places = list(_places(text, _ANY_CALL, tools))
    return _grouped(places, text)


def calls_of(value: object, tools: Sequence[str]) -> Iterator[Written]:
    """The calls in a structure: a list of them, `{name, arguments}`, `{tool: arguments}`."""
    match value:
        case list() | tuple():
            pair = _pair(value, tools)
            if pair:
                yield pair
            else:
                for item in value:
                    yield from calls_of(item, tools)
        case Named():
            yield _from_named(value)
        case dict():
            yield from _from_mapping(value, tools)
        case _:
            return


def arguments_of(value: object) -> dict[str, object] | None:
    """Arguments that may have come as text."""
    if isinstance(value, str):
        value = _from_text(value)
    return value if isinstance(value, dict) else None


def _from_text(text: str) -> object:
    try:
        return read_whole(text)
    except GarbledError:
        return None


def _unwrapped(text: str) -> str:
    """Without the wrapping that is no part of a call: a JSON string around it, special tokens."""
    if text.lstrip().startswith('"'):
        text = _unquoted(text.strip())
    text = _SPECIAL.sub(" ", text)
    return text.replace("\\_", "_")


def _unquoted(text: str) -> str:
    """What a JSON string says, also one that breaks off."""
    strict, inner = read_json(text)
    if not strict:
        inner = _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), text[1:])
    return inner if isinstance(inner, str) else text


def _openings(tools: Sequence[str]) -> re.Pattern[str]:
    """Where a call may start: a tool's name, in either spelling, or an object."""
    names = sorted({_flexible(name) for name in tools if name}, key=len, reverse=True)
    known = "|".join(names)
    return (
        re.compile(rf"(?<![\w.])(?:\w+\.)?(?P<name>{known})(?![\w.])|\{{") if known else _ANY_CALL
    )


def _flexible(name: str) -> str:
    return "[._]".join(re.escape(part) for part in re.split(r"[._]", name))


def _places(text: str, opening: re.Pattern[str], tools: Sequence[str]) -> Iterator[_Place]:
    reader = Reader(text)
    at, tries = 0, 0
    while tries < MOST_TRIES and (found := opening.search(text, at)):
        try:
            calls, end = _read_at(reader, found, tools)
        except (GarbledError, RecursionError):
            calls, end = [], found.end()
            tries += 1
        for call in calls:
            yield _Place(call, found.start(), end)
        at = max(end if calls else found.end(), found.start() + 1)


def _read_at(
    reader: Reader, found: re.Match[str], tools: Sequence[str]
) -> tuple[list[Written], int]:
    text = found.string
    if found.group() == "{":
        value, end = reader.value(found.start())
        calls = list(calls_of(value, tools))
        return (calls, end) if calls else ([], found.end())
    if _DEFINED.search(text, max(0, found.start() - 12), found.start()):
        return [], found.end()
    name = found.group().rstrip("( \n\t\r'\"`")
    rest = _AFTER_NAME.match(text, found.start() + len(name))
    if not rest:
        return [], found.end()
    if rest.group("sign") == "(":
        named, end = reader.arguments(rest.end() - 1, name=name)
        return [_from_named(named)], end
    value, end = reader.value(rest.end())
    return ([Written(name, value)], end) if isinstance(value, dict) else ([], found.end())


def _grouped(places: Sequence[_Place], text: str) -> list[list[Written]]:
    groups: list[list[Written]] = []
    last = -1
    for place in places:
        if last < 0 or _WORD.search(_AROUND_CODE.sub(" ", text[last : place.start])):
            groups.append([])
        groups[-1].append(place.call)
        last = place.end
    return groups


def _from_named(call: Named) -> Written:
    """A sole mapping without a name holds the arguments: `tool({"a": 1})`."""
    if len(call.values) == 1 and not call.keywords and isinstance(call.values[0], dict):
        return Written(call.name, call.values[0])
    return Written(call.name, call.keywords, tuple(call.values))


def _pair(value: Sequence[object], tools: Sequence[str]) -> Written | None:
    """`["tool", {"a": 1}]`."""
    if len(value) != 2 or not isinstance(value[0], str) or not isinstance(value[1], dict):
        return None
    known = {_plain(tool) for tool in tools}
    return Written(value[0], value[1]) if _plain(value[0]) in known else None


def _from_mapping(value: Mapping[str, object], tools: Sequence[str]) -> Iterator[Written]:
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _from_mapping(inner, tools)
        return
    known = {_plain(tool) for tool in tools}
    name_key = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    holder = next((k for k in ARGUMENT_KEYS if arguments_of(value.get(k)) is not None), None)
    if name_key and (holder or _plain(str(value[name_key])) in known):
        rest = {k: v for k, v in value.items() if k not in (name_key, holder)}
        arguments = arguments_of(value[holder]) if holder else rest
        yield Written(str(value[name_key]), arguments or {})
        return
    for key, held in value.items():
        arguments = arguments_of(held)
        if _plain(key) in known and arguments is not None:
            yield Written(key, arguments)
        elif isinstance(held, list | dict) and _plain(key) not in known:
            yield from calls_of(held, tools)


def _plain(name: str) -> str:
    return name.replace(".", "_").casefold()
