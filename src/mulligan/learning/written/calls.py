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
from mulligan.learning.written.python import parse_python
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
_AFTER_NAME = re.compile(
    r"['\"`]?\s*+(?P<sign>\(|(?:[:,]\s*+)?"
    r"(?:(?:action[ _]|tool[ _])?(?:input|arguments?|args|parameters?)\s*+[:=]\s*+)?"
    r"(?:```\w*+\s*+)?(?=\{))",
    re.IGNORECASE,
)
"""What may stand between a name and its arguments, as in `Action: find`, `Action Input: {…}`."""
_ANY_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*['\"`]?\s*\(|\{")


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """One call as it was written: nothing is resolved or checked yet."""

    name: str
    arguments: dict[str, object]
    values: tuple[object, ...] = ()
    """Arguments without a name, in order."""


@dataclass(frozen=True, slots=True)
class _Place:
    call: WrittenCall
    start: int
    end: int


def read_calls(written: object, *, tools: Sequence[str]) -> list[list[WrittenCall]]:
    """Groups of calls, in order; calls of one group have nothing but punctuation between them."""
    if isinstance(written, list) and written and all(isinstance(each, str) for each in written):
        written = "\n".join(written)
    if not isinstance(written, str):
        return [calls] if (calls := list(find_calls(written, tools))) else []
    if len(written) > LONGEST:
        return []
    text = _unwrap_text(written)
    if strict := parse_python(text):
        return [[_from_named(call) for call in strict]]
    places = list(_find_places(text, _compile_openings(tools), tools))
    if not places:
        places = list(_find_places(text, _ANY_CALL, tools))
    return _group_calls(places, text)


def find_calls(value: object, tools: Sequence[str]) -> Iterator[WrittenCall]:
    """The calls in a structure: a list of them, `{name, arguments}`, `{tool: arguments}`."""
    match value:
        case list() | tuple():
            pair = _match_pair(value, tools)
            if pair:
                yield pair
            else:
                for item in value:
                    yield from find_calls(item, tools)
        case Named():
            yield _from_named(value)
        case dict():
            yield from _from_mapping(value, tools)
        case _:
            return


def decode_arguments(value: object) -> dict[str, object] | None:
    """Arguments that may have come as text."""
    if isinstance(value, str):
        value = _from_text(value)
    return value if isinstance(value, dict) else None


def _from_text(text: str) -> object:
    try:
        return read_whole(text)
    except GarbledError:
        return None


def _unwrap_text(text: str) -> str:
    """Without the wrapping that is no part of a call: a JSON string around it, special tokens."""
    if text.lstrip().startswith('"'):
        text = _unquote_text(text.strip())
    text = _SPECIAL.sub(" ", text)
    return text.replace("\\_", "_")


def _unquote_text(text: str) -> str:
    """What a JSON string says, also one that breaks off."""
    strict, inner = read_json(text)
    if not strict:
        inner = _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), text[1:])
    return inner if isinstance(inner, str) else text


def _compile_openings(tools: Sequence[str]) -> re.Pattern[str]:
    """Where a call may start: a tool's name, in either spelling, or an object."""
    names = sorted({_build_name_pattern(name) for name in tools if name}, key=len, reverse=True)
    known = "|".join(names)
    return (
        re.compile(rf"(?<![\w.])(?:\w+\.)?(?P<name>{known})(?![\w.])|\{{") if known else _ANY_CALL
    )


def _build_name_pattern(name: str) -> str:
    return "[._]".join(re.escape(part) for part in re.split(r"[._]", name))


def _find_places(text: str, opening: re.Pattern[str], tools: Sequence[str]) -> Iterator[_Place]:
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
) -> tuple[list[WrittenCall], int]:
    text = found.string
    if found.group() == "{":
        value, end = reader.parse_value(found.start())
        calls = list(find_calls(value, tools))
        return (calls, end) if calls else ([], found.end())
    if _DEFINED.search(text, max(0, found.start() - 12), found.start()):
        return [], found.end()
    name = found.group().rstrip("( \n\t\r'\"`")
    rest = _AFTER_NAME.match(text, found.start() + len(name))
    if not rest:
        return [], found.end()
    if rest.group("sign") == "(":
        named, end = reader.parse_arguments(rest.end() - 1, name=name)
        return [_from_named(named)], end
    value, end = reader.parse_value(rest.end())
    return ([WrittenCall(name, value)], end) if isinstance(value, dict) else ([], found.end())


def _group_calls(places: Sequence[_Place], text: str) -> list[list[WrittenCall]]:
    groups: list[list[WrittenCall]] = []
    last = -1
    for place in places:
        if last < 0 or _WORD.search(_AROUND_CODE.sub(" ", text[last : place.start])):
            groups.append([])
        groups[-1].append(place.call)
        last = place.end
    return groups


def _from_named(call: Named) -> WrittenCall:
    """A sole mapping without a name holds the arguments: `tool({"a": 1})`."""
    if len(call.values) == 1 and not call.keywords and isinstance(call.values[0], dict):
        return WrittenCall(call.name, call.values[0])
    return WrittenCall(call.name, call.keywords, tuple(call.values))


def _match_pair(value: Sequence[object], tools: Sequence[str]) -> WrittenCall | None:
    """`["tool", {"a": 1}]`."""
    if len(value) != 2 or not isinstance(value[0], str) or not isinstance(value[1], dict):
        return None
    known = {_normalize_name(tool) for tool in tools}
    return WrittenCall(value[0], value[1]) if _normalize_name(value[0]) in known else None


def _from_mapping(value: Mapping[str, object], tools: Sequence[str]) -> Iterator[WrittenCall]:
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _from_mapping(inner, tools)
        return
    known = {_normalize_name(tool) for tool in tools}
    name_key = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    holder = next((k for k in ARGUMENT_KEYS if decode_arguments(value.get(k)) is not None), None)
    if name_key and (holder or _normalize_name(str(value[name_key])) in known):
        rest = {k: v for k, v in value.items() if k not in (name_key, holder)}
        arguments = decode_arguments(value[holder]) if holder else rest
        yield WrittenCall(str(value[name_key]), arguments or {})
        return
    for key, held in value.items():
        arguments = decode_arguments(held)
        if _normalize_name(key) in known and arguments is not None:
            yield WrittenCall(key, arguments)
        elif isinstance(held, list | dict) and _normalize_name(key) not in known:
            yield from find_calls(held, tools)


def _normalize_name(name: str) -> str:
    return name.replace(".", "_").casefold()
