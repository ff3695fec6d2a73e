"""Where calls stand in a text: a tool's name with its arguments, or an object that is a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.written.literal import GarbledError, Reader
from mulligan.learning.written.spelling import is_like, match_tool
from mulligan.learning.written.structures import WrittenCall, build_call, find_calls, from_named
from mulligan.learning.written.talk import has_words, is_made, is_quoted

MOST_TRIES = 60
"""Places that look like a call and are none; after that the text is left alone."""
LABELS = frozenset({"action", "call", "tool", "function", "tool_call", "function_call", "command"})
"""What may stand before a name with nothing but a colon between: `Action:find`."""

_OPENING = re.compile(r"(?<![\w$@/\\.~!\-])[^\W\d]\w*+(?:[./\-]\w++)*+|\{")
_DEFINED = re.compile(r"(?:\bdef|\bfunction|\bimport|\bclass)\s+\Z")
_AFTER_NAME = re.compile(
    r"['\"`]?\s*+(?P<sign>\(|(?:[:,]\s*+|with\s++)?"
    r"(?:(?:action[ _]|tool[ _])?(?:input|arguments?|args|parameters?)\s*+[:=]?\s*+)?"
    r"(?:```\w*+\s*+)?(?=\{))",
    re.IGNORECASE,
)
"""What may stand between a name and its arguments, as in `Action: find`, `Action Input: {…}`."""
_LINE_INPUT = re.compile(
    r"['\"`]?[ \t]*+\n\s*+(?:action|tool)[ _]input[ \t]*+:[ \t]*+(?P<text>[^\n{}\[\]()]{1,500}+)",
    re.IGNORECASE,
)
_CHAINED = re.compile(r"\.[A-Za-z_]\w{0,60}\s?\(")
_CALL_OBJECT = re.compile(r"\{\s{0,20}[\"'](?:name|function|tool|action|arguments|parameters)")
_SEVERAL = re.compile(r"[,;=:|]")
_LABEL = re.compile(r"(\w{1,40}):\Z")
_JOINS = re.compile(r"[\s,;`]*+(?:and|then|and then)?[\s,;`]*+")
_ASSIGNED = re.compile(
    r"(?:^|\n)[ \t]*+([A-Za-z_]\w*+)[ \t]*+=(?!=)|\bfor[ \t]++([A-Za-z_]\w*+)[ \t]++in\b"
)


@dataclass(frozen=True, slots=True)
class _Place:
    call: WrittenCall
    start: int
    end: int


def find_written(text: str, tools: Sequence[str]) -> list[WrittenCall]:
    """The calls that a text makes, in order, without those that it only talks about."""
    places = list(_find_places(text, tools))
    made: list[_Place] = []
    lead = True
    for index, place in enumerate(places):
        last = places[index - 1] if index else None
        before = text[last.end if last else 0 : place.start]
        follows = places[index + 1].start if index + 1 < len(places) else len(text)
        after = text[place.end : follows]
        line = before[before.rfind("\n") + 1 :]
        joined = last is not None and (_JOINS.fullmatch(before) or not has_words(before))
        if is_quoted(line):
            continue
        if not joined:
            lead = is_made(before, after, followed=follows < len(text))
        elif _is_asked_after(after):
            continue
        if lead:
            made.append(place)
    return [place.call for place in _drop_strangers(made, text, tools)]


def _is_asked_after(after: str) -> bool:
    return after.lstrip(" `\"')")[:1] == "?"


def _drop_strangers(places: list[_Place], text: str, tools: Sequence[str]) -> Iterator[_Place]:
    """Without calls of no tool, but for those that are listed with others or look like a tool."""
    for index, place in enumerate(places):
        beside = [places[each] for each in (index - 1, index + 1) if 0 <= each < len(places)]
        given = place.call.arguments or place.call.values
        like = is_like(place.call.name, tools) and (given or match_tool(place.call.name, tools))
        if like or any(_are_listed(place, each, text=text, tools=tools) for each in beside):
            yield place


def _are_listed(one: _Place, tool: _Place, *, text: str, tools: Sequence[str]) -> bool:
    """Whether a call stands in one list with a tool's."""
    first, second = sorted((one, tool), key=lambda place: place.start)
    between = text[first.end : second.start]
    listed = "," in between or text[one.start] == "{"
    return listed and not has_words(between) and match_tool(tool.call.name, tools) is not None


def _find_places(text: str, tools: Sequence[str]) -> Iterator[_Place]:
    """Every place that can be read; after a tool's call that cannot be, nothing is read any more.

    Nobody can say where such a call ends, and what stands inside it is no call.
    """
    # Words that are no tools have a budget of their own: talk must not use up that of calls.
    reader, strangers = Reader(text), Reader(text)
    variables = {name for pair in _ASSIGNED.findall(text) for name in pair if name}
    at, tries, strange = 0, 0, 0
    while tries < MOST_TRIES and (found := _OPENING.search(text, at)):
        name = _read_name(found)
        known = match_tool(name, tools) is not None
        tool_like = known or name == "{"
        if not tool_like and strange >= MOST_TRIES:
            at = found.end()
            continue
        try:
            calls, end = _read_at(reader if tool_like else strangers, found, name=name, tools=tools)
        except (GarbledError, RecursionError):
            if known or _CALL_OBJECT.match(text, found.start()):
                return
            calls, end = [], found.end()
            tries += tool_like
            strange += not tool_like
        for call in calls:
            yield _Place(_mark_variables(call, variables), found.start(), end)
        at = max(end, found.start() + 1)


def _read_name(found: re.Match[str]) -> str:
    """The whole name, with what a colon ties to it: `staging:delete` is no `delete`."""
    text, start = found.string, found.start()
    if found.group() == "{":
        return "{"
    label = _LABEL.search(text, max(0, start - 41), start)
    tied = label is not None and label[1].casefold() not in LABELS
    return f"{label[1]}:{found.group()}" if label and tied else found.group()


def _read_at(
    reader: Reader, found: re.Match[str], *, name: str, tools: Sequence[str]
) -> tuple[list[WrittenCall], int]:
    text = found.string
    if name == "{":
        value, end = reader.parse_value(found.start())
        calls = list(find_calls(value, tools))
        return (calls, end) if calls else ([], found.end())
    rest = _AFTER_NAME.match(text, found.end())
    known = match_tool(name, tools) is not None
    if not rest:
        line = _LINE_INPUT.match(text, found.end()) if known else None
        return ([_from_line(name, line["text"])], line.end()) if line else ([], found.end())
    if _DEFINED.search(text, max(0, found.start() - 12), found.start()):
        return [], found.end()
    if rest.group("sign") == "(":
        named, end = reader.parse_arguments(rest.end() - 1, name=name)
        call = _mark_chain(from_named(named), _CHAINED.match(text, end))
    else:
        value, end = reader.parse_value(rest.end())
        if not isinstance(value, dict) or (not known and list(find_calls(value, tools))):
            return [], found.end()
        call = build_call(name, value)
    holds_others = not known and any(
        is_like(each.group(), tools) for each in _OPENING.finditer(text, found.end(), end)
    )
    return ([], found.end()) if holds_others else ([call], end)


def _from_line(name: str, text: str) -> WrittenCall:
    """`Action Input: W1`: one value, if it can be only one."""
    value = text.strip().strip("\"'`")
    if value.casefold() in ("", "none", "null", "n/a"):
        return build_call(name, {})
    several = [f"{value[:60]!r} may be one value or several"] if _SEVERAL.search(value) else []
    return build_call(name, {}, values=(value,), doubts=several)


def _mark_chain(call: WrittenCall, chain: re.Match[str] | None) -> WrittenCall:
    """`delete(…).preview()`: what is done with the result may be what matters."""
    said = (f"{chain.group()!r} follows it, and is not read",) if chain else ()
    return replace(call, doubts=call.doubts + said)


def _mark_variables(call: WrittenCall, variables: set[str]) -> WrittenCall:
    """`order_id=order` where the text has `order = …` before: a program's name, and no value."""
    held = [*call.arguments.values(), *call.values]
    named = [each for each in held if isinstance(each, str) and each in variables]
    said = tuple(f"{each!r} names a variable, and not its value" for each in named)
    return replace(call, doubts=call.doubts + said)
